//! Finds the plugin file for `auto`, a kind's name, or a path. Looks at the PCI devices of the machine and at python
//! site-package directories that the caller names; runs no code of a plugin.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::quirks::PluginKind;

/// Resolves `auto`, `tpu`, `cpu`, `cuda`, `rocm`, `neuron` or a path to a plugin file.
///
/// # Errors
/// [`Error::Discovery`], which lists the places looked at and names the package to install.
pub fn discover(request: &str, site_packages: &[PathBuf]) -> Result<PathBuf> {
    discover_on(Machine::this(), request, site_packages)
}

/// [`discover`] for a given machine.
///
/// # Errors
/// As [`discover`].
pub fn discover_on(machine: Machine, request: &str, site_packages: &[PathBuf]) -> Result<PathBuf> {
    let mut looked_at = Vec::new();
    let kinds: Vec<&Source> = match request {
        "auto" => SOURCES
            .iter()
            .filter(|source| {
                let present = machine.has(source.kind);
                if !present {
                    looked_at.push(format!("{}: no such device on this machine", source.name));
                }
                present
            })
            .collect(),
        name => match SOURCES.iter().find(|source| source.name == name) {
            Some(source) => vec![source],
            None => return path_given(request),
        },
    };
    for source in &kinds {
        if let Some(path) = source.find(site_packages, &mut looked_at) {
            return Ok(path);
        }
    }
    let mut message = String::from("looked for\n");
    for place in &looked_at {
        // Writing to a String does not fail.
        let _ = writeln!(message, "  {place}");
    }
    let packages: Vec<&str> = kinds.iter().map(|source| source.install).collect();
    let _ = write!(message, "Install it with: {}", packages.join(", or: "));
    Err(Error::Discovery { request: request.to_owned(), message })
}

fn path_given(request: &str) -> Result<PathBuf> {
    let path = PathBuf::from(request);
    if path.is_file() {
        return Ok(path);
    }
    let names: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
    Err(Error::Discovery { request: request.to_owned(), message: format!("it is neither a file nor one of auto, {}", names.join(", ")) })
}

/// Where the plugin of one kind comes from.
struct Source {
    kind: PluginKind,
    name: &'static str,
    /// Files below a site-packages directory; `*` stands for any part of one folder's name.
    package_files: &'static [&'static str],
    /// An environment variable with the path.
    variable: Option<&'static str>,
    /// Places outside of python.
    system_files: &'static [&'static str],
    install: &'static str,
}

/// In the order in which `auto` tries them.
const SOURCES: &[Source] = &[
    Source {
        kind: PluginKind::Tpu,
        name: "tpu",
        package_files: &["libtpu/libtpu.so"],
        variable: Some("TPU_LIBRARY_PATH"),
        system_files: &["/lib/libtpu.so", "/usr/lib/libtpu.so"],
        install: "pip install libtpu",
    },
    Source {
        kind: PluginKind::Neuron,
        name: "neuron",
        package_files: &["libneuronxla/libneuronpjrt.so"],
        variable: Some("NEURON_LIBRARY_PATH"),
        system_files: &["/opt/aws/neuron/lib/libneuronpjrt.so"],
        install: "pip install libneuronxla --extra-index-url https://pip.repos.neuron.amazonaws.com",
    },
    Source {
        kind: PluginKind::Cuda,
        name: "cuda",
        package_files: &["jax_plugins/xla_cuda*/xla_cuda_plugin.so"],
        variable: None,
        system_files: &[],
        install: "pip install jax-cuda13-pjrt (or jax-cuda12-pjrt)",
    },
    Source {
        kind: PluginKind::Rocm,
        name: "rocm",
        package_files: &["jax_plugins/xla_rocm*/xla_rocm_plugin.so"],
        variable: None,
        system_files: &[],
        install: "pip install jax-rocm7-pjrt",
    },
    Source {
        kind: PluginKind::Cpu,
        name: "cpu",
        package_files: &["lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", "fastatomstruct_xla_cpu/libpjrt_cpu.so"],
        variable: None,
        system_files: &[],
        install: "pip install --no-deps lammps-jax-pjrt-cpu",
    },
];

