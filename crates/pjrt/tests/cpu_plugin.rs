//! The whole crate against the CPU plugin.

mod support;

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use pjrt::{
    BufferType, CompileOptions, Error, ErrorCode, ExecuteOptions, ExtensionType, OptionOverride, OptionValue, Outputs, Plugin, PluginKind,
};
use support::*;

#[test]
fn loading_reads_version_extensions_and_attributes() {
    let plugin = plugin();
    assert_eq!(plugin.api_version().0, 0);
    assert!(plugin.api_version().1 >= 100);
    assert!(plugin.extensions().contains(&ExtensionType::Ffi));
    assert!(plugin.attributes().iter().any(|(name, _)| name == "stablehlo_current_version"));
    assert_eq!(plugin.quirks().kind, PluginKind::Cpu);
    // A second load is the same plugin.
    assert_eq!(Plugin::load(&plugin_path()).unwrap().path(), plugin.path());
}

#[test]
fn files_that_are_no_plugin_are_refused() {
    let missing = Plugin::load(Path::new("/nowhere/plugin.so")).unwrap_err();
    assert!(matches!(missing, Error::Load { .. }), "{missing}");
    assert!(missing.to_string().contains("/nowhere/plugin.so"));

    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "no ELF").unwrap();
    let not_elf = Plugin::load(text.path()).unwrap_err();
    assert!(matches!(not_elf, Error::Load { .. }), "{not_elf}");

    let libc = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .unwrap();
    let other_library = Plugin::load(Path::new(libc)).unwrap_err();
    assert!(matches!(other_library, Error::NotAPlugin { .. }), "{other_library}");
}

#[test]
fn a_client_describes_itself_and_its_devices() {
    let client = client();
    assert_eq!(client.platform_name(), "cpu");
    assert!(!client.platform_version().is_empty());
    assert_eq!(client.process_index(), 0);
    assert_eq!(client.devices().len(), client.addressable_devices().len());
    let device = &client.addressable_devices()[0];
    assert_eq!(device.id(), 0);
    assert_eq!(device.local_hardware_id(), 0);
    assert!(device.is_addressable());
    assert!(!device.kind().is_empty());
    assert!(!device.description().is_empty());
    assert!(client.check_process().is_ok());
}

#[test]
fn add_runs() {
    let executable = compile(ADD);
    assert_eq!(executable.num_outputs(), 1);
    assert_eq!(executable.name().unwrap(), "add_module");
    assert_eq!(executable.output_types().unwrap(), [BufferType::F32]);
    assert_eq!(executable.output_dimensions().unwrap(), [[8]]);
    let (a, b) = (send(&[1.0; 8]), send(&[2.5; 8]));
    let outputs = run(&executable, &[&a, &b]);
    assert_eq!(outputs[0].dims(), [8]);
    assert_eq!(outputs[0].element_type(), BufferType::F32);
    assert_eq!(outputs[0].size_in_bytes().unwrap(), 32);
    assert_eq!(read(&outputs[0]), [3.5; 8]);
}

#[test]
fn preferred_compiler_options_are_accepted() {
    let options = client().default_compile_options();
    assert!(options.env_option_overrides.contains_key("xla_cpu_use_onednn"));
    let executable = client().compile(ADD, options).unwrap();
    let a = send(&[1.0; 8]);
    assert_eq!(read(&run(&executable, &[&a, &a])[0]), [2.0; 8]);
}

#[test]
fn donation_reuses_the_memory_and_deletes_the_argument() {
    for attribute in ["jax.buffer_donor = true", "tf.aliasing_output = 0 : i32"] {
        let executable = compile(&format!(
            "module {{
              func.func @main(%a: tensor<1024xf32> {{{attribute}}}, %b: tensor<1024xf32>) -> tensor<1024xf32> {{
                %0 = stablehlo.add %a, %b : tensor<1024xf32>
                return %0 : tensor<1024xf32>
              }}
            }}"
        ));
        let (a, b) = (send(&[1.0; 1024]), send(&[2.0; 1024]));
        a.ready_event().unwrap().wait().unwrap();
        let address = a.device_pointer().unwrap();
        let outputs = run(&executable, &[&a, &b]);
        assert!(a.is_deleted(), "{attribute}");
        assert!(!b.is_deleted());
        assert_eq!(outputs[0].device_pointer().unwrap(), address, "{attribute}");
        assert_eq!(read(&outputs[0]), [3.0; 1024]);
        // Its shape is still known; its contents are not.
        assert_eq!(a.dims(), [1024]);
        assert_eq!(a.copy_to_host(&mut [0; 4096]).unwrap_err().code(), Some(ErrorCode::InvalidArgument));

        let kept = send(&[1.0; 1024]);
        let mut outputs = Outputs::new();
        let options = ExecuteOptions { non_donatable: &[0], ..Default::default() };
        executable.execute(&[&kept, &b], options, &mut outputs).unwrap();
        assert!(!kept.is_deleted());
        assert_eq!(read(&kept), [1.0; 1024]);
    }
}

