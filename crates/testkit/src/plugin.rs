//! The fault-injecting plugin: a copy of the real plugin's API table in which every pointer leads through `intercept`.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use parking_lot::Mutex;
use pjrt::abi::{self, Entry, PJRT_Api_Header, PJRT_Error};

use crate::faults::{Fault, Faults};

type Function = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

const SLOTS: usize = Entry::ALL.len();

/// The table that callers see.
#[repr(C)]
struct Table {
    header: PJRT_Api_Header,
    functions: [Option<Function>; SLOTS],
}

struct State {
    table: Table,
    real: [Option<Function>; SLOTS],
    faults: Faults,
    rules: Mutex<Vec<Rule>>,
    /// Errors made here, by address. The real plugin must not see them.
    errors: Mutex<HashMap<usize, Box<FakeError>>>,
    /// What the reported version says `struct_size` must be; 0: not known.
    strict_sizes: [usize; SLOTS],
    strict_execute_options: usize,
    /// What this repository's structs are; a shorter struct is lengthened for the real plugin.
    full_sizes: [usize; SLOTS],
}

// SAFETY: the table is immutable after it was made, everything else is locked.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

struct Rule {
    fault: Fault,
    calls: AtomicUsize,
}

struct FakeError {
    code: u32,
    message: String,
}

static STATE: OnceLock<Option<State>> = OnceLock::new();

/// The entry point of the C API. Null if `TORCH_PJRT_FAULT_REAL` names no plugin.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const PJRT_Api_Header {
    match STATE.get_or_init(State::new) {
        Some(state) => &raw const state.table.header,
        None => std::ptr::null(),
    }
}

/// Adds a rule while running; false if this copy of the library is not in use as a plugin.
pub(crate) fn add_fault(fault: Fault) -> bool {
    let Some(Some(state)) = STATE.get() else { return false };
    state.rules.lock().push(Rule { fault, calls: AtomicUsize::new(0) });
    true
}

impl State {
    fn new() -> Option<Self> {
        let path = PathBuf::from(std::env::var_os("TORCH_PJRT_FAULT_REAL")?);
        // SAFETY: loading the real plugin is what the variable asks for.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.ok()?;
        // SAFETY: the C API gives the symbol this signature.
        let real_table = unsafe {
            let get_api: Symbol<unsafe extern "C" fn() -> *const PJRT_Api_Header> = library.get(b"GetPjrtApi\0").ok()?;
            get_api()
        };
        std::mem::forget(library);
        // SAFETY: every table starts with this header.
        let real_header = unsafe { real_table.as_ref() }?;
        let faults = Faults::from_environment();

        let real: [Option<Function>; SLOTS] = std::array::from_fn(|slot| {
            let offset = Entry::ALL[slot].offset();
            let inside = offset + size_of::<usize>() <= real_header.struct_size;
            // SAFETY: the offset is inside the table, whose slots are nullable function pointers.
            inside.then(|| unsafe { real_table.byte_add(offset).cast::<Option<Function>>().read() }).flatten()
        });
        let mut header = *real_header;
        if let Some(major) = faults.major {
            header.version.major_version = major;
        }
        if let Some(minor) = faults.minor {
            header.version.minor_version = minor;
        }
        if faults.no_extensions {
            header.extension_start = std::ptr::null_mut();
        }
        let slots = faults.slots.unwrap_or(SLOTS).min(SLOTS);
        header.struct_size = (abi::TABLE_OFFSET + slots * size_of::<usize>()).min(real_header.struct_size);
        let functions = std::array::from_fn(|slot| {
            let hidden = slot >= slots || faults.null_entries.contains(&Entry::ALL[slot]);
            (real[slot].is_some() && !hidden).then(|| INTERCEPTORS[slot])
        });

        let full: HashMap<&str, usize> = abi::layouts().iter().map(|layout| (layout.name, layout.struct_size)).collect();
        let of_0_54: HashMap<&str, usize> =
            include_str!("sizes_0_54.txt").lines().filter_map(|line| line.split_once(' ')).filter_map(parse_size).collect();
        let strict = if header.version.minor_version == 54 { &of_0_54 } else { &full };
        let sizes = |table: &HashMap<&str, usize>| {
            std::array::from_fn(|slot| {
                let name = format!("{}_Args", Entry::ALL[slot].name());
                table.get(name.as_str()).copied().unwrap_or(0)
            })
        };
        Some(Self {
            table: Table { header, functions },
            real,
            rules: Mutex::new(faults.fail.iter().map(|&fault| Rule { fault, calls: AtomicUsize::new(0) }).collect()),
            errors: Mutex::new(HashMap::new()),
            strict_sizes: sizes(strict),
            strict_execute_options: strict.get("PJRT_ExecuteOptions").copied().unwrap_or(0),
            full_sizes: sizes(&full),
            faults,
        })
    }

