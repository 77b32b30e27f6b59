//! Faults as data, written to environment variables on this side and read from them by the plugin. From Python: set the
//! variables, then load `libtestkit.so` as the plugin. Rules may be added later through `testkit_fault_inject`.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pjrt::Plugin;
use pjrt::abi::Entry;

/// Makes calls of one entry point fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The entry point.
    pub entry: Entry,
    /// The call that fails, counted from 1 since the rule was made; 0: every call.
    pub call: usize,
    /// PJRT status code; 8 is RESOURCE_EXHAUSTED, 12 UNIMPLEMENTED.
    pub code: u32,
}

impl Fault {
    /// The `call`-th call answers RESOURCE_EXHAUSTED.
    pub fn exhausted(entry: Entry, call: usize) -> Self {
        Self { entry, call, code: 8 }
    }

    /// Every call answers UNIMPLEMENTED.
    pub fn unimplemented(entry: Entry) -> Self {
        Self { entry, call: 0, code: 12 }
    }

    /// `NAME:call:code`, with `PJRT_` in front of the name or without.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(':');
        let entry = entry_by_name(parts.next()?)?;
        let call = parts.next().map_or(Some(1), |part| part.parse().ok())?;
        let code = parts.next().map_or(Some(8), |part| part.parse().ok())?;
        Some(Self { entry, call, code })
    }

    fn text(&self) -> String {
        format!("{}:{}:{}", self.entry.name(), self.call, self.code)
    }
}

/// What the plugin does wrong. The default is nothing: it forwards every call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Major version to report. `TORCH_PJRT_FAULT_MAJOR`
    pub major: Option<i32>,
    /// Minor version to report. `TORCH_PJRT_FAULT_MINOR`
    pub minor: Option<i32>,
    /// Number of function pointers in the table. `TORCH_PJRT_FAULT_SLOTS`
    pub slots: Option<usize>,
    /// Refuse argument structs whose size is not exactly the one of the reported version (0.54, else the one this
    /// repository knows). `TORCH_PJRT_FAULT_STRICT_SIZES=1`
    pub strict_sizes: bool,
    /// Null pointers in the table, as a comma list of names. `TORCH_PJRT_FAULT_NULL`
    pub null_entries: Vec<Entry>,
    /// Calls that fail, as a comma list of `NAME:call:code`. `TORCH_PJRT_FAULT_FAIL`
    pub fail: Vec<Fault>,
    /// Time that each execution takes in the calling thread. `TORCH_PJRT_FAULT_SLOW_EXECUTE_MS`
    pub slow_execute: Duration,
    /// Hide all extensions. `TORCH_PJRT_FAULT_NO_EXTENSIONS=1`
    pub no_extensions: bool,
    /// Platform name to report. `TORCH_PJRT_FAULT_PLATFORM`
    pub platform: Option<String>,
}

const PREFIX: &str = "TORCH_PJRT_FAULT_";

impl Faults {
    /// An imitation of AWS's Trainium plugin. From public issues: it compares struct sizes with `==`
    /// (aws-neuron/aws-neuron-sdk#1095) and answers UNIMPLEMENTED to the device assignment, uninitialized buffers and
    /// asynchronous transfers (#1321, #1302, zml/zml#371). API 0.54 is the oldest that it was published with
    /// (release notes of libneuronxla 2.0). That it has no extensions, addresses, accounts of memory or topology is
    /// the worst case, not a known fact. `TORCH_PJRT_FAULT_PRESET=trainium`
    pub fn trainium() -> Self {
        use Entry as E;
        Self {
            minor: Some(54),
            slots: Some(SLOTS_0_54),
            strict_sizes: true,
            no_extensions: true,
            platform: Some("neuron".to_owned()),
            fail: [
                E::PJRT_Device_MemoryStats,
                E::PJRT_Buffer_UnsafePointer,
                E::PJRT_Buffer_IncreaseExternalReferenceCount,
                E::PJRT_Executable_GetCostAnalysis,
                E::PJRT_Executable_GetCompiledMemoryStats,
                E::PJRT_Executable_OptimizedProgram,
                E::PJRT_Executable_Fingerprint,
                E::PJRT_Executable_SizeOfGeneratedCodeInBytes,
                E::PJRT_Client_TopologyDescription,
                E::PJRT_TopologyDescription_Create,
                E::PJRT_Compile,
            ]
            .into_iter()
            .map(Fault::unimplemented)
            .collect(),
            ..Self::default()
        }
    }

    /// Reads the environment. Parts that cannot be read are left out.
    pub(crate) fn from_environment() -> Self {
        let variable = |name: &str| std::env::var(format!("{PREFIX}{name}")).ok();
        let number = |name: &str| variable(name).and_then(|text| text.parse::<usize>().ok());
        let list = |name: &str| variable(name).unwrap_or_default();
        let mut faults = match variable("PRESET").as_deref() {
            Some("trainium") => Self::trainium(),
            _ => Self::default(),
        };
        faults.major = number("MAJOR").map(|major| major as i32).or(faults.major);
        faults.minor = number("MINOR").map(|minor| minor as i32).or(faults.minor);
        faults.slots = number("SLOTS").or(faults.slots);
        faults.strict_sizes |= number("STRICT_SIZES") == Some(1);
        faults.no_extensions |= number("NO_EXTENSIONS") == Some(1);
        faults.platform = variable("PLATFORM").or(faults.platform);
        faults.null_entries.extend(list("NULL").split(',').filter_map(entry_by_name));
        faults.fail.extend(list("FAIL").split(',').filter_map(Fault::parse));
        if let Some(milliseconds) = number("SLOW_EXECUTE_MS") {
            faults.slow_execute = Duration::from_millis(milliseconds as u64);
        }
        faults
    }