#[test]
fn an_argument_donated_and_used_twice_is_an_error_and_stays() {
    let executable = compile(
        "module { func.func @main(%a: tensor<8xf32> {jax.buffer_donor = true}, %b: tensor<8xf32>) -> tensor<8xf32> {
           %0 = stablehlo.add %a, %b : tensor<8xf32>
           return %0 : tensor<8xf32> } }",
    );
    let a = send(&[1.0; 8]);
    let mut outputs = run(&compile(ADD), &[&a, &a]);
    let error = executable.execute(&[&a, &a], ExecuteOptions::default(), &mut outputs).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::InvalidArgument));
    assert!(outputs.is_empty());
    assert!(!a.is_deleted());
}

#[test]
fn serialized_programs_load_and_run() {
    let bytes = compile(ADD).serialize().unwrap();
    let loaded = client().deserialize(&bytes).unwrap();
    assert_eq!(loaded.num_outputs(), 1);
    let a = send(&[4.0; 8]);
    assert_eq!(read(&run(&loaded, &[&a, &a])[0]), [8.0; 8]);
    for bad in [&bytes[..bytes.len() / 2], b"", b"garbage"] {
        assert!(client().deserialize(bad).unwrap_err().code().is_some());
    }
}

#[test]
fn the_compiler_describes_a_program() {
    let executable = compile(ADD);
    let memory = executable.compiled_memory_stats().unwrap();
    assert_eq!(memory.arguments, 64);
    assert_eq!(memory.outputs, 32);
    let optimized = executable.optimized_program().unwrap();
    assert_eq!(optimized.format, "hlo_with_config");
    assert!(!optimized.code.is_empty());
    assert!(!executable.fingerprint().unwrap().is_empty());
    assert!(executable.cost_analysis().unwrap_err().is_unimplemented());
    assert_eq!(executable.addressable_device_ids().unwrap(), [0]);
}

#[test]
fn host_copies_keep_row_major_order() {
    let device = &client().addressable_devices()[0];
    let values: Vec<f32> = (0..24).map(|value| value as f32).collect();
    let buffer = client().buffer_from_host(&f32_bytes(&values), BufferType::F32, &[2, 3, 4], device).unwrap();
    assert_eq!(read(&buffer), values);
    // The plugin's own copy, which is asked for a row-major layout.
    let mut bytes = vec![0_u8; 96];
    // SAFETY: `bytes` is not touched until the wait returns.
    let copied = unsafe { buffer.copy_to_host_async(bytes.as_mut_ptr(), bytes.len()) }.unwrap();
    copied.wait().unwrap();
    assert!(copied.is_ready());
    assert_eq!(bytes, f32_bytes(&values));

    let transpose = compile(
        "module { func.func @main(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
           %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
           return %0 : tensor<4x2x3xf32> } }",
    );
    let outputs = run(&transpose, &[&buffer]);
    let transposed = read(&outputs[0]);
    assert_eq!(transposed[..6], [0.0, 4.0, 8.0, 12.0, 16.0, 20.0]);
}

#[test]
fn zero_sized_and_scalar_buffers_work() {
    let device = &client().addressable_devices()[0];
    let empty = client().buffer_from_host(&[], BufferType::F32, &[0, 5], device).unwrap();
    assert_eq!(empty.dims(), [0, 5]);
    empty.copy_to_host(&mut []).unwrap();
    let scalar = client().buffer_from_host(&7_i64.to_ne_bytes(), BufferType::S64, &[], device).unwrap();
    let mut bytes = [0; 8];
    scalar.copy_to_host(&mut bytes).unwrap();
    assert_eq!(i64::from_ne_bytes(bytes), 7);
}

#[test]
fn every_type_the_plugin_takes_survives_a_round_trip() {
    let device = &client().addressable_devices()[0];
    let minor = client().plugin().api_version().1;
    for &element_type in BufferType::ALL {
        let size = element_type.size_in_bytes();
        let data: Vec<u8> = vec![1; 4 * size];
        match client().buffer_from_host(&data, element_type, &[4], device) {
            Ok(buffer) => {
                assert_eq!(buffer.element_type(), element_type);
                let mut back = vec![0; data.len()];
                buffer.copy_to_host(&mut back).unwrap();
                assert_eq!(back, data, "{element_type:?}");
            }
            Err(error) => {
                let refused = [BufferType::Invalid, BufferType::Token];
                let newest = [BufferType::F6E2M3FN, BufferType::F6E3M2FN];
                assert!(refused.contains(&element_type) || (minor < 114 && newest.contains(&element_type)), "{error}");
            }
        }
    }
}