    /// # Safety
    /// `args` must be the argument struct of the entry point.
    unsafe fn call(&self, entry: Entry, args: *mut c_void) -> *mut PJRT_Error {
        // SAFETY: these three take the structs that the branches name.
        unsafe {
            match entry {
                Entry::PJRT_Error_Destroy => {
                    let args = &*args.cast::<abi::PJRT_Error_Destroy_Args>();
                    if self.errors.lock().remove(&args.error.addr()).is_some() {
                        return std::ptr::null_mut();
                    }
                }
                Entry::PJRT_Error_Message => {
                    let args = &mut *args.cast::<abi::PJRT_Error_Message_Args>();
                    if let Some(error) = self.errors.lock().get(&args.error.addr()) {
                        args.message = error.message.as_ptr().cast();
                        args.message_size = error.message.len();
                        return std::ptr::null_mut();
                    }
                }
                Entry::PJRT_Error_GetCode => {
                    let args = &mut *args.cast::<abi::PJRT_Error_GetCode_Args>();
                    if let Some(error) = self.errors.lock().get(&args.error.addr()) {
                        args.code = error.code;
                        return std::ptr::null_mut();
                    }
                }
                _ => {}
            }
        }
        // SAFETY: passed on.
        if let Some(error) = unsafe { self.wrong_size(entry, args) } {
            return error;
        }
        if let Some(error) = self.injected(entry) {
            return error;
        }
        if entry == Entry::PJRT_LoadedExecutable_Execute && !self.faults.slow_execute.is_zero() {
            std::thread::sleep(self.faults.slow_execute);
        }
        // SAFETY: passed on.
        let error = unsafe { self.forward(entry, args) };
        if let Some(platform) = &self.faults.platform
            && entry == Entry::PJRT_Client_PlatformName
        {
            // SAFETY: the entry point takes this struct; the name lives as long as the plugin.
            let args = unsafe { &mut *args.cast::<abi::PJRT_Client_PlatformName_Args>() };
            args.platform_name = platform.as_ptr().cast();
            args.platform_name_size = platform.len();
        }
        error
    }

    /// # Safety
    /// As [`State::call`].
    unsafe fn wrong_size(&self, entry: Entry, args: *mut c_void) -> Option<*mut PJRT_Error> {
        if !self.faults.strict_sizes {
            return None;
        }
        // SAFETY: every argument struct starts with its size.
        let given = unsafe { args.cast::<usize>().read() };
        let expected = self.strict_sizes[entry as usize];
        if expected != 0 && given != expected {
            return Some(self.error(3, format!("{} args: size {given}, expected {expected}", entry.name())));
        }
        if entry == Entry::PJRT_LoadedExecutable_Execute {
            // SAFETY: the entry point takes this struct; options must not be null.
            let given = unsafe { (*(*args.cast::<abi::PJRT_LoadedExecutable_Execute_Args>()).options).struct_size };
            let expected = self.strict_execute_options;
            if given != expected {
                return Some(self.error(3, format!("PJRT_ExecuteOptions: size {given}, expected {expected}")));
            }
        }
        None
    }