impl Source {
    fn find(&self, site_packages: &[PathBuf], looked_at: &mut Vec<String>) -> Option<PathBuf> {
        if let Some(path) = self.variable.and_then(std::env::var_os).map(PathBuf::from) {
            if path.is_file() {
                return Some(path);
            }
            looked_at.push(format!("{}: {} ({})", self.name, path.display(), self.variable.unwrap_or_default()));
        }
        for pattern in self.package_files {
            for directory in site_packages {
                if let Some(path) = newest_match(directory, pattern) {
                    return Some(path);
                }
                looked_at.push(format!("{}: {}", self.name, directory.join(pattern).display()));
            }
        }
        for path in self.system_files {
            if Path::new(path).is_file() {
                return Some(PathBuf::from(path));
            }
            looked_at.push(format!("{}: {path}", self.name));
        }
        None
    }
}

/// The file below `directory` that fits; of several, the last by name, which is the newest CUDA or ROCm version.
fn newest_match(directory: &Path, pattern: &str) -> Option<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return Some(directory.join(pattern)).filter(|path| path.is_file());
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let after = after.trim_start_matches('/');
    let mut found: Vec<PathBuf> = std::fs::read_dir(directory.join(parent))
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path().join(after))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.pop()
}

/// Which accelerators a machine has.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// Folder with one subfolder per PCI device.
    pub pci_devices: &'a Path,
    /// Folder of device nodes.
    pub device_nodes: &'a Path,
}

impl Machine<'static> {
    /// The machine this process runs on.
    pub fn this() -> Self {
        Machine { pci_devices: Path::new("/sys/bus/pci/devices"), device_nodes: Path::new("/dev") }
    }
}

/// A PCI function's identity, as sysfs shows it.
struct PciDevice {
    vendor: u32,
    device: u32,
    class: u32,
}

impl Machine<'_> {
    /// Whether it has a device of this kind. Every machine has a CPU.
    pub fn has(&self, kind: PluginKind) -> bool {
        match kind {
            PluginKind::Cpu => true,
            // Google's virtual disks (class 01) and network cards (class 02) have the same vendor number.
            PluginKind::Tpu => self.pci(|pci| pci.vendor == 0x1ae0 && !matches!(pci.class >> 16, 0x01 | 0x02)),
            // Inferentia and Trainium are 0x7064, 0x7164, 0x7264, ...; Amazon's disks and network cards are not.
            PluginKind::Neuron => self.pci(|pci| pci.vendor == 0x1d0f && pci.device & 0xf0ff == 0x7064),
            // A card without its driver is of no use, hence the device nodes.
            PluginKind::Cuda => self.device_nodes.join("nvidiactl").exists(),
            PluginKind::Rocm => self.device_nodes.join("kfd").exists(),
            PluginKind::Unknown => false,
        }
    }

    /// Number of PCI functions of this kind: chips for TPU and Trainium.
    pub fn count(&self, kind: PluginKind) -> usize {
        self.pci_list()
            .filter(|pci| match kind {
                PluginKind::Tpu => pci.vendor == 0x1ae0 && !matches!(pci.class >> 16, 0x01 | 0x02),
                PluginKind::Neuron => pci.vendor == 0x1d0f && pci.device & 0xf0ff == 0x7064,
                _ => false,
            })
            .count()
    }

    fn pci(&self, wanted: impl Fn(&PciDevice) -> bool) -> bool {
        self.pci_list().any(|pci| wanted(&pci))
    }

    fn pci_list(&self) -> impl Iterator<Item = PciDevice> {
        let number = |folder: &Path, name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).ok()?;
            u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
        };
        std::fs::read_dir(self.pci_devices).into_iter().flatten().flatten().filter_map(move |entry| {
            let folder = entry.path();
            Some(PciDevice { vendor: number(&folder, "vendor")?, device: number(&folder, "device")?, class: number(&folder, "class")? })
        })
    }
}
