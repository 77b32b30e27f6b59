//! Compiling for a TPU on a machine without one, through libtpu: from `TORCH_PJRT_TEST_LIBTPU` or the virtual
//! environment. Without libtpu there is nothing to test.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;

use pjrt::{BufferType, CompileOptions, Error, OptionValue, Plugin, PluginKind};

fn libtpu() -> Option<Plugin> {
    let path = match std::env::var_os("TORCH_PJRT_TEST_LIBTPU") {
        Some(path) => PathBuf::from(path),
        None => pjrt::discover("tpu", &support::site_packages()).ok()?,
    };
    Some(Plugin::load(&path).unwrap())
}

const DOT: &str = "module @dot { func.func @main(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %1 = stablehlo.tanh %0 : tensor<256x256xbf16>
  return %1 : tensor<256x256xbf16> } }";

#[test]
fn programs_compile_for_a_named_topology() {
    let Some(plugin) = libtpu() else { return };
    assert_eq!(plugin.quirks().kind, PluginKind::Tpu);
    assert!(plugin.topology("no-such-tpu:9x9", &[]).is_err());
    for (name, devices) in [("v5e:2x2", 4), ("v6e:2x2", 4), ("tpu7x:2x2x1", 8)] {
        let topology = plugin.topology(name, &[]).unwrap();
        assert_eq!(topology.platform_name().unwrap(), "tpu");
        let descriptions = topology.devices().unwrap();
        assert_eq!(descriptions.len(), devices, "{name}");
        assert!(descriptions[0].kind.starts_with("TPU"), "{}", descriptions[0].kind);
        assert!(descriptions[0].attributes.iter().any(|(name, _)| name == "coords"));
        assert!(!topology.serialize().unwrap().is_empty());

        let program = plugin.compile_ahead_of_time(&topology, DOT, &CompileOptions::default()).unwrap();
        assert_eq!(program.num_outputs(), 1);
        assert_eq!(program.output_types().unwrap(), [BufferType::BF16]);
        assert_eq!(program.output_dimensions().unwrap(), [[256, 256]]);
        assert_eq!(program.compiled_memory_stats().unwrap().arguments, 2 * 256 * 256 * 2);
        let costs = program.cost_analysis().unwrap();
        let flops = costs.iter().find(|(name, _)| name == "flops").map(|(_, value)| value.clone());
        assert!(matches!(flops, Some(OptionValue::F32(flops)) if flops > 3e7), "{costs:?}");
        let optimized = program.optimized_program().unwrap();
        assert_eq!(optimized.format, "hlo_with_config");
        let text = String::from_utf8_lossy(&optimized.code);
        assert!(text.contains("estimated_cycles"), "{name}");
        assert!(!program.serialize().unwrap().is_empty());
        assert!(!program.fingerprint().unwrap().is_empty());

        // What would abort the process is refused.
        let unbounded = "module { func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> } }";
        let error = plugin.compile_ahead_of_time(&topology, unbounded, &CompileOptions::default()).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    }
}

#[test]
fn without_a_chip_a_client_is_an_error() {
    let Some(plugin) = libtpu() else { return };
    if pjrt::discover::Machine::this().has(PluginKind::Tpu) {
        return;
    }
    assert!(plugin.create_client(&[]).unwrap_err().code().is_some());
}
