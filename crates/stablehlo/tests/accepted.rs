//! A real plugin compiles the printed text of every op and reads back constants bit by bit. Skipped without a plugin.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test fails by panicking")]

mod cases;

use std::path::{Path, PathBuf};

use pjrt::{Client, CompileOptions, ExecuteOptions, OptionOverride, Outputs, Plugin};
use stablehlo::ElementType::*;
use stablehlo::*;

/// The plugin of `TORCH_PJRT_PLUGIN`, or the CPU plugin of the repository's virtual environment.
fn client() -> Option<Client> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let site_packages: Vec<PathBuf> =
        std::fs::read_dir(root).into_iter().flatten().flatten().map(|python| python.path().join("site-packages")).collect();
    let request = std::env::var("TORCH_PJRT_PLUGIN").unwrap_or_else(|_| "cpu".to_owned());
    match pjrt::discover(&request, &site_packages) {
        Ok(path) => Some(Plugin::load(&path).unwrap().create_client(&[]).unwrap()),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn quick() -> CompileOptions {
    let level = ("xla_backend_optimization_level".to_owned(), OptionOverride::I64(0));
    CompileOptions { env_option_overrides: [level].into(), ..CompileOptions::default() }
}

#[test]
fn plugin_accepts_every_op() {
    let Some(client) = client() else { return };
    let mut refused = Vec::new();
    for case in cases::all() {
        let text = case.func.text_with_locations();
        match client.compile(&text, &quick()) {
            Ok(executable) => {
                let dims: Vec<Vec<i64>> = case.func.results().iter().map(|ty| ty.dims.to_vec()).collect();
                assert_eq!(executable.output_dimensions().unwrap(), dims, "{}", case.name);
            }
            // Parsed and verified; only the target is unknown.
            Err(error) if error.to_string().contains("torch_pjrt.test") => {}
            Err(error) => refused.push(format!("{}: {error}\n{text}", case.name)),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn constants_have_the_bits_that_the_plugin_computes() {
    let Some(client) = client() else { return };
    let values = [0.0, -0.0, 1.0, -1.5, 0.1, 1.45, 3.0, 5.5, 100.7, 1e-6, 3e-8, 1e30, f64::INFINITY, f64::NEG_INFINITY];
    let mut differing = Vec::new();
    for element in ElementType::ALL.into_iter().filter(|element| element.is_float()) {
        let func = FuncBuilder::new("constants");
        // The plugin must not see through the conversion at compile time with other rules than at run time.
        let source = func.argument(TensorType::new(F64, &[values.len() as i64]));
        let ours = func.constant_f64s(element, &[values.len() as i64], &values);
        let bits = if element.bit_width() == 4 { U4 } else { unsigned(element) };
        let dims = ours.dims();
        let results = [ours.bitcast_convert(bits, &dims).convert(U64), source.convert(element).bitcast_convert(bits, &dims).convert(U64)];
        let func = func.finish(&results).unwrap();
        let executable = client.compile(&func.text(), &quick()).unwrap();
        let device = &client.addressable_devices()[0];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let argument = client.buffer_from_host(&bytes, pjrt::BufferType::F64, &[values.len() as i64], device).unwrap();
        let mut outputs = Outputs::new();
        executable.execute(&[&argument], ExecuteOptions::default(), &mut outputs).unwrap();
        let [ours, theirs] = [&outputs[0], &outputs[1]].map(|buffer| {
            let mut bytes = vec![0; 8 * values.len()];
            buffer.copy_to_host(&mut bytes).unwrap();
            bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
        });
        for ((value, ours), theirs) in values.iter().zip(ours).zip(theirs) {
            // F8E8M0FNU has no zero: ours is PyTorch's choice, the plugin's is NaN.
            if ours != theirs && !(element == F8E8M0FNU && *value == 0.0) {
                differing.push(format!("{value} as {element}: {ours:#x} and {theirs:#x}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

fn unsigned(element: ElementType) -> ElementType {
    match element.bit_width() {
        8 => U8,
        16 => U16,
        32 => U32,
        _ => U64,
    }
}
