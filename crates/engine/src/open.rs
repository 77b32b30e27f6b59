//! Opening a session: the plugin, its client, the cache.

use std::time::SystemTime;

use diskcache::DiskCache;
use pjrt::{Client, CompileOptions, OptionValue, Plugin, PluginKind};

use crate::form::Forms;
use crate::program::Programs;
use crate::session::Session;
use crate::settings::Settings;
use crate::signature::Machine;
use crate::{Error, Result};

impl Session {
    /// Loads the plugin and opens a client on all its devices. `warn` gets what the user should know once
    /// (a cache directory that cannot be written).
    pub fn open(settings: Settings, forms: &'static Forms, warn: impl FnOnce(String)) -> Result<Self> {
        let failed = |why: pjrt::Error| Error::Client(why.to_string());
        let plugin = Plugin::load(&settings.plugin).map_err(failed)?;
        let mut options = (plugin.quirks().client_defaults)();
        // Said in any case: the plugin's own default is not one device.
        if plugin.quirks().client_options.iter().any(|option| option.name == "cpu_device_count") {
            options.push(("cpu_device_count", OptionValue::I64(i64::from(settings.cpu_devices.max(1)))));
        }
        if settings.tune_malloc && plugin.quirks().uses_process_malloc {
            pjrt::tune_process_malloc();
        }
        let host_kernels = host_kernels(&plugin, settings.host_kernel);
        let client = plugin.create_client(&options).map_err(failed)?;
        if client.addressable_devices().is_empty() {
            return Err(Error::Client(format!("the plugin {} has no device on this machine", settings.plugin.display())));
        }
        let compile_options = CompileOptions {
            compile_portable_executable: client.addressable_devices().len() > 1,
            ..client.default_compile_options().clone()
        };
        let target = match plugin.quirks().kind {
            PluginKind::Cpu => aten::Target::Cpu,
            PluginKind::Tpu => aten::Target::Tpu,
            PluginKind::Cuda | PluginKind::Rocm => aten::Target::Gpu,
            PluginKind::Neuron | PluginKind::Unknown => aten::Target::Other,
        };
        let disk = settings.cache_directory.as_ref().and_then(|directory| match DiskCache::open(directory, settings.cache_limit_bytes) {
            Ok(disk) => Some(disk),
            Err(why) => {
                warn(format!("compiled programs are not cached on disk: {why}"));
                None
            }
        });
        let identity = identity(&plugin, &client);
        let programs = Programs::new(client.clone(), compile_options, settings.program_limit, disk, identity);
        Ok(Self::new(client, programs, Machine { target, host_kernels }, forms, settings))
    }

    /// Facts for `doctor` and `get_device_properties`: (name, value).
    pub fn describe_device(&self, device: u32) -> Result<Vec<(&'static str, String)>> {
        let state = self.device(device)?;
        let (major, minor) = self.client.plugin().api_version();
        Ok(vec![
            ("kind", state.device.kind().to_owned()),
            ("description", state.device.description().to_owned()),
            ("platform", self.client.platform_name().to_owned()),
            ("platform_version", self.client.platform_version().to_owned()),
            ("plugin", self.client.plugin().path().display().to_string()),
            ("api_version", format!("{major}.{minor}")),
        ])
    }

    /// Size of the device's memory in bytes: what the plugin tells, the machine's memory where that is the device's,
    /// 0 when unknown.
    pub fn memory_limit(&self, device: u32) -> Result<u64> {
        Ok(memory_limit(&self.client, &self.device(device)?.device).unwrap_or(0))
    }

    pub fn device_count(&self) -> usize {
        self.devices.len()
    }
}

/// Lets the plugin's programs call `kernel`, where the device is the host.
fn host_kernels(plugin: &Plugin, kernel: Option<pjrt::HostKernel>) -> aten::HostKernels {
    let Some(kernel) = kernel.filter(|_| plugin.quirks().host_memory_pointers) else { return aten::HostKernels::default() };
    match plugin.register_host_kernel(aten::HOST_KERNEL_TARGET, kernel) {
        Ok(()) => aten::HostKernels { callable: true, fast_bfloat16: pjrt::host_has_bfloat16_products() },
        Err(why) => {
            tracing::info!(target: "plugin", "programs cannot call kernels of the host: {why}");
            aten::HostKernels::default()
        }
    }
}

/// Everything but the module and the compiler options that a compiled program depends on. The plugin's file is named by path, size and
/// time of change: plugins load each other's programs without complaint.
fn identity(plugin: &Plugin, client: &Client) -> Vec<(&'static str, String)> {
    let file = std::fs::metadata(plugin.path()).ok();
    let changed = file.as_ref().and_then(|f| f.modified().ok()).and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok());
    let file_name = plugin.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let devices = client.addressable_devices();
    vec![
        ("plugin", format!("{file_name} {} {:?} {:?}", file.map_or(0, |f| f.len()), changed, plugin.api_version())),
        ("platform", format!("{} {}", client.platform_name(), client.platform_version())),
        ("device", format!("{} x{}", devices.first().map_or("", |d| d.kind()), devices.len())),
        ("host", host_features()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// CPU features that code for the host may use: a cache directory may be shared between machines.
fn host_features() -> String {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = flags.lines().find(|line| line.starts_with("flags") || line.starts_with("Features")).unwrap_or_default();
    format!("{} {line}", std::env::consts::ARCH)
}

/// Bytes of memory that the device has, as the plugin tells or the machine, where that is the device's memory.
pub(crate) fn memory_limit(client: &Client, device: &pjrt::Device) -> Option<u64> {
    let told = device.memory_stats().ok().and_then(|stats| stats.bytes_limit).and_then(|limit| u64::try_from(limit).ok());
    told.or_else(|| client.quirks().host_memory_pointers.then(host_memory_bytes)).filter(|limit| *limit > 0)
}

/// The machine's memory, 0 when unknown.
fn host_memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")).and_then(|rest| rest.trim().split(' ').next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