#[test]
fn wrong_host_sizes_are_refused_before_the_call() {
    let device = &client().addressable_devices()[0];
    for (data, dims) in [(vec![0; 7], vec![2_i64]), (vec![0; 8], vec![-2]), (vec![0; 8], vec![i64::MAX, i64::MAX])] {
        let error = client().buffer_from_host(&data, BufferType::F32, &dims, device).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    }
    let error = send(&[1.0; 8]).copy_to_host(&mut [0; 31]).unwrap_err();
    assert!(error.to_string().contains("31 bytes of room"), "{error}");
    let other = plugin().create_client(&[]).unwrap();
    let error = client().buffer_from_host(&[0; 4], BufferType::F32, &[1], &other.addressable_devices()[0]).unwrap_err();
    assert!(error.to_string().contains("another client"), "{error}");
}

#[test]
fn zero_copy_gives_the_memory_back_when_the_buffer_dies() {
    #[repr(align(64))]
    struct Aligned([f32; 16]);
    let memory = Box::new(Aligned([1.5; 16]));
    let device = &client().addressable_devices()[0];
    let (sender, receiver) = mpsc::channel();
    // SAFETY: `memory` is kept until the callback has been called.
    let buffer = unsafe {
        client().buffer_from_host_zero_copy(
            memory.0.as_ptr().cast(),
            64,
            BufferType::F32,
            &[16],
            device,
            Box::new(move || sender.send(()).unwrap()),
        )
    }
    .unwrap();
    assert_eq!(buffer.device_pointer().unwrap(), memory.0.as_ptr() as usize);
    assert!(receiver.try_recv().is_err());
    assert_eq!(read(&buffer), [1.5; 16]);
    drop(buffer);
    receiver.recv_timeout(Duration::from_secs(10)).unwrap();

    let (sender, receiver) = mpsc::channel();
    // SAFETY: nothing is read, because the size is wrong.
    let refused = unsafe {
        client().buffer_from_host_zero_copy(
            memory.0.as_ptr().cast(),
            63,
            BufferType::F32,
            &[16],
            device,
            Box::new(move || sender.send(()).unwrap()),
        )
    };
    assert!(refused.is_err());
    receiver.try_recv().unwrap();
}

#[test]
fn bad_programs_and_options_are_typed_errors() {
    for program in [
        "",
        "garbage",
        "module { func.func @other() { return } }",
        "module { func.func @main() -> tensor<8xf32> { %0 = stablehlo.nonsense : tensor<8xf32> return %0 : tensor<8xf32> } }",
    ] {
        let error = client().compile(program, &CompileOptions::default()).unwrap_err();
        assert!(error.code().is_some(), "{error}");
    }
    let error = client().compile(ADD, &CompileOptions { num_replicas: 0, ..Default::default() }).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    let mut options = CompileOptions::default();
    options.env_option_overrides.insert("xla_no_such_option".into(), OptionOverride::Bool(true));
    let error = client().compile(ADD, &options).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::InvalidArgument), "{error}");
    assert!(error.to_string().contains("PJRT_Client_Compile"), "{error}");
    let error = client().compile("stablehlo.outfeed", &CompileOptions::default()).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    let error = plugin().create_client(&[("cpu_device_count", OptionValue::I64(0))]).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
}

#[test]
fn a_wrong_argument_count_is_an_error_and_leaves_no_outputs() {
    let executable = compile(ADD);
    let a = send(&[1.0; 8]);
    let mut outputs = run(&executable, &[&a, &a]);
    let error = executable.execute(&[&a], ExecuteOptions::default(), &mut outputs).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::InvalidArgument), "{error}");
    assert!(outputs.is_empty());
}

#[test]
fn events_report_the_end_of_an_execution() {
    let executable = compile(ADD);
    let a = send(&[1.0; 8]);
    let mut outputs = Outputs::new();
    let options = ExecuteOptions { want_complete_event: true, ..Default::default() };
    let event = executable.execute(&[&a, &a], options, &mut outputs).unwrap().unwrap();
    let (sender, receiver) = mpsc::channel();
    event.on_ready(move |outcome| sender.send(outcome.is_ok()).unwrap()).unwrap();
    assert!(receiver.recv_timeout(Duration::from_secs(10)).unwrap());
    event.wait().unwrap();
    assert!(event.is_ready());
    drop(event);
    let ready = outputs[0].ready_event().unwrap();
    ready.wait().unwrap();
    // A panic in a callback stays in it.
    ready.on_ready(|_| panic!("in a callback")).unwrap();
    assert!(executable.execute(&[&a, &a], ExecuteOptions::default(), &mut outputs).unwrap().is_none());
}