    /// The environment that makes the plugin behave so around the plugin at `real`. `None`: the variable is unset.
    pub fn environment(&self, real: &Path) -> Vec<(String, Option<String>)> {
        let flag = |flag: bool| flag.then(|| "1".to_owned());
        let list = |items: Vec<String>| (!items.is_empty()).then(|| items.join(","));
        let milliseconds = self.slow_execute.as_millis();
        [
            ("REAL", Some(real.display().to_string())),
            ("PRESET", None),
            ("MAJOR", self.major.map(|major| major.to_string())),
            ("MINOR", self.minor.map(|minor| minor.to_string())),
            ("SLOTS", self.slots.map(|slots| slots.to_string())),
            ("STRICT_SIZES", flag(self.strict_sizes)),
            ("NULL", list(self.null_entries.iter().map(|entry| entry.name().to_owned()).collect())),
            ("FAIL", list(self.fail.iter().map(Fault::text).collect())),
            ("SLOW_EXECUTE_MS", (milliseconds > 0).then(|| milliseconds.to_string())),
            ("NO_EXTENSIONS", flag(self.no_extensions)),
            ("PLATFORM", self.platform.clone()),
        ]
        .into_iter()
        .map(|(name, value)| (format!("{PREFIX}{name}"), value))
        .collect()
    }

    /// Loads a fresh fault plugin around the CPU plugin. Each call gives a plugin of its own, with its own state.
    ///
    /// # Errors
    /// As `Plugin::load`; that is what tests of wrong versions look at.
    ///
    /// # Panics
    /// If the fault plugin's library cannot be found or copied.
    pub fn load(&self) -> pjrt::Result<FaultyPlugin> {
        // The environment belongs to the process, so loads go one after the other.
        static ENVIRONMENT: parking_lot::Mutex<()> = parking_lot::Mutex::new(());
        // A copy is another library for the dynamic linker, with its own statics.
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libtestkit_faults.so");
        std::fs::copy(fault_library(), &library).unwrap();
        let environment = self.environment(&crate::session::cpu_plugin_path());
        let guard = ENVIRONMENT.lock();
        for (name, value) in &environment {
            // SAFETY: the lock keeps other loads away; nothing else in the tests reads these variables.
            unsafe {
                match value {
                    Some(value) => std::env::set_var(name, value),
                    None => std::env::remove_var(name),
                }
            }
        }
        let plugin = Plugin::load(&library);
        drop(guard);
        Ok(FaultyPlugin { plugin: plugin?, library, _folder: folder })
    }
}

/// A loaded fault plugin. Its library file lives as long as this value.
pub struct FaultyPlugin {
    /// The plugin, as any other.
    pub plugin: Plugin,
    library: PathBuf,
    _folder: tempfile::TempDir,
}

impl FaultyPlugin {
    /// Adds a rule to the running plugin.
    ///
    /// # Panics
    /// If the library is not the fault plugin.
    pub fn inject(&self, fault: Fault) {
        let text = CString::new(fault.text()).unwrap();
        // SAFETY: the library is loaded already; this only adds a reference.
        let library = unsafe { libloading::Library::new(&self.library) }.unwrap();
        // SAFETY: the function is exported below with this signature.
        let accepted = unsafe {
            let inject: libloading::Symbol<unsafe extern "C" fn(*const c_char) -> c_int> = library.get(b"testkit_fault_inject\0").unwrap();
            inject(text.as_ptr())
        };
        assert_eq!(accepted, 1, "{fault:?}");
    }
}

/// Adds a rule `NAME:call:code` to the running plugin. Returns 1, or 0 if the text is no rule.
///
/// # Safety
/// `rule` must be a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn testkit_fault_inject(rule: *const c_char) -> c_int {
    if rule.is_null() {
        return 0;
    }
    // SAFETY: passed on.
    let text = unsafe { CStr::from_ptr(rule) }.to_string_lossy();
    match Fault::parse(&text) {
        Some(fault) => c_int::from(crate::plugin::add_fault(fault)),
        None => 0,
    }
}

/// The shared library of this crate, beside the running test program.
///
/// # Panics
/// If cargo has not built it.
pub fn fault_library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let name = "libtestkit.so";
    program
        .ancestors()
        .skip(1)
        .take(3)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("no {name} beside {}: build the crate testkit", program.display()))
}

fn entry_by_name(name: &str) -> Option<Entry> {
    let name = name.trim();
    Entry::ALL.iter().copied().find(|entry| entry.name() == name || entry.name().strip_prefix("PJRT_") == Some(name))
}

/// Function pointers in the table of API 0.54.
const SLOTS_0_54: usize = 96;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_with_and_without_prefix() {
        let expected = Fault { entry: Entry::PJRT_Client_Compile, call: 2, code: 8 };
        assert_eq!(Fault::parse("PJRT_Client_Compile:2:8"), Some(expected));
        assert_eq!(Fault::parse(" Client_Compile:2"), Some(expected));
        assert_eq!(Fault::parse("Nonsense:2"), None);
        assert_eq!(Fault::parse(&expected.text()), Some(expected));
    }
}
