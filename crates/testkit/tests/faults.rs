//! The error paths of `pjrt`, proved over the fault-injecting plugin.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use pjrt::abi::Entry;
use pjrt::{BufferType, Client, CompileOptions, Error, ErrorCode, ExecuteOptions, ExtensionType, HostDestination, Outputs, PluginKind};
use testkit::session::{execute, f32_bytes, read_f32, send_f32};
use testkit::{Fault, Faults};

const ADD: &str = "module { func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32> } }";

fn client(faults: &Faults) -> (testkit::FaultyPlugin, Client) {
    let plugin = faults.load().unwrap();
    let client = plugin.plugin.create_client(&[]).unwrap();
    (plugin, client)
}

fn add_works(client: &Client) {
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    let a = send_f32(client, &[1.0; 8], &[8]).unwrap();
    let outputs = execute(&executable, &[&a, &a]).unwrap();
    assert_eq!(read_f32(&outputs[0]).unwrap(), [2.0; 8]);
}

#[test]
fn without_faults_everything_is_forwarded() {
    let (plugin, client) = client(&Faults::default());
    assert!(plugin.plugin.extensions().contains(&ExtensionType::Ffi));
    assert_eq!(plugin.plugin.quirks().kind, PluginKind::Unknown);
    // The platform name tells what the file name does not.
    assert_eq!(client.quirks().kind, PluginKind::Cpu);
    add_works(&client);
}

#[test]
fn a_wrong_version_names_both_versions_and_the_path() {
    for faults in [Faults { major: Some(1), ..Default::default() }, Faults { minor: Some(40), ..Default::default() }] {
        let error = faults.load().err().unwrap();
        assert!(matches!(error, Error::Version { .. }), "{error}");
        let text = error.to_string();
        let found = format!("{}.{}", faults.major.unwrap_or(0), faults.minor.unwrap_or(115));
        assert!(text.contains("libtestkit_faults.so") && text.contains("0.114"), "{text}");
        assert!(faults.minor.is_none() || text.contains(&found), "{text}");
    }
}

#[test]
fn a_plugin_without_an_indispensable_entry_is_refused_at_loading() {
    let faults = Faults { null_entries: vec![Entry::PJRT_LoadedExecutable_Execute], ..Default::default() };
    let error = faults.load().err().unwrap();
    assert!(error.is_unimplemented());
    assert!(error.to_string().contains("PJRT_LoadedExecutable_Execute"), "{error}");
}

#[test]
fn missing_and_unimplemented_entries_are_typed_errors() {
    let faults = Faults {
        null_entries: vec![Entry::PJRT_Executable_Serialize, Entry::PJRT_Executable_ParameterMemoryKinds],
        fail: vec![Fault::unimplemented(Entry::PJRT_Executable_Fingerprint)],
        ..Default::default()
    };
    let (_plugin, client) = client(&faults);
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    let missing = executable.serialize().unwrap_err();
    assert!(matches!(missing, Error::Unimplemented { .. }), "{missing}");
    assert!(missing.to_string().contains("libtestkit_faults.so"), "{missing}");
    let refused = executable.fingerprint().unwrap_err();
    assert!(matches!(refused, Error::Plugin { code: ErrorCode::Unimplemented, .. }), "{refused}");
    assert!(missing.is_unimplemented() && refused.is_unimplemented());
    // Without the number of parameters the plugin itself checks the arguments.
    let a = send_f32(&client, &[1.0; 8], &[8]).unwrap();
    let error = execute(&executable, &[&a]).unwrap_err();
    assert!(matches!(error, Error::Plugin { code: ErrorCode::InvalidArgument, .. }), "{error}");
    add_works(&client);
}

