//! Discovery on made-up machines and site-packages.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use pjrt::discover::{Machine, discover_on};
use pjrt::{Error, PluginKind};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pci", "dev", "site"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn pci(&self, vendor: &str, device: &str, class: &str) {
        let count = std::fs::read_dir(self.path("pci")).unwrap().count();
        let function = self.path("pci").join(count.to_string());
        std::fs::create_dir(&function).unwrap();
        for (name, value) in [("vendor", vendor), ("device", device), ("class", class)] {
            std::fs::write(function.join(name), format!("{value}\n")).unwrap();
        }
    }

    fn file(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn discover(&self, request: &str) -> Result<PathBuf, Error> {
        let (pci, dev) = (self.path("pci"), self.path("dev"));
        discover_on(Machine { pci_devices: &pci, device_nodes: &dev }, request, &[self.path("site")])
    }
}

#[test]
fn auto_takes_the_cpu_plugin_where_there_is_no_accelerator() {
    let place = Place::new();
    // Google's and Amazon's network cards and disks are no accelerators.
    place.pci("0x1ae0", "0x0042", "0x020000");
    place.pci("0x1ae0", "0x001f", "0x010802");
    place.pci("0x1d0f", "0xec20", "0x020000");
    place.file("site/libtpu/libtpu.so");
    let cpu = place.file("site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
    assert_eq!(place.discover("auto").unwrap(), cpu);
}

#[test]
fn auto_takes_the_accelerator_that_is_there() {
    let place = Place::new();
    place.file("site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
    place.file("dev/nvidiactl");
    place.file("site/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    let cuda = place.file("site/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
    assert_eq!(place.discover("auto").unwrap(), cuda);

    place.pci("0x1d0f", "0x7364", "0x088000");
    let neuron = place.file("site/libneuronxla/libneuronpjrt.so");
    assert_eq!(place.discover("auto").unwrap(), neuron);

    place.pci("0x1ae0", "0x006f", "0x120000");
    // Without its package the chip is of no use.
    assert_eq!(place.discover("auto").unwrap(), neuron);
    let tpu = place.file("site/libtpu/libtpu.so");
    assert_eq!(place.discover("auto").unwrap(), tpu);
    assert_eq!(place.discover("neuron").unwrap(), neuron);

    let (pci, dev) = (place.path("pci"), place.path("dev"));
    let machine = Machine { pci_devices: &pci, device_nodes: &dev };
    assert_eq!(machine.count(PluginKind::Tpu), 1);
    assert!(!machine.has(PluginKind::Rocm));
}

#[test]
fn the_second_cpu_package_is_found_too() {
    let place = Place::new();
    let cpu = place.file("site/fastatomstruct_xla_cpu/libpjrt_cpu.so");
    assert_eq!(place.discover("cpu").unwrap(), cpu);
}

#[test]
fn a_failure_lists_the_places_and_what_to_install() {
    let place = Place::new();
    let text = place.discover("auto").unwrap_err().to_string();
    for part in ["tpu: no such device", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", "pip install --no-deps lammps-jax-pjrt-cpu"] {
        assert!(text.contains(part), "{text}");
    }
    let text = place.discover("cuda").unwrap_err().to_string();
    assert!(text.contains("xla_cuda*") && text.contains("jax-cuda13-pjrt"), "{text}");
    let text = place.discover("tpux").unwrap_err().to_string();
    assert!(text.contains("neither a file nor one of auto, tpu"), "{text}");
}

#[test]
fn a_path_is_taken_as_it_is() {
    let place = Place::new();
    let file = place.file("plugin.so");
    assert_eq!(place.discover(file.to_str().unwrap()).unwrap(), file);
    assert!(place.discover(Path::new("/nowhere.so").to_str().unwrap()).is_err());
}
