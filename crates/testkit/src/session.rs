//! A CPU-plugin session for tests: finds the plugin, opens one client a process, and moves f32 data.

use std::path::PathBuf;
use std::sync::OnceLock;

use pjrt::{Buffer, BufferType, Client, CompileOptions, Executable, ExecuteOptions, Outputs, Plugin};

/// Path of the CPU plugin: `TORCH_PJRT_TEST_PLUGIN`, or the package in the repository's `.venv`.
///
/// # Panics
/// With the list of places looked at, if there is none.
pub fn cpu_plugin_path() -> PathBuf {
    if let Some(path) = std::env::var_os("TORCH_PJRT_TEST_PLUGIN") {
        return PathBuf::from(path);
    }
    match pjrt::discover("cpu", &site_packages()) {
        Ok(path) => path,
        Err(error) => panic!("{error}"),
    }
}

/// The site-packages directories of the repository's virtual environment.
pub fn site_packages() -> Vec<PathBuf> {
    let libraries = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.venv/lib"));
    std::fs::read_dir(libraries)
        .map(|entries| entries.flatten().map(|entry| entry.path().join("site-packages")).collect())
        .unwrap_or_default()
}

/// One client with one device, made at the first call and shared by the process.
///
/// # Panics
/// If the plugin cannot be loaded.
pub fn cpu_client() -> &'static Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(|| Plugin::load(&cpu_plugin_path()).and_then(|plugin| plugin.create_client(&[])).unwrap())
}

/// Native bytes of f32 values.
pub fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

/// f32 values from native bytes.
///
/// # Panics
/// If the number of bytes is no multiple of 4.
pub fn f32_values(bytes: &[u8]) -> Vec<f32> {
    assert!(bytes.len().is_multiple_of(4), "{} bytes", bytes.len());
    bytes.chunks_exact(4).map(|chunk| f32::from_ne_bytes(chunk.try_into().unwrap())).collect()
}

/// Sends f32 values to the client's first device.
///
/// # Errors
/// As `Client::buffer_from_host`.
pub fn send_f32(client: &Client, values: &[f32], dims: &[i64]) -> pjrt::Result<Buffer> {
    client.buffer_from_host(&f32_bytes(values), BufferType::F32, dims, &client.addressable_devices()[0])
}

/// Reads a buffer of f32.
///
/// # Errors
/// As `Buffer::copy_to_host`.
pub fn read_f32(buffer: &Buffer) -> pjrt::Result<Vec<f32>> {
    let count: i64 = buffer.dims().iter().product();
    let mut bytes = vec![0; count as usize * 4];
    buffer.copy_to_host(&mut bytes)?;
    Ok(f32_values(&bytes))
}

/// Runs a program with default options.
///
/// # Errors
/// As `Executable::execute`.
pub fn execute(executable: &Executable, arguments: &[&Buffer]) -> pjrt::Result<Outputs> {
    let mut outputs = Outputs::new();
    executable.execute(arguments, ExecuteOptions::default(), &mut outputs)?;
    Ok(outputs)
}

/// Compiles StableHLO text, runs it once on f32 arguments `(values, dims)` and returns its f32 results.
///
/// # Errors
/// Of whichever step fails.
pub fn run_f32(client: &Client, program: &str, arguments: &[(&[f32], &[i64])]) -> pjrt::Result<Vec<Vec<f32>>> {
    let executable = client.compile(program, &CompileOptions::default())?;
    let buffers: Vec<Buffer> = arguments.iter().map(|(values, dims)| send_f32(client, values, dims)).collect::<pjrt::Result<_>>()?;
    let outputs = execute(&executable, &buffers.iter().collect::<Vec<_>>())?;
    outputs.iter().map(read_f32).collect()
}