#[test]
fn out_of_memory_is_recognised_wherever_it_comes_from() {
    let faults = Faults {
        fail: vec![
            Fault::exhausted(Entry::PJRT_Client_BufferFromHostBuffer, 2),
            Fault::exhausted(Entry::PJRT_LoadedExecutable_Execute, 2),
            Fault::exhausted(Entry::PJRT_Client_Compile, 2),
        ],
        ..Default::default()
    };
    let (_plugin, client) = client(&faults);
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    assert!(client.compile(ADD, &CompileOptions::default()).unwrap_err().is_resource_exhausted());

    let a = send_f32(&client, &[1.0; 8], &[8]).unwrap();
    let error = send_f32(&client, &[1.0; 8], &[8]).unwrap_err();
    assert!(error.is_resource_exhausted());
    assert!(error.to_string().contains("injected into PJRT_Client_BufferFromHostBuffer"), "{error}");

    let mut outputs = execute(&executable, &[&a, &a]).unwrap();
    let error = executable.execute(&[&a, &a], ExecuteOptions::default(), &mut outputs).unwrap_err();
    assert!(error.is_resource_exhausted());
    assert!(outputs.is_empty());
    assert!(!a.is_deleted());
    // The next ones work again.
    add_works(&client);
}

#[test]
fn a_failed_zero_copy_transfer_gives_the_memory_back() {
    let (plugin, client) = client(&Faults::default());
    plugin.inject(Fault::exhausted(Entry::PJRT_Client_BufferFromHostBuffer, 1));
    let memory = f32_bytes(&[1.0; 8]);
    let (sender, receiver) = std::sync::mpsc::channel();
    let device = &client.addressable_devices()[0];
    let on_done = Box::new(move || sender.send(()).unwrap());
    // SAFETY: `memory` lives until the end of the test.
    let result = unsafe { client.buffer_from_host_zero_copy(memory.as_ptr(), memory.len(), BufferType::F32, &[8], device, on_done) };
    assert!(result.unwrap_err().is_resource_exhausted());
    receiver.try_recv().unwrap();
}

#[test]
fn a_host_destination_is_released_once_on_every_path() {
    let (plugin, client) = client(&Faults::default());
    let a = send_f32(&client, &[3.0; 8], &[8]).unwrap();
    let copy = |inject: Option<Fault>| {
        if let Some(fault) = inject {
            plugin.inject(fault);
        }
        let mut memory = vec![0_u8; 32];
        let (sender, receiver) = std::sync::mpsc::channel();
        let done = Box::new(move || sender.send(()).unwrap());
        // SAFETY: `memory` lives until the callback has been called, below.
        let destination = unsafe { HostDestination::new(memory.as_mut_ptr(), memory.len(), done) };
        let outcome = a.copy_to_host_destination(destination).and_then(|event| event.wait());
        receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(receiver.recv().is_err());
        outcome.map(|()| memory)
    };
    assert_eq!(copy(None).unwrap(), f32_bytes(&[3.0; 8]));
    let refused = Fault { entry: Entry::PJRT_Event_OnReady, call: 1, code: 13 };
    assert_eq!(copy(Some(refused)).unwrap(), f32_bytes(&[3.0; 8]));
    assert!(copy(Some(Fault::exhausted(Entry::PJRT_Buffer_ToHostBuffer, 1))).unwrap_err().is_resource_exhausted());
}

#[test]
fn errors_of_waiting_reach_the_caller() {
    let (plugin, client) = client(&Faults::default());
    let a = send_f32(&client, &[1.0; 8], &[8]).unwrap();
    plugin.inject(Fault { entry: Entry::PJRT_Event_Await, call: 1, code: 13 });
    let error = read_f32(&a).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::Internal));
    assert_eq!(read_f32(&a).unwrap(), [1.0; 8]);
    plugin.inject(Fault { entry: Entry::PJRT_Event_OnReady, call: 1, code: 14 });
    let (sender, receiver) = std::sync::mpsc::channel();
    let error = a.ready_event().unwrap().on_ready(move |_| sender.send(()).unwrap()).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::Unavailable));
    // The callback was dropped, not called.
    assert!(receiver.recv().is_err());
}

#[test]
fn failing_destructors_do_not_panic() {
    let fail = [Entry::PJRT_Buffer_Destroy, Entry::PJRT_Event_Destroy, Entry::PJRT_LoadedExecutable_Destroy].map(|entry| Fault {
        entry,
        call: 0,
        code: 13,
    });
    let (_plugin, client) = client(&Faults { fail: fail.to_vec(), ..Default::default() });
    add_works(&client);
}

