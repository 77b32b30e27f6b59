//! The process's one session: settings are kept until something first needs the client.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use engine::{Error, Forms, Mode, Result, Session, Settings};
use parking_lot::Mutex;
use pjrt::PluginKind;

/// What Python handed over: settings by name, and the directories in which plugin packages are looked for.
#[derive(Debug, Default, Clone)]
pub(crate) struct Configuration {
    pub settings: HashMap<String, String>,
    pub site_packages: Vec<PathBuf>,
}

pub(crate) static FORMS: Forms = Forms::new();
static CONFIGURATION: Mutex<Option<Configuration>> = Mutex::new(None);
/// What the user chose with `set_mode` before the client opened; goes before the settings.
pub(crate) static CHOSEN_MODE: Mutex<Option<Mode>> = Mutex::new(None);
static SESSION: OnceLock<Session> = OnceLock::new();
static OPENING: Mutex<()> = Mutex::new(());
/// Process that opened the session; 0 before.
static OPENED_BY: AtomicU32 = AtomicU32::new(0);
/// Warnings to be shown by Python, once each.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

const DEFAULT_CACHE_BYTES: u64 = 4 << 30;
const DEFAULT_PROGRAMS: usize = 4096;

pub(crate) fn configure(configuration: Configuration) {
    if let Some(stages) = configuration.settings.get("log") {
        crate::logging::start(stages);
    }
    *CONFIGURATION.lock() = Some(configuration);
}

pub(crate) fn configuration() -> Configuration {
    CONFIGURATION.lock().clone().unwrap_or_default()
}

/// The open session, if there is one.
pub(crate) fn current() -> Option<&'static Session> {
    SESSION.get()
}

/// The session; opens the client the first time. A failure is raised each time and leaves nothing behind.
pub(crate) fn session() -> Result<&'static Session> {
    if let Some(session) = SESSION.get() {
        return Ok(session);
    }
    let _opening = OPENING.lock();
    if let Some(session) = SESSION.get() {
        return Ok(session);
    }
    let configuration = configuration();
    let settings = settings(&configuration)?;
    let session = Session::open(settings, &FORMS, |warning| WARNINGS.lock().push(warning))?;
    OPENED_BY.store(std::process::id(), Relaxed);
    Ok(SESSION.get_or_init(|| session))
}

/// Whether this process was forked from one that had opened the client.
pub(crate) fn in_bad_fork() -> bool {
    let opened_by = OPENED_BY.load(Relaxed);
    opened_by != 0 && opened_by != std::process::id()
}

pub(crate) fn take_warnings() -> Vec<String> {
    std::mem::take(&mut *WARNINGS.lock())
}

/// Number of devices, without opening a client where the machine tells it. 0 when no plugin can be found.
pub(crate) fn device_count() -> usize {
    if let Some(session) = current() {
        return session.device_count();
    }
    let configuration = configuration();
    let Ok(plugin) = plugin_path(&configuration) else { return 0 };
    match plugin_kind(&plugin) {
        PluginKind::Cpu | PluginKind::Unknown => number(&configuration, "cpu_devices").unwrap_or(1).max(1) as usize,
        kind => pjrt::discover::Machine::this().count(kind),
    }
}

fn plugin_kind(path: &std::path::Path) -> PluginKind {
    pjrt::Quirks::of_file(path).kind
}

fn plugin_path(configuration: &Configuration) -> Result<PathBuf> {
    let request = configuration.settings.get("plugin").map_or("auto", String::as_str);
    pjrt::discover(request, &configuration.site_packages).map_err(|why| Error::Client(why.to_string()))
}

fn number(configuration: &Configuration, name: &str) -> Option<u64> {
    configuration.settings.get(name).and_then(|text| text.parse().ok())
}

fn settings(configuration: &Configuration) -> Result<Settings> {
    Ok(Settings {
        plugin: plugin_path(configuration)?,
        mode: mode(configuration)?,
        cache_directory: cache_directory(configuration),
        cache_limit_bytes: number(configuration, "cache_size").unwrap_or(DEFAULT_CACHE_BYTES),
        program_limit: number(configuration, "programs").map_or(DEFAULT_PROGRAMS, |most| most as usize),
        tune_malloc: configuration.settings.get("tune_malloc").is_none_or(|text| text != "off"),
        host_kernel: (configuration.settings.get("host_kernels").map(String::as_str) != Some("off")).then_some(crate::host_kernel::run),
        cpu_devices: number(configuration, "cpu_devices").unwrap_or(1) as u32,
        find_call_site: crate::call_site::find,
    })
}

/// The mode in which the client opens.
pub(crate) fn mode(configuration: &Configuration) -> Result<Mode> {
    if let Some(chosen) = *CHOSEN_MODE.lock() {
        return Ok(chosen);
    }
    let name = configuration.settings.get("mode").map_or("strict", String::as_str);
    Mode::parse(name).ok_or_else(|| Error::Client(format!("unknown mode {name:?}: use strict, debug or fused")))
}

/// Where programs are cached; `None` when the cache is off.
pub(crate) fn cache_directory(configuration: &Configuration) -> Option<PathBuf> {
    match configuration.settings.get("cache").map(String::as_str) {
        Some("off") => None,
        None | Some("") => diskcache::default_directory(),
        Some(path) => Some(path.into()),
    }
}

pub(crate) fn cache_limit(configuration: &Configuration) -> u64 {
    number(configuration, "cache_size").unwrap_or(DEFAULT_CACHE_BYTES)
}