    fn injected(&self, entry: Entry) -> Option<*mut PJRT_Error> {
        let rules = self.rules.lock();
        // All rules of the entry count, also those behind one that fires.
        let mut fired = None;
        for rule in rules.iter().filter(|rule| rule.fault.entry == entry) {
            let call = rule.calls.fetch_add(1, Ordering::Relaxed) + 1;
            if rule.fault.call == 0 || rule.fault.call == call {
                fired = fired.or(Some(rule.fault));
            }
        }
        drop(rules);
        fired.map(|fault| self.error(fault.code, format!("injected into {}", entry.name())))
    }

    /// Calls the real plugin, with the struct lengthened to what it knows.
    ///
    /// # Safety
    /// As [`State::call`].
    unsafe fn forward(&self, entry: Entry, args: *mut c_void) -> *mut PJRT_Error {
        const ROOM: usize = 512;
        let slot = entry as usize;
        let Some(real) = self.real[slot] else { return std::ptr::null_mut() };
        // SAFETY: every argument struct starts with its size, and is that long.
        unsafe {
            let given = args.cast::<usize>().read();
            let full = self.full_sizes[slot];
            if entry == Entry::PJRT_LoadedExecutable_Execute {
                let execute = &mut *args.cast::<abi::PJRT_LoadedExecutable_Execute_Args>();
                let mut options = abi::PJRT_ExecuteOptions::default();
                let known = (*execute.options).struct_size.min(abi::PJRT_ExecuteOptions::STRUCT_SIZE);
                std::ptr::copy_nonoverlapping(execute.options.cast::<u8>(), (&raw mut options).cast(), known);
                options.struct_size = abi::PJRT_ExecuteOptions::STRUCT_SIZE;
                let original = std::mem::replace(&mut execute.options, &mut options);
                let error = real(args);
                execute.options = original;
                return error;
            }
            if given >= full || full > ROOM {
                return real(args);
            }
            let mut longer = [0_u64; ROOM / 8];
            let longer = longer.as_mut_ptr().cast::<c_void>();
            std::ptr::copy_nonoverlapping(args.cast::<u8>(), longer.cast(), given);
            longer.cast::<usize>().write(full);
            let error = real(longer);
            // The constant of 0.54 for this struct is a field shorter than the struct.
            let answered = if entry == Entry::PJRT_Plugin_Attributes { full } else { given };
            std::ptr::copy_nonoverlapping(longer.cast::<u8>(), args.cast(), answered);
            args.cast::<usize>().write(given);
            error
        }
    }

    fn error(&self, code: u32, message: String) -> *mut PJRT_Error {
        let error = Box::new(FakeError { code, message });
        let address = &raw const *error;
        self.errors.lock().insert(address.addr(), error);
        address.cast_mut().cast()
    }
}

fn parse_size<'a>((name, size): (&'a str, &str)) -> Option<(&'a str, usize)> {
    Some((name, size.parse().ok()?))
}

/// What stands in the table for the entry point at `SLOT`.
unsafe extern "C" fn intercept<const SLOT: usize>(args: *mut c_void) -> *mut PJRT_Error {
    match STATE.get() {
        // SAFETY: the caller passes the argument struct of this entry point.
        Some(Some(state)) => unsafe { state.call(Entry::ALL[SLOT], args) },
        _ => std::ptr::null_mut(),
    }
}

macro_rules! interceptors {
    ($($row:literal)*) => {
        [$(
            intercept::<{ $row * 6 }>, intercept::<{ $row * 6 + 1 }>, intercept::<{ $row * 6 + 2 }>,
            intercept::<{ $row * 6 + 3 }>, intercept::<{ $row * 6 + 4 }>, intercept::<{ $row * 6 + 5 }>,
        )*]
    };
}

/// One function a slot: 23 rows of 6.
static INTERCEPTORS: [Function; SLOTS] = interceptors!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22);
