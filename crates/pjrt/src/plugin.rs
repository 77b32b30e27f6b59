//! A loaded plugin: from a file path to a checked API table. Plugins are never unloaded, because they keep threads and
//! registrations for the life of the process.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use parking_lot::Mutex;

use crate::abi::{self, PJRT_Api_Header};
use crate::api::{Api, call};
use crate::client::Client;
use crate::compile_options::CompileOptions;
use crate::error::{Error, Result};
use crate::executable::CompiledProgram;
use crate::fork::ProcessMark;
use crate::option_value::{self, OptionValue};
use crate::quirks::Quirks;
use crate::topology::Topology;

/// `dlfcn.h` of Linux; 0 (no effect) elsewhere.
const RTLD_DEEPBIND: i32 = if cfg!(target_os = "linux") { 0x8 } else { 0 };

/// A loaded plugin. Cloning is one reference count.
///
/// Send + Sync: everything in it is immutable after loading, and the API table is thread safe.
#[derive(Clone)]
pub struct Plugin {
    inner: Arc<PluginInner>,
}

struct PluginInner {
    api: Api,
    extensions: Vec<ExtensionType>,
    quirks: &'static Quirks,
    /// Process and fork generation in which the plugin started threads: by its first client or topology.
    started_in: OnceLock<ProcessMark>,
}

impl Plugin {
    /// Loads the shared library, checks its API version and initialises it. Loading a path again gives the same plugin.
    ///
    /// # Errors
    /// [`Error::Load`] if the file is no shared library or cannot be linked, [`Error::NotAPlugin`] without `GetPjrtApi`,
    /// [`Error::Version`] if its API is not ours, [`Error::Unimplemented`] if it lacks an indispensable entry point,
    /// [`Error::Plugin`] if it fails to initialise.
    pub fn load(path: &Path) -> Result<Plugin> {
        // Held while loading: a plugin must be initialised once, and two threads must not both do it.
        static LOADED: Mutex<Option<HashMap<PathBuf, Plugin>>> = Mutex::new(None);
        let path = path.canonicalize().map_err(|error| Error::Load { path: path.to_owned(), message: error.to_string() })?;
        let mut loaded = LOADED.lock();
        let loaded = loaded.get_or_insert_default();
        if let Some(plugin) = loaded.get(&path) {
            return Ok(plugin.clone());
        }
        let plugin = Self::load_new(&path)?;
        loaded.insert(path, plugin.clone());
        Ok(plugin)
    }

    fn load_new(path: &Path) -> Result<Plugin> {
        let quirks = Quirks::of_file(path);
        quirks.prepare_environment();
        crate::fork::watch();
        // Local and deep-bound: a plugin brings its own LLVM, protobuf, absl and oneDNN, which must not meet those of
        // torch. The CPU plugin's oneDNN else ends up in torch's and throws through the C API.
        // SAFETY: this runs the library's initialisers, which is what the caller asks for.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) }
            .map_err(|error| Error::Load { path: path.to_owned(), message: describe(&error) })?;
        let table = {
            // SAFETY: the C API defines the symbol with this signature.
            let get_api: Symbol<unsafe extern "C" fn() -> *mut PJRT_Api_Header> = unsafe { library.get(b"GetPjrtApi\0") }
                .map_err(|_| Error::NotAPlugin { path: path.to_owned(), message: "it does not export GetPjrtApi".to_owned() })?;
            // SAFETY: as above.
            unsafe { get_api() }
        };
        // Never unloaded, also when the checks below fail: its threads may be running by now.
        std::mem::forget(library);
        let table = NonNull::new(table)
            .ok_or_else(|| Error::NotAPlugin { path: path.to_owned(), message: "GetPjrtApi returned null".to_owned() })?;
        // SAFETY: the table comes from GetPjrtApi, and the library stays loaded.
        let api = unsafe { Api::new(table, path) }?;
        // SAFETY: no pointers are passed.
        match unsafe { call!(api, PJRT_Plugin_Initialize_Args {}) } {
            Ok(_) => {}
            // Plugins with nothing to initialise leave the entry out.
            Err(Error::Unimplemented { .. }) => {}
            Err(error) => return Err(error),
        }
        let extensions = api
            .extensions()
            .into_iter()
            // SAFETY: the heads are static data of the plugin.
            .map(|head| ExtensionType::from_raw(unsafe { head.as_ref() }.extension_type))
            .collect();
        let plugin = Plugin { inner: Arc::new(PluginInner { api, extensions, quirks, started_in: OnceLock::new() }) };
        tracing::debug!(
            path = %path.display(),
            version = ?plugin.api_version(),
            extensions = ?plugin.extensions(),
            "loaded a PJRT plugin"
        );
        Ok(plugin)
    }

    /// The plugin's file.
    pub fn path(&self) -> &Path {
        self.inner.api.path()
    }

    /// Major and minor version of the PJRT API that the plugin was built with.
    pub fn api_version(&self) -> (i32, i32) {
        self.inner.api.version()
    }

