//! Microseconds of this thread's CPU time that a call takes through the crate and through the bare C API, in turn:
//! `cargo run --release -p pjrt --example execute_cost`. CPU time, so that a busy machine disturbs it less.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::undocumented_unsafe_blocks)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::ptr::null_mut;

use pjrt::abi::{self, CallArgs, Entry};
use pjrt::{Buffer, CompileOptions, ExecuteOptions, Outputs};
use support::*;

fn main() {
    println!("{:>3} in {:>3} out   {:>8} {:>8}", "", "", "bare C", "crate");
    for count in [2, 10, 100] {
        let program = sums(count);
        let executable = compile(&program);
        let argument = send(&[1.0; 8]);
        let arguments: Vec<&Buffer> = vec![&argument; count];
        let mut outputs = Outputs::new();
        let mut bare = Bare::new(&program, count);
        let calls = 2_000 / count;
        let mut times = [f64::INFINITY; 2];
        for _ in 0..200 {
            times[0] = times[0].min(cpu_time(calls, || bare.execute()));
            times[1] = times[1].min(cpu_time(calls, || {
                executable.execute(&arguments, ExecuteOptions::default(), &mut outputs).unwrap();
                outputs.clear();
            }));
        }
        println!("{count:>3} in {count:>3} out   {:8.3} {:8.3}", times[0], times[1]);
    }
    let argument = send(&[1.0; 8]);
    let mut bytes = [0; 32];
    let best = |mut call: Box<dyn FnMut() + '_>| (0..15).map(|_| cpu_time(5000, &mut call)).fold(f64::INFINITY, f64::min);
    println!("copy_to_host, 32 bytes       {:8.3}", best(Box::new(|| argument.copy_to_host(&mut bytes).unwrap())));
    println!("buffer_from_host, 32 bytes   {:8.3}", best(Box::new(|| drop(send(&[1.0; 8])))));
    println!("check_process                {:8.4}", best(Box::new(|| std::hint::black_box(client()).check_process().unwrap())));
}

/// `count` arguments, `count` results.
fn sums(count: usize) -> String {
    let list = |text: &dyn Fn(usize) -> String, between: &str| (0..count).map(text).collect::<Vec<_>>().join(between);
    let parameters = list(&|index| format!("%a{index}: tensor<8xf32>"), ", ");
    let types = list(&|_| "tensor<8xf32>".to_owned(), ", ");
    let sums = list(&|index| format!("%r{index} = stablehlo.add %a{index}, %a{index} : tensor<8xf32>"), "\n");
    let results = list(&|index| format!("%r{index}"), ", ");
    format!("module {{ func.func @main({parameters}) -> ({types}) {{\n{sums}\nreturn {results} : {types} }} }}")
}

/// Microseconds of CPU time of this thread for one of `calls` calls.
fn cpu_time(calls: usize, mut call: impl FnMut()) -> f64 {
    let now = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let start = now();
    for _ in 0..calls {
        call();
    }
    (now() - start) / calls as f64
}

/// The same execution with nothing between it and the plugin.
struct Bare {
    execute: abi::Function<abi::PJRT_LoadedExecutable_Execute_Args>,
    destroy: abi::Function<abi::PJRT_Buffer_Destroy_Args>,
    executable: *mut abi::PJRT_LoadedExecutable,
    arguments: Vec<*mut abi::PJRT_Buffer>,
    outputs: Vec<*mut abi::PJRT_Buffer>,
}

fn function<Args: CallArgs>(entry: Entry) -> abi::Function<Args> {
    unsafe {
        let library = libloading::Library::new(plugin_path()).unwrap();
        let get_api: libloading::Symbol<unsafe extern "C" fn() -> *const u8> = library.get(b"GetPjrtApi\0").unwrap();
        let function = get_api().add(entry.offset()).cast::<abi::Function<Args>>().read();
        std::mem::forget(library);
        function
    }
}

impl Bare {
    fn new(program: &str, count: usize) -> Self {
        unsafe {
            let mut client = abi::PJRT_Client_Create_Args::default();
            assert!(function(Entry::PJRT_Client_Create)(&mut client).is_null());
            let mut devices = abi::PJRT_Client_AddressableDevices_Args { client: client.client, ..Default::default() };
            assert!(function(Entry::PJRT_Client_AddressableDevices)(&mut devices).is_null());
            let options = CompileOptions::default().to_bytes();
            let program = abi::PJRT_Program {
                code: program.as_ptr().cast_mut().cast(),
                code_size: program.len(),
                format: c"mlir".as_ptr(),
                format_size: 4,
                ..Default::default()
            };
            let mut compile = abi::PJRT_Client_Compile_Args {
                client: client.client,
                program: &program,
                compile_options: options.as_ptr().cast(),
                compile_options_size: options.len(),
                ..Default::default()
            };
            assert!(function(Entry::PJRT_Client_Compile)(&mut compile).is_null());
            let mut buffer = abi::PJRT_Client_BufferFromHostBuffer_Args {
                client: client.client,
                data: [1.0_f32; 8].as_ptr().cast(),
                element_type: pjrt::BufferType::F32.raw(),
                dims: [8_i64].as_ptr(),
                num_dims: 1,
                device: *devices.addressable_devices,
                ..Default::default()
            };
            assert!(function(Entry::PJRT_Client_BufferFromHostBuffer)(&mut buffer).is_null());
            Self {
                execute: function(Entry::PJRT_LoadedExecutable_Execute),
                destroy: function(Entry::PJRT_Buffer_Destroy),
                executable: compile.executable,
                arguments: vec![buffer.buffer; count],
                outputs: vec![null_mut(); count],
            }
        }
    }

    fn execute(&mut self) {
        let mut options = abi::PJRT_ExecuteOptions::default();
        let mut args = abi::PJRT_LoadedExecutable_Execute_Args {
            executable: self.executable,
            options: &mut options,
            argument_lists: &self.arguments.as_ptr(),
            num_devices: 1,
            num_args: self.arguments.len(),
            output_lists: &self.outputs.as_mut_ptr(),
            ..Default::default()
        };
        unsafe {
            assert!((self.execute)(&mut args).is_null());
            for &buffer in &self.outputs {
                (self.destroy)(&mut abi::PJRT_Buffer_Destroy_Args { buffer, ..Default::default() });
            }
        }
    }
}
