//! The CPU plugin that the tests run on, and a few programs.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::OnceLock;

use pjrt::{Buffer, BufferType, Client, CompileOptions, Executable, ExecuteOptions, Outputs, Plugin};

/// The plugin's path: `TORCH_PJRT_TEST_PLUGIN`, or the package in the repository's virtual environment.
pub fn plugin_path() -> PathBuf {
    if let Some(path) = std::env::var_os("TORCH_PJRT_TEST_PLUGIN") {
        return PathBuf::from(path);
    }
    pjrt::discover("cpu", &site_packages()).unwrap()
}

pub fn site_packages() -> Vec<PathBuf> {
    let environment = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.venv/lib"));
    std::fs::read_dir(environment)
        .map(|entries| entries.flatten().map(|entry| entry.path().join("site-packages")).collect())
        .unwrap_or_default()
}

pub fn plugin() -> Plugin {
    Plugin::load(&plugin_path()).unwrap()
}

/// One client for all tests of a test program.
pub fn client() -> &'static Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(|| plugin().create_client(&[]).unwrap())
}

pub const ADD: &str = "module @add_module {
  func.func public @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.add %a, %b : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}";

pub fn compile(program: &str) -> Executable {
    client().compile(program, &CompileOptions::default()).unwrap()
}

pub fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

pub fn send(values: &[f32]) -> Buffer {
    let device = &client().addressable_devices()[0];
    client().buffer_from_host(&f32_bytes(values), BufferType::F32, &[values.len() as i64], device).unwrap()
}

pub fn read(buffer: &Buffer) -> Vec<f32> {
    let count: i64 = buffer.dims().iter().product();
    let mut bytes = vec![0; count as usize * 4];
    buffer.copy_to_host(&mut bytes).unwrap();
    bytes.chunks_exact(4).map(|chunk| f32::from_ne_bytes(chunk.try_into().unwrap())).collect()
}

pub fn run(executable: &Executable, arguments: &[&Buffer]) -> Outputs {
    let mut outputs = Outputs::new();
    executable.execute(arguments, ExecuteOptions::default(), &mut outputs).unwrap();
    outputs
}