#[test]
fn memory_stats_are_unimplemented_on_the_cpu() {
    let error = client().addressable_devices()[0].memory_stats().unwrap_err();
    assert!(error.is_unimplemented(), "{error}");
}

#[test]
fn two_threads_compile_and_run_at_once() {
    let executable = compile(ADD);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let executable = &executable;
            scope.spawn(move || {
                let start = send(&[thread as f32; 8]);
                let one = send(&[1.0; 8]);
                let mut current = run(executable, &[&start, &one]);
                for _ in 0..500 {
                    current = run(executable, &[&current[0], &one]);
                }
                assert_eq!(read(&current[0]), [thread as f32 + 501.0; 8]);
                let own = compile(&ADD.replace("stablehlo.add", "stablehlo.multiply"));
                assert_eq!(read(&run(&own, &[&one, &start])[0]), [thread as f32; 8]);
            });
        }
    });
}

#[test]
fn buffers_outlive_the_client_handle() {
    let client = plugin().create_client(&[]).unwrap();
    let executable = client.compile(ADD, &CompileOptions::default()).unwrap();
    let device = client.addressable_devices()[0].clone();
    let a = client.buffer_from_host(&f32_bytes(&[1.0; 8]), BufferType::F32, &[8], &device).unwrap();
    drop((client, device));
    let outputs = run(&executable, &[&a, &a]);
    drop((executable, a));
    assert_eq!(read(&outputs[0]), [2.0; 8]);
}

#[test]
fn portable_programs_and_replicas_run_on_many_devices() {
    let client = plugin().create_client(&[("cpu_device_count", OptionValue::I64(4))]).unwrap();
    assert_eq!(client.addressable_devices().len(), 4);
    let send = |values: &[f32], device: usize| {
        let device = &client.addressable_devices()[device];
        client.buffer_from_host(&f32_bytes(values), BufferType::F32, &[values.len() as i64], device).unwrap()
    };
    let portable = CompileOptions { compile_portable_executable: true, ..Default::default() };
    let executable = client.compile(ADD, &portable).unwrap();
    for (ordinal, device) in client.addressable_devices().iter().enumerate() {
        let a = send(&[ordinal as f32; 8], ordinal);
        let mut outputs = Outputs::new();
        let options = ExecuteOptions { device: Some(device), ..Default::default() };
        executable.execute(&[&a, &a], options, &mut outputs).unwrap();
        assert_eq!(read(&outputs[0]), [2.0 * ordinal as f32; 8]);
    }
    let pinned = CompileOptions { device_assignment: Some(vec![vec![2]]), ..Default::default() };
    let executable = client.compile(ADD, &pinned).unwrap();
    assert_eq!(executable.addressable_device_ids().unwrap(), [2]);
    let a = send(&[1.0; 8], 2);
    assert_eq!(read(&run(&executable, &[&a, &a])[0]), [2.0; 8]);

    let moved = a.copy_to_device(&client.addressable_devices()[1]).unwrap();
    assert_eq!(read(&moved), [1.0; 8]);

    let all_reduce = "module { func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
        %0 = \"stablehlo.all_reduce\"(%a) ({
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %s = stablehlo.add %x, %y : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<8xf32>) -> tensor<8xf32>
        return %0 : tensor<8xf32> } }";
    let executable = client.compile(all_reduce, &CompileOptions { num_replicas: 4, ..Default::default() }).unwrap();
    let arguments: Vec<_> = (0..4).map(|ordinal| send(&[ordinal as f32; 8], ordinal)).collect();
    let lists: Vec<Vec<_>> = arguments.iter().map(|argument| vec![argument]).collect();
    let lists: Vec<&[_]> = lists.iter().map(Vec::as_slice).collect();
    let mut outputs = Vec::new();
    let options = ExecuteOptions { want_complete_event: true, ..Default::default() };
    let events = executable.execute_on_all(&lists, options, &mut outputs).unwrap();
    assert_eq!(events.len(), 4);
    for output in &outputs {
        assert_eq!(read(&output[0]), [6.0; 8]);
    }
}

#[test]
fn the_clients_own_topology_compiles_ahead_of_time() {
    let topology = client().topology().unwrap();
    assert_eq!(topology.devices().unwrap().len(), client().devices().len());
    let program = match plugin().compile_ahead_of_time(&topology, ADD, &CompileOptions::default()) {
        Ok(program) => program,
        // A build of the plugin without the ahead-of-time compiler says so.
        Err(error) if error.code() == Some(ErrorCode::NotFound) => return,
        Err(error) => panic!("{error}"),
    };
    let loaded = client().deserialize(&program.serialize().unwrap()).unwrap();
    let a = send(&[1.0; 8]);
    assert_eq!(read(&run(&loaded, &[&a, &a])[0]), [2.0; 8]);
    assert!(plugin().topology("no such topology", &[]).is_err());
}
