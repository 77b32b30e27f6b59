//! Programs: a window lowered to one Func and compiled, found again by its key in memory or on disk.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use diskcache::{DiskCache, Key, Lookup};
use parking_lot::RwLock;
use smallvec::SmallVec;
use stablehlo::{ElementType, Func, FuncBuilder, Value};

use crate::call_site::{self, CallSite};
use crate::counters::Counters;
use crate::explain::{CompileLog, CompileRecord};
use crate::mapping_limit::MappingLimit;
use crate::signature::{random_state_type, tensor_type};
use crate::window::{Window, Wire};
use crate::{Error, Result};

/// What a program argument is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    External(u32),
    /// Host number `scalar` of the window, as a 0-dim array.
    Scalar {
        scalar: u32,
        element: ElementType,
    },
    /// The random state of call `call`.
    Random {
        call: u32,
    },
}

/// A compiled window. `Send + Sync`: the executable is, the rest is plain data.
pub(crate) struct Program {
    pub executable: pjrt::Executable,
    pub parameters: Vec<Parameter>,
    /// Which window results the program returns, in order.
    pub results: Vec<u32>,
    description: String,
    first_called_at: Option<CallSite>,
    last_used: AtomicU64,
}

/// Longest description of a window, in calls.
const DESCRIBED_CALLS: usize = 4;

impl Program {
    /// The calls that the program runs.
    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    pub(crate) fn launch_error(&self, why: &pjrt::Error) -> Error {
        let site = call_site::note("first called", self.first_called_at.as_ref());
        Error::Launch { what: format!("{}{site}", self.description), why: why.to_string() }
    }
}