#[test]
fn a_client_that_fails_to_open_is_an_error() {
    let faults = Faults { fail: vec![Fault { entry: Entry::PJRT_Client_Create, call: 1, code: 14 }], ..Default::default() };
    let plugin = faults.load().unwrap();
    assert_eq!(plugin.plugin.create_client(&[]).unwrap_err().code(), Some(ErrorCode::Unavailable));
    assert!(plugin.plugin.create_client(&[]).is_ok());

    let faults = Faults { fail: vec![Fault { entry: Entry::PJRT_Plugin_Initialize, call: 1, code: 9 }], ..Default::default() };
    assert_eq!(faults.load().err().unwrap().code(), Some(ErrorCode::FailedPrecondition));
}

#[test]
fn a_slow_execution_is_slow_and_right() {
    let (_plugin, client) = client(&Faults { slow_execute: Duration::from_millis(30), ..Default::default() });
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    let a = send_f32(&client, &[1.0; 8], &[8]).unwrap();
    let start = Instant::now();
    let outputs = execute(&executable, &[&a, &a]).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(30));
    assert_eq!(read_f32(&outputs[0]).unwrap(), [2.0; 8]);
}

#[test]
fn ffi_handlers_need_the_extension() {
    let plugin = Faults { no_extensions: true, ..Default::default() }.load().unwrap();
    assert!(plugin.plugin.extensions().is_empty());
    // SAFETY: the registration fails before the null handler is looked at.
    let error = unsafe { plugin.plugin.register_ffi_handler("name", "Host", std::ptr::null(), 0) }.unwrap_err();
    assert!(error.is_unimplemented() && error.to_string().contains("PJRT_FFI_Register_Handler"), "{error}");
}

#[test]
fn current_struct_sizes_pass_a_strict_plugin() {
    let (_plugin, client) = client(&Faults { strict_sizes: true, ..Default::default() });
    add_works(&client);
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    assert!(executable.compiled_memory_stats().is_ok());
    assert!(client.deserialize(&executable.serialize().unwrap()).is_ok());
}

#[test]
fn everything_needed_works_on_a_plugin_like_trainiums() {
    let (plugin, client) = client(&Faults::trainium());
    assert_eq!(plugin.plugin.api_version(), (0, 54));
    assert_eq!(client.platform_name(), "neuron");
    assert_eq!(client.quirks().kind, PluginKind::Neuron);
    assert!(!plugin.plugin.attributes().is_empty());
    assert!(!client.addressable_devices().is_empty());
    assert_eq!(client.default_compile_options(), &CompileOptions::default());
    add_works(&client);

    // Without host pointers the plugin copies, here with two dimensions.
    let values: Vec<f32> = (0..6).map(|value| value as f32).collect();
    let matrix = send_f32(&client, &values, &[2, 3]).unwrap();
    assert_eq!(read_f32(&matrix).unwrap(), values);

    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    assert_eq!(executable.name().unwrap(), "main");
    assert_eq!(executable.num_outputs(), 1);
    let reloaded = client.deserialize(&executable.serialize().unwrap()).unwrap();
    let a = send_f32(&client, &[1.0; 8], &[8]).unwrap();
    let mut outputs = Outputs::new();
    let options = ExecuteOptions { want_complete_event: true, ..Default::default() };
    reloaded.execute(&[&a, &a], options, &mut outputs).unwrap().unwrap().wait().unwrap();
    let ready = outputs[0].ready_event().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    ready.on_ready(move |outcome| sender.send(outcome.is_ok()).unwrap()).unwrap();
    assert!(receiver.recv_timeout(Duration::from_secs(10)).unwrap());

    for error in [
        client.addressable_devices()[0].memory_stats().unwrap_err(),
        executable.num_parameters().unwrap_err(),
        executable.compiled_memory_stats().unwrap_err(),
        executable.cost_analysis().unwrap_err(),
        executable.optimized_program().unwrap_err(),
        executable.fingerprint().unwrap_err(),
        a.device_pointer().unwrap_err(),
        client.topology().unwrap_err(),
    ] {
        assert!(error.is_unimplemented(), "{error}");
    }
    // A type that 0.54 does not know is refused here; the plugin would not survive it.
    let device = &client.addressable_devices()[0];
    let error = client.buffer_from_host(&[0], BufferType::F8E4M3, &[1], device).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
}
