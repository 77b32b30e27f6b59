//! What the user chose: read once from the TORCH_PJRT_* settings when the client opens.

use std::path::PathBuf;

/// When recorded calls run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Each call is launched at once.
    Strict = 0,
    /// Strict, and each launch is awaited, so that an error points at its line.
    Debug = 1,
    /// Calls accumulate into windows.
    Fused = 2,
}

impl Mode {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "strict" => Some(Self::Strict),
            "debug" => Some(Self::Debug),
            "fused" => Some(Self::Fused),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Debug => "debug",
            Self::Fused => "fused",
        }
    }

    pub(crate) fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::Debug,
            2 => Self::Fused,
            _ => Self::Strict,
        }
    }
}

pub use stablehlo::Precision;

#[derive(Debug, Clone)]
pub struct Settings {
    /// The plugin's shared library.
    pub plugin: PathBuf,
    pub mode: Mode,
    /// Directory of the disk cache; `None` turns it off.
    pub cache_directory: Option<PathBuf>,
    /// Size at which the disk cache evicts, in bytes.
    pub cache_limit_bytes: u64,
    /// Most programs kept loaded; the least recently used are unloaded.
    pub program_limit: usize,
    /// Tune the process's malloc where the plugin allocates from it.
    pub tune_malloc: bool,
    /// Calls ATen's own CPU kernels for programs, where the plugin's device is the host; `None` turns them off.
    pub host_kernel: Option<pjrt::HostKernel>,
    /// Number of devices to ask a CPU plugin for.
    pub cpu_devices: u32,
    /// Finds the line of the user's program that makes a call.
    pub find_call_site: crate::FindCallSite,
}