    /// The extensions it offers.
    pub fn extensions(&self) -> &[ExtensionType] {
        &self.inner.extensions
    }

    /// Whether it has this entry point.
    pub fn provides(&self, entry: abi::Entry) -> bool {
        self.inner.api.provides(entry)
    }

    /// What the plugin says about itself, for example `stablehlo_current_version`. Empty if it says nothing.
    pub fn attributes(&self) -> Vec<(String, OptionValue)> {
        // SAFETY: no pointers are passed; the attributes live as long as the process.
        unsafe {
            call!(self.api(), PJRT_Plugin_Attributes_Args {})
                .map(|args| option_value::from_named_values(args.attributes, args.num_attributes))
                .unwrap_or_default()
        }
    }

    /// What is special about this kind of plugin.
    pub fn quirks(&self) -> &'static Quirks {
        self.inner.quirks
    }

    /// Opens the plugin's devices.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an option that is known to end the process, [`Error::Plugin`] if there is no
    /// device, another process holds it, or an option is refused.
    pub fn create_client(&self, options: &[(&str, OptionValue)]) -> Result<Client> {
        Client::create(self, options)
    }

    /// A topology by name, for compiling without devices. TPU names are `v6e:2x2` and the like.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin cannot, [`Error::Plugin`] if the name or an option is refused.
    pub fn topology(&self, name: &str, options: &[(&str, OptionValue)]) -> Result<Topology> {
        Topology::create(self, name, options)
    }

    /// Compiles StableHLO text for a topology. No device is needed; the result can be serialized and examined.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options that would end the process, [`Error::Plugin`] if compiling fails.
    pub fn compile_ahead_of_time(&self, topology: &Topology, program: &str, options: &CompileOptions) -> Result<CompiledProgram> {
        CompiledProgram::compile_ahead_of_time(self, topology, program, options)
    }

    /// Makes `handler` the target of `stablehlo.custom_call @target_name` with `api_version = 4`. `platform` is `Host`
    /// for the CPU. `traits`: bit 0 is "may be recorded in a command buffer".
    ///
    /// # Errors
    /// [`Error::Unimplemented`] without the FFI extension, [`Error::Plugin`] if the plugin refuses.
    ///
    /// # Safety
    /// `handler` must be an `XLA_FFI_Handler` that answers the metadata call, never unwinds, and stays valid until the
    /// process ends.
    pub unsafe fn register_ffi_handler(&self, target_name: &str, platform: &str, handler: *const c_void, traits: u32) -> Result<()> {
        // SAFETY: passed on.
        unsafe { crate::ffi::register_handler(self.api(), target_name, platform, handler, traits) }
    }

    pub(crate) fn api(&self) -> &Api {
        &self.inner.api
    }

    /// To be called before the plugin starts threads. Refuses if it did so before a fork: those threads are missing
    /// here, and a new client would wait for them.
    pub(crate) fn start(&self) -> Result<ProcessMark> {
        let mark = *self.inner.started_in.get_or_init(ProcessMark::here);
        mark.check().map(|()| mark)
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.api_version();
        write!(formatter, "Plugin({}, API {major}.{minor})", self.path().display())
    }
}

/// `dlerror` is in the source of libloading's error.
fn describe(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Kind of an extension of the C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ExtensionType {
    GpuCustomCall,
    Profiler,
    CustomPartitioner,
    Stream,
    Layouts,
    Ffi,
    MemoryDescriptions,
    Triton,
    RawBuffer,
    PhaseCompile,
    Example,
    Unknown,
    CrossHostTransfers,
    ExecutableMetadata,
    Callback,
    HostAllocator,
    TpuTopology,
    TpuExecutable,
    Megascale,
    Shardings,
    AbiVersion,
    Collectives,
    MultiSlice,
    HostMemoryAllocator,
    XlaTransform,
    /// Newer than this build.
    Other(u32),
}

impl ExtensionType {
    fn from_raw(raw: u32) -> Self {
        const BY_NUMBER: [ExtensionType; 25] = [
            ExtensionType::GpuCustomCall,
            ExtensionType::Profiler,
            ExtensionType::CustomPartitioner,
            ExtensionType::Stream,
            ExtensionType::Layouts,
            ExtensionType::Ffi,
            ExtensionType::MemoryDescriptions,
            ExtensionType::Triton,
            ExtensionType::RawBuffer,
            ExtensionType::PhaseCompile,
            ExtensionType::Example,
            ExtensionType::Unknown,
            ExtensionType::CrossHostTransfers,
            ExtensionType::ExecutableMetadata,
            ExtensionType::Callback,
            ExtensionType::HostAllocator,
            ExtensionType::TpuTopology,
            ExtensionType::TpuExecutable,
            ExtensionType::Megascale,
            ExtensionType::Shardings,
            ExtensionType::AbiVersion,
            ExtensionType::Collectives,
            ExtensionType::MultiSlice,
            ExtensionType::HostMemoryAllocator,
            ExtensionType::XlaTransform,
        ];
        BY_NUMBER.get(raw as usize).copied().unwrap_or(Self::Other(raw))
    }
}
