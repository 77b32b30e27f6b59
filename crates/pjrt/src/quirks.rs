//! What is special about each kind of plugin, as one table. Nothing else asks which plugin it is.

use std::collections::BTreeMap;
use std::path::Path;

use crate::abi::Entry;
use crate::compile_options::OptionOverride;
use crate::discover;
use crate::error::{Error, Result};
use crate::option_value::{OptionKind, OptionValue};

/// Kinds of plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PluginKind {
    /// XLA's CPU plugin.
    Cpu,
    /// libtpu.
    Tpu,
    /// XLA's CUDA plugin.
    Cuda,
    /// XLA's ROCm plugin.
    Rocm,
    /// AWS Trainium and Inferentia.
    Neuron,
    /// Any other.
    Unknown,
}

type Overrides = fn() -> Vec<(&'static str, OptionOverride)>;

/// Facts about one kind of plugin.
#[derive(Debug)]
pub struct Quirks {
    /// The kind.
    pub kind: PluginKind,
    /// Name of the platform in PJRT.
    pub platform_name: &'static str,
    /// Name of the platform for FFI handlers.
    pub ffi_platform: &'static str,
    /// Client options that the plugin knows. A wrong type or value of these can end the process.
    pub client_options: &'static [ClientOption],
    /// Client options that are set, of `client_options`.
    pub client_defaults: fn() -> Vec<(&'static str, OptionValue)>,
    /// Executions that may be under way on one device before `execute` blocks. `None`: no fixed limit is known.
    pub max_in_flight_launches: Option<usize>,
    /// The same for launches of many devices from one thread. Beyond it the process hangs for ever.
    pub max_in_flight_collective_launches: Option<usize>,
    /// Device memory is row-major host memory: contents may be read through `Buffer::device_pointer`.
    pub host_memory_pointers: bool,
    /// `allocate and free` go to the process's malloc, so that tuning it pays (CPU_SPEED.md section 3).
    pub uses_process_malloc: bool,
    /// Texts in a program that make the plugin abort or hang, with the reason.
    pub fatal_program_texts: &'static [(&'static str, &'static str)],
    /// A dimension of unknown size without a bound makes the compiler abort.
    pub aborts_on_unbounded_dimensions: bool,
    /// Environment for loading where the machine has no such device, as name and value. Set if absent.
    pub environment_without_device: &'static [(&'static str, &'static str)],
    /// Environment for loading on any machine, as name and value. Set if absent.
    pub environment: &'static [(&'static str, &'static str)],
    overrides: Overrides,
    /// Text in a program that the overrides do not suit, and the overrides for such programs.
    exception: Option<(&'static str, Overrides)>,
}

/// A client option that a plugin knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientOption {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub kind: OptionKind,
    /// Smallest allowed integer.
    pub minimum: Option<i64>,
}

const UNKNOWN: Quirks = Quirks {
    kind: PluginKind::Unknown,
    platform_name: "",
    ffi_platform: "",
    client_options: &[],
    client_defaults: Vec::new,
    max_in_flight_launches: None,
    max_in_flight_collective_launches: None,
    host_memory_pointers: false,
    uses_process_malloc: false,
    fatal_program_texts: &[],
    aborts_on_unbounded_dimensions: false,
    environment_without_device: &[],
    // absl's informational lines on stderr, one for every first use of a oneDNN kernel.
    environment: &[("TF_CPP_MIN_LOG_LEVEL", "2")],
    overrides: Vec::new,
    exception: None,
};

static ALL: [Quirks; 6] = [
    Quirks {
        kind: PluginKind::Cpu,
        platform_name: "cpu",
        ffi_platform: "Host",
        client_options: &[
            // 0 and less: an empty client or an abort.
            ClientOption { name: "cpu_device_count", kind: OptionKind::I64, minimum: Some(1) },
            ClientOption { name: "asynchronous", kind: OptionKind::Bool, minimum: None },
            ClientOption { name: "process_id", kind: OptionKind::I64, minimum: Some(0) },
        ],
        // An execution runs in the thread that asks for it: handing it to a thread of the client costs more than a short
        // one takes, and the engine has a thread of its own for that.
        client_defaults: || vec![("asynchronous", OptionValue::Bool(false))],
        max_in_flight_launches: Some(32),
        max_in_flight_collective_launches: Some(16),
        host_memory_pointers: true,
        uses_process_malloc: true,
        fatal_program_texts: &[
            ("stablehlo.outfeed", "an outfeed has no reader here and would hang"),
            ("stablehlo.infeed", "an infeed has no writer here and would hang"),
        ],
        overrides: cpu_overrides,
        // The plugin cannot serialize a oneDNN convolution (it throws), so it could not be cached on disk.
        exception: Some(("stablehlo.convolution", cpu_overrides_without_onednn)),
        ..UNKNOWN
    },
    Quirks {
        kind: PluginKind::Tpu,
        platform_name: "tpu",
        ffi_platform: "TPU",
        fatal_program_texts: &[("chlo.scan", "libtpu's compiler aborts on chlo.scan")],
        aborts_on_unbounded_dimensions: true,
        environment_without_device: &[
            // Else initialising sits in retries of the metadata server for ten minutes.
            ("TPU_SKIP_MDS_QUERY", "1"),
            // Without a chip there is nothing that processes would have to share.
            ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1"),
        ],
        ..UNKNOWN
    },
    Quirks { kind: PluginKind::Cuda, platform_name: "cuda", ffi_platform: "CUDA", ..UNKNOWN },
    Quirks { kind: PluginKind::Rocm, platform_name: "rocm", ffi_platform: "ROCM", ..UNKNOWN },
    // It compares struct sizes with `==` (aws-neuron/aws-neuron-sdk#1095), which `abi` provides for by giving every
    // plugin the sizes of its own API version.
    Quirks { kind: PluginKind::Neuron, platform_name: "neuron", ..UNKNOWN },
    UNKNOWN,
];

/// Flags A of CPU_SPEED.md: matrix products by oneDNN, as fast as PyTorch's. They belong together: the first alone runs
/// a reference kernel for some layouts.
fn cpu_overrides() -> Vec<(&'static str, OptionOverride)> {
    #[allow(unused_mut)]
    let mut overrides = vec![
        ("xla_cpu_use_onednn", OptionOverride::Bool(true)),
        ("xla_cpu_experimental_onednn_custom_call", OptionOverride::Bool(true)),
        ("xla_cpu_experimental_ynn_fusion_type", OptionOverride::String(String::new())),
    ];
    // Same file: 0 to 4 % on whole steps, 20 % on gelu, where the machine has such registers.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        overrides.push(("xla_cpu_prefer_vector_width", OptionOverride::I64(512)));
    }
    overrides
}

fn cpu_overrides_without_onednn() -> Vec<(&'static str, OptionOverride)> {
    vec![("xla_cpu_experimental_ynn_fusion_type", OptionOverride::String(String::new()))]
}

impl Quirks {
    /// The facts for a kind.
    pub fn of_kind(kind: PluginKind) -> &'static Quirks {
        ALL.iter().find(|quirks| quirks.kind == kind).unwrap_or(&ALL[ALL.len() - 1])
    }

    /// Judges by the file's name, which is all that is known before loading.
    pub fn of_file(path: &Path) -> &'static Quirks {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let kind = [
            ("libtpu", PluginKind::Tpu),
            ("neuron", PluginKind::Neuron),
            ("cuda", PluginKind::Cuda),
            ("rocm", PluginKind::Rocm),
            ("cpu", PluginKind::Cpu),
        ]
        .into_iter()
        .find(|(part, _)| name.contains(part))
        .map_or(PluginKind::Unknown, |(_, kind)| kind);
        Self::of_kind(kind)
    }

    /// These facts, or those of the platform if the file's name said nothing.
    pub(crate) fn or_of_platform(&'static self, platform_name: &str) -> &'static Quirks {
        if self.kind != PluginKind::Unknown {
            return self;
        }
        ALL.iter().find(|quirks| quirks.platform_name == platform_name.to_lowercase()).unwrap_or(self)
    }

    /// The overrides for a program to which `compile_overrides` do not apply.
    pub fn exceptional_overrides(&self, program: &str) -> Option<BTreeMap<String, OptionOverride>> {
        let (text, overrides) = self.exception?;
        program.contains(text).then(|| overrides().into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Compiler options that are worth setting, for `CompileOptions::env_option_overrides`.
    pub fn compile_overrides(&self) -> BTreeMap<String, OptionOverride> {
        (self.overrides)().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Sets the environment that loading needs on this machine.
    pub(crate) fn prepare_environment(&self) {
        let without_device = self.environment_without_device;
        let needed = !without_device.is_empty() && !discover::Machine::this().has(self.kind);
        for (name, value) in self.environment.iter().chain(if needed { without_device } else { &[] }) {
            if std::env::var_os(name).is_none() {
                // SAFETY: a data race needs another thread in getenv at this moment; there is no other way to hand
                // these settings over, and plugins are loaded early and once.
                unsafe { std::env::set_var(name, value) };
            }
        }
    }

    pub(crate) fn check_client_options(&self, options: &[(&str, OptionValue)]) -> Result<()> {
        for (name, value) in options {
            let Some(known) = self.client_options.iter().find(|option| option.name == *name) else { continue };
            let too_small = match (value, known.minimum) {
                (OptionValue::I64(number), Some(minimum)) => *number < minimum,
                _ => false,
            };
            if value.kind() != known.kind || too_small {
                let minimum = known.minimum.map(|minimum| format!(" of at least {minimum}")).unwrap_or_default();
                return Err(Error::invalid(
                    Entry::PJRT_Client_Create,
                    format!("option {name} = {value:?}, must be {:?}{minimum}", known.kind),
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn check_program(&self, entry: Entry, program: &str) -> Result<()> {
        for (text, reason) in self.fatal_program_texts {
            if program.contains(text) {
                return Err(Error::invalid(entry, *reason));
            }
        }
        if self.aborts_on_unbounded_dimensions && has_unbounded_dimension(program) {
            return Err(Error::invalid(entry, "a dimension `?` without a bound makes this compiler abort"));
        }
        Ok(())
    }
}

/// Whether some `tensor<...>` has a `?` and no bounds. Bounds stand before the first `>` of the type.
fn has_unbounded_dimension(program: &str) -> bool {
    program.split("tensor<").skip(1).any(|rest| {
        let shape = rest.split('>').next().unwrap_or_default();
        shape.contains('?') && !shape.contains("bounds")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_file_name() {
        for (file, kind) in [
            ("/a/cpu/libtpu.so", PluginKind::Tpu),
            ("/a/pjrt_c_api_cpu_plugin.so", PluginKind::Cpu),
            ("/a/xla_cuda_plugin.so", PluginKind::Cuda),
            ("/a/libneuronpjrt.so", PluginKind::Neuron),
            ("/a/other.so", PluginKind::Unknown),
        ] {
            assert_eq!(Quirks::of_file(Path::new(file)).kind, kind, "{file}");
        }
        assert_eq!(Quirks::of_kind(PluginKind::Unknown).or_of_platform("CPU").kind, PluginKind::Cpu);
    }

    #[test]
    fn bounds_make_a_dynamic_dimension_harmless() {
        assert!(has_unbounded_dimension("tensor<?x2xf32>"));
        assert!(has_unbounded_dimension("tensor<?xf32, #stablehlo.bounds<4>> tensor<2x?xf32>"));
        assert!(!has_unbounded_dimension("tensor<?xf32, #stablehlo.bounds<4>> tensor<2xf32> \"?\""));
        let tpu = Quirks::of_kind(PluginKind::Tpu);
        assert!(tpu.check_program(Entry::PJRT_Compile, "chlo.scan").is_err());
    }

    #[test]
    fn client_options_that_end_the_process_are_refused() {
        let cpu = Quirks::of_kind(PluginKind::Cpu);
        assert!(cpu.check_client_options(&[("cpu_device_count", OptionValue::I64(0))]).is_err());
        assert!(cpu.check_client_options(&[("cpu_device_count", OptionValue::String("2".into()))]).is_err());
        assert!(cpu.check_client_options(&[("asynchronous", OptionValue::I64(1))]).is_err());
        assert!(cpu.check_client_options(&[("cpu_device_count", OptionValue::I64(8))]).is_ok());
    }
}