/// Loaded programs and the means to make them.
pub(crate) struct Programs {
    client: pjrt::Client,
    options: pjrt::CompileOptions,
    /// Compiler options that the user added, and a word that changes with them.
    user_options: RwLock<(u64, HashMap<String, String>)>,
    loaded: RwLock<HashMap<Box<[u64]>, Arc<Program>, foldhash::fast::FixedState>>,
    limit: usize,
    mappings: Option<MappingLimit>,
    clock: AtomicU64,
    disk: Option<DiskCache>,
    /// Everything but the module that a compiled program depends on.
    identity: Vec<(&'static str, String)>,
    pub(crate) log: CompileLog,
}

/// How long a process waits for another that compiles the same program.
const COMPILE_WAIT: Duration = Duration::from_secs(120);

impl Programs {
    pub(crate) fn new(
        client: pjrt::Client,
        options: pjrt::CompileOptions,
        limit: usize,
        disk: Option<DiskCache>,
        identity: Vec<(&'static str, String)>,
    ) -> Self {
        let mappings = client.quirks().host_memory_pointers.then(MappingLimit::of_this_process).flatten();
        Self {
            client,
            options,
            user_options: RwLock::default(),
            loaded: RwLock::default(),
            limit: limit.max(1),
            mappings,
            clock: AtomicU64::new(0),
            disk,
            identity,
            log: CompileLog::default(),
        }
    }

    pub(crate) fn get(&self, key: &[u64]) -> Option<Arc<Program>> {
        let program = self.loaded.read().get(key).cloned()?;
        program.last_used.store(self.clock.fetch_add(1, Relaxed), Relaxed);
        Some(program)
    }

    /// Lowers and compiles `window`, or loads it from the disk tier, and keeps it under `key`.
    pub(crate) fn make(&self, window: &Window, live: &[u32], donated: &[bool], key: &[u64], counters: &Counters) -> Result<Arc<Program>> {
        let description = describe(window);
        let (func, parameters) = lower(window, live, donated)?;
        tracing::debug!(target: "lower", "{description}\n{}", func.text());
        let executable = self.load_or_compile(&func, window, &description, counters)?;
        let first_called_at = first_called_at(window);
        let program = Arc::new(Program {
            executable,
            parameters,
            results: live.to_vec(),
            description,
            first_called_at,
            last_used: AtomicU64::new(self.clock.fetch_add(1, Relaxed)),
        });
        let mut loaded = self.loaded.write();
        loaded.insert(key.into(), Arc::clone(&program));
        let most = match &self.mappings {
            Some(mappings) => self.limit.min(mappings.most_programs(loaded.len())),
            None => self.limit,
        };
        if loaded.len() > most {
            let evicted = evict(&mut loaded, most);
            drop(loaded);
            tracing::debug!(target: "compile", "unloaded {} programs", evicted.len());
            drop(evicted);
        }
        Ok(program)
    }

    pub(crate) fn user_options(&self) -> HashMap<String, String> {
        self.user_options.read().1.clone()
    }

    pub(crate) fn set_user_options(&self, options: HashMap<String, String>) {
        let mut sorted: Vec<_> = options.iter().collect();
        sorted.sort_unstable();
        let word = if sorted.is_empty() { 0 } else { foldhash::fast::FixedState::default().hash_one(&sorted) };
        *self.user_options.write() = (word, options);
    }

    /// 0 without user options; distinguishes sets of them otherwise.
    pub(crate) fn user_options_word(&self) -> u64 {
        self.user_options.read().0
    }

    fn compile_options(&self, module: &str) -> pjrt::CompileOptions {
        let mut options = self.options.clone();
        if !options.env_option_overrides.is_empty()
            && let Some(overrides) = self.client.quirks().exceptional_overrides(module)
        {
            options.env_option_overrides = overrides;
        }
        for (name, value) in &self.user_options.read().1 {
            options.env_option_overrides.insert(name.clone(), option_override(value));
        }
        options
    }

    pub(crate) fn disk(&self) -> Option<&DiskCache> {
        self.disk.as_ref()
    }

    fn load_or_compile(&self, func: &Func, window: &Window, description: &str, counters: &Counters) -> Result<pjrt::Executable> {
        let started = Instant::now();
        let text = func.text();
        let mut builder = Key::builder().part("module", text.as_bytes());
        for (name, value) in &self.identity {
            builder = builder.part(name, value.as_bytes());
        }
        let options = self.compile_options(&text);
        builder = builder.part("options", options.to_bytes());
        let key = builder.finish();
        let mut reason = "this window had not been seen in this process".to_owned();
        let record = |source, reason: String| {
            self.log.push(CompileRecord {
                calls: description.to_owned(),
                call_count: window.calls.len(),
                first_called_at: first_called_at(window),
                reason,
                seconds: started.elapsed().as_secs_f64(),
                source,
                key_parts: key.parts().iter().map(|part| (part.name().to_owned(), part.hex())).collect(),
            });
        };
        let mut lock = None;
        if let Some(disk) = &self.disk {
            if let Some(executable) = self.load(disk, &key, counters, &mut reason) {
                record("disk", reason);
                return Ok(executable);
            }
            // Another process may be compiling the same program: one of them does it for all. It may also have finished
            // between our look and our lock, so we look again however soon the lock came.
            lock = disk.lock_for_compile(&key, COMPILE_WAIT);
            if let Lookup::Hit(blob) = disk.load(&key)
                && let Ok(executable) = self.client.deserialize(&blob)
            {
                Counters::add(&counters.cache_hits_disk, 1);
                record("disk", reason);
                return Ok(executable);
            }
        }
        let compiling = Instant::now();
        let executable = self.client.compile(&text, &options).map_err(|why| Error::Compile {
            what: description.to_owned() + &call_site::note("first called", first_called_at(window).as_ref()),
            why: why.to_string(),
        })?;
        Counters::add(&counters.compiles, 1);
        Counters::add(&counters.compile_nanoseconds, compiling.elapsed().as_nanos() as u64);
        tracing::info!(target: "compile", seconds = compiling.elapsed().as_secs_f64(), "{description}");
        if let Some(disk) = &self.disk {
            match executable.serialize() {
                Ok(blob) => {
                    if let Err(why) = disk.store(&key, &blob) {
                        tracing::warn!(target: "compile", "a program could not be cached: {why}");
                    }
                }
                Err(why) => tracing::debug!(target: "compile", "a program could not be serialized: {why}"),
            }
        }
        drop(lock);
        record("compiled", reason);
        Ok(executable)
    }

    fn load(&self, disk: &DiskCache, key: &Key, counters: &Counters, reason: &mut String) -> Option<pjrt::Executable> {
        match disk.load(key) {
            Lookup::Hit(blob) => match self.client.deserialize(&blob) {
                Ok(executable) => {
                    Counters::add(&counters.cache_hits_disk, 1);
                    return Some(executable);
                }
                Err(why) => {
                    Counters::add(&counters.cache_misses_stale, 1);
                    *reason = format!("the plugin refused the cached program: {why}");
                }
            },
            Lookup::Stale(why) => {
                Counters::add(&counters.cache_misses_stale, 1);
                *reason = format!("the cached program was unusable: {why}");
            }
            Lookup::Miss => {
                if let Some(why) = disk.explain_miss(key) {
                    *reason = why;
                }
            }
        }
        None
    }
}

/// The type that an option's text shows: true/false, an integer, or a string.
fn option_override(text: &str) -> pjrt::OptionOverride {
    match (text, text.parse::<i64>()) {
        ("true" | "false", _) => pjrt::OptionOverride::Bool(text == "true"),
        (_, Ok(number)) => pjrt::OptionOverride::I64(number),
        _ => pjrt::OptionOverride::String(text.to_owned()),
    }
}

/// Takes the least recently used programs out of the map, a tenth of the limit at once.
fn evict(loaded: &mut HashMap<Box<[u64]>, Arc<Program>, foldhash::fast::FixedState>, limit: usize) -> Vec<Arc<Program>> {
    let mut ages: Vec<(u64, Box<[u64]>)> = loaded.iter().map(|(key, p)| (p.last_used.load(Relaxed), key.clone())).collect();
    ages.sort_unstable();
    let surplus = loaded.len() - limit + limit / 10;
    ages.into_iter().take(surplus).filter_map(|(_, key)| loaded.remove(&key)).collect()
}

/// The window as one function: arguments are its externals, then the numbers and random states that its calls ask for.
fn lower(window: &Window, live: &[u32], donated: &[bool]) -> Result<(Func, Vec<Parameter>)> {
    let func = FuncBuilder::new("main");
    let mut parameters = Vec::with_capacity(window.externals.len());
    let mut externals = Vec::with_capacity(window.externals.len());
    for (index, external) in window.externals.iter().enumerate() {
        let layout = external.layout().ok_or_else(|| Error::internal("an unwritten storage became a program argument"))?;
        let argument = func.argument(tensor_type(layout.value()));
        if donated.get(index).copied().unwrap_or(false) {
            func.donate_argument(argument);
        }
        externals.push(argument);
        parameters.push(Parameter::External(index as u32));
    }
    let mut results: Vec<Value<'_>> = Vec::with_capacity(window.results.len());
    for (index, call) in window.calls.iter().enumerate() {
        let wires = &window.wires[call.first_wire..call.first_wire + call.signature.inputs.len()];
        let values: SmallVec<[Option<Value<'_>>; 8]> = wires
            .iter()
            .map(|wire| match wire {
                Wire::Unread => None,
                Wire::External(i) => externals.get(*i as usize).copied(),
                Wire::Result(i) => results.get(*i as usize).copied(),
            })
            .collect();
        let random = call.random.map(|_| {
            parameters.push(Parameter::Random { call: index as u32 });
            func.argument(random_state_type())
        });
        let lowered = call.signature.lower(&func, &values, random)?;
        parameters.extend(
            lowered
                .scalars
                .iter()
                .map(|parameter| Parameter::Scalar { scalar: (call.first_scalar + parameter.position) as u32, element: parameter.element }),
        );
        results.extend(lowered.results);
    }
    let returned: Vec<Value<'_>> = live.iter().filter_map(|i| results.get(*i as usize).copied()).collect();
    let func = func.finish(&returned).map_err(|why| Error::Compile { what: describe(window), why: why.to_string() })?;
    Ok((func, parameters))
}

/// The first line that is known to make one of the window's calls.
fn first_called_at(window: &Window) -> Option<CallSite> {
    window.calls.iter().find_map(|call| call.signature.first_called_at.clone())
}

/// The window's calls for messages, cut after a few.
fn describe(window: &Window) -> String {
    let shown: Vec<String> = window.calls.iter().take(DESCRIBED_CALLS).map(|call| call.signature.call.to_string()).collect();
    let rest = window.calls.len().saturating_sub(DESCRIBED_CALLS);
    let more = if rest > 0 { format!(" and {rest} more calls") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}
