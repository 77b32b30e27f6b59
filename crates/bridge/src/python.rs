//! The Python functions of `torch_pjrt._C`; `python/torch_pjrt/_C.pyi` describes each.

use std::collections::HashMap;
use std::path::PathBuf;

use engine::{Error, ErrorKind, Mode, Precision, Session};
use pyo3::exceptions::{PyIndexError, PyNotImplementedError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime::{self, Configuration, cache_directory, cache_limit, configure, current, session};

unsafe extern "C" {
    fn torch_pjrt_register();
    fn torch_pjrt_current_device() -> i32;
    fn torch_pjrt_set_device(device: i32);
    fn torch_pjrt_add_types(module: *mut pyo3::ffi::PyObject) -> i32;
    fn torch_pjrt_default_generator(device: i32) -> *mut pyo3::ffi::PyObject;
}

fn raised(error: Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        ErrorKind::NotImplemented => PyNotImplementedError::new_err(message),
        ErrorKind::Value => PyValueError::new_err(message),
        ErrorKind::Index => PyIndexError::new_err(message),
        ErrorKind::Type => PyTypeError::new_err(message),
        ErrorKind::Runtime | ErrorKind::OutOfMemory => PyRuntimeError::new_err(message),
    }
}

/// Runs `body` on the session without the GIL, opening the client if need be, and shows its warnings.
fn with_session<T: Send>(py: Python<'_>, body: impl FnOnce(&'static Session) -> engine::Result<T> + Send) -> PyResult<T> {
    let result = py.detach(|| session().and_then(body)).map_err(raised);
    for warning in runtime::take_warnings() {
        let text = std::ffi::CString::new(warning).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<pyo3::exceptions::PyUserWarning>(), &text, 2)?;
    }
    result
}

#[pyfunction]
fn _init_backend(settings: HashMap<String, String>, site_packages: Vec<PathBuf>) {
    if current().is_none() {
        configure(Configuration { settings, site_packages });
    }
}

#[pyfunction]
fn init(py: Python<'_>) -> PyResult<()> {
    with_session(py, |_| if runtime::in_bad_fork() { Err(Error::Forked) } else { Ok(()) })
}

#[pyfunction]
fn is_initialized() -> bool {
    current().is_some()
}

#[pyfunction]
fn in_bad_fork() -> bool {
    runtime::in_bad_fork()
}

#[pyfunction]
fn device_count(py: Python<'_>) -> usize {
    py.detach(runtime::device_count)
}

#[pyfunction]
fn current_device() -> i32 {
    // SAFETY: reads a thread-local of the glue.
    unsafe { torch_pjrt_current_device() }
}

#[pyfunction]
fn set_device(index: i32) {
    // SAFETY: writes a thread-local of the glue.
    unsafe { torch_pjrt_set_device(index) };
}

#[pyfunction]
#[pyo3(signature = (index=None))]
fn synchronize(py: Python<'_>, index: Option<u32>) -> PyResult<()> {
    let device = index.unwrap_or_else(|| current_device().max(0) as u32);
    with_session(py, move |session| session.synchronize(device))
}

/// Starts what has been recorded on every device, and does not wait. No client is opened for it.
#[pyfunction]
fn flush(py: Python<'_>) -> PyResult<()> {
    let Some(session) = current() else { return Ok(()) };
    py.detach(|| (0..session.device_count() as u32).try_for_each(|device| session.flush(device))).map_err(raised)
}

/// Ends the threads that launch. For the end of the process.
#[pyfunction]
fn stop_launching(py: Python<'_>) {
    py.detach(|| current().map(Session::stop_launching));
}

#[pyfunction]
fn device_info(py: Python<'_>, index: u32) -> PyResult<Py<PyDict>> {
    let (facts, memory) = with_session(py, move |session| Ok((session.describe_device(index)?, session.memory_limit(index)?)))?;
    let info = PyDict::new(py);
    for (name, value) in facts {
        info.set_item(if name == "plugin" { "plugin_path" } else { name }, value)?;
    }
    info.set_item("total_memory", memory)?;
    Ok(info.unbind())
}

#[pyfunction]
fn default_generator(py: Python<'_>, index: i32) -> PyResult<Py<PyAny>> {
    // SAFETY: the glue returns a new reference, or null with a Python error set; the GIL is held.
    unsafe { Bound::from_owned_ptr_or_err(py, torch_pjrt_default_generator(index)) }.map(Bound::unbind)
}

#[pyfunction]
fn memory_stats(py: Python<'_>, index: u32) -> PyResult<HashMap<&'static str, u64>> {
    let Some(session) = current() else { return Ok(HashMap::new()) };
    let memory = py.detach(|| session.memory(index)).map_err(raised)?;
    Ok(HashMap::from([
        ("live_bytes", memory.live_bytes()),
        ("peak_bytes", memory.peak_bytes()),
        ("live_tensors", memory.live_buffers()),
        ("allocated_bytes", memory.allocated_bytes()),
        ("freed_bytes", memory.freed_bytes()),
    ]))
}

#[pyfunction]
fn reset_peak_memory(py: Python<'_>, index: u32) -> PyResult<()> {
    current().map_or(Ok(()), |session| py.detach(|| session.memory(index)).map(engine::MemoryAccount::reset_peak).map_err(raised))
}

#[pyfunction]
fn reset_accumulated_memory(py: Python<'_>, index: u32) -> PyResult<()> {
    current().map_or(Ok(()), |session| py.detach(|| session.memory(index)).map(engine::MemoryAccount::reset_accumulated).map_err(raised))
}

#[pyfunction]
fn stats(py: Python<'_>) -> PyResult<Py<PyDict>> {
    let statistics = current().map(|session| session.counters().snapshot()).unwrap_or_default();
    let stats = PyDict::new(py);
    for (name, value) in statistics.named() {
        match name {
            "compile_nanoseconds" => stats.set_item("compile_seconds", value as f64 / 1e9)?,
            _ => stats.set_item(name, value)?,
        }
    }
    stats.set_item("fallbacks", statistics.fallbacks)?;
    let memory = |read: fn(&engine::MemoryAccount) -> u64| {
        py.detach(|| {
            current().map_or(0, |session| (0..session.device_count() as u32).filter_map(|d| session.memory(d).ok()).map(read).sum::<u64>())
        })
    };
    stats.set_item("live_bytes", memory(engine::MemoryAccount::live_bytes))?;
    stats.set_item("peak_bytes", memory(engine::MemoryAccount::peak_bytes))?;
    Ok(stats.unbind())
}

#[pyfunction]
fn reset_stats(py: Python<'_>) {
    let Some(session) = current() else { return };
    session.counters().reset();
    py.detach(|| (0..session.device_count() as u32).filter_map(|d| session.memory(d).ok()).for_each(engine::MemoryAccount::reset_peak));
}

#[pyfunction]
fn explain(py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
    let compiles = current().map(Session::compiles).unwrap_or_default();
    compiles
        .into_iter()
        .map(|compile| {
            let entry = PyDict::new(py);
            entry.set_item("calls", compile.calls)?;
            entry.set_item("call_count", compile.call_count)?;
            entry.set_item("first_called_at", compile.first_called_at.map(|site| site.to_string()))?;
            entry.set_item("reason", compile.reason)?;
            entry.set_item("seconds", compile.seconds)?;
            entry.set_item("source", compile.source)?;
            let parts = PyDict::new(py);
            for (name, hash) in compile.key_parts {
                parts.set_item(name, hash)?;
            }
            entry.set_item("key_parts", parts)?;
            Ok(entry.unbind())
        })
        .collect()
}

#[pyfunction]
fn get_mode() -> PyResult<&'static str> {
    let mode = current().map_or_else(|| runtime::mode(&runtime::configuration()), |session| Ok(session.mode()));
    mode.map(Mode::name).map_err(raised)
}

#[pyfunction]
fn set_mode(py: Python<'_>, mode: &str) -> PyResult<()> {
    let chosen = Mode::parse(mode).ok_or_else(|| PyValueError::new_err(format!("unknown mode {mode:?}: use strict, debug or fused")))?;
    *runtime::CHOSEN_MODE.lock() = Some(chosen);
    match current() {
        Some(_) => with_session(py, move |session| session.set_mode(chosen)),
        None => Ok(()),
    }
}

#[pyfunction]
fn get_precision() -> Option<&'static str> {
    current().and_then(Session::chosen_precision).map(|precision| match precision {
        Precision::Default => "default",
        Precision::High => "high",
        Precision::Highest => "highest",
    })
}

#[pyfunction]
#[pyo3(signature = (precision))]
fn set_precision(py: Python<'_>, precision: Option<&str>) -> PyResult<()> {
    let chosen = match precision {
        None => None,
        Some("default") => Some(Precision::Default),
        Some("high") => Some(Precision::High),
        Some("highest") => Some(Precision::Highest),
        Some(other) => return Err(PyValueError::new_err(format!("unknown precision {other:?}: use default, high or highest"))),
    };
    with_session(py, move |session| {
        session.choose_precision(chosen);
        Ok(())
    })
}

#[pyfunction]
fn get_compile_options() -> HashMap<String, String> {
    current().map(Session::compile_options).unwrap_or_default()
}

#[pyfunction]
fn set_compile_options(py: Python<'_>, options: HashMap<String, Bound<'_, PyAny>>) -> PyResult<()> {
    let mut texts = HashMap::new();
    for (name, value) in options {
        let text =
            if value.is_instance_of::<pyo3::types::PyBool>() { value.str()?.to_string().to_lowercase() } else { value.str()?.to_string() };
        texts.insert(name, text);
    }
    with_session(py, move |session| {
        session.set_compile_options(texts);
        Ok(())
    })
}

#[pyfunction]
fn cache_info(py: Python<'_>) -> PyResult<Py<PyDict>> {
    let configuration = runtime::configuration();
    let info = PyDict::new(py);
    let directory = cache_directory(&configuration);
    let size = directory.as_ref().and_then(|d| diskcache::DiskCache::open(d, cache_limit(&configuration)).ok()).map(|disk| disk.size());
    info.set_item("directory", directory)?;
    info.set_item("entries", size.map_or(0, |size| size.entries))?;
    info.set_item("bytes", size.map_or(0, |size| size.bytes))?;
    info.set_item("limit_bytes", cache_limit(&configuration))?;
    Ok(info.unbind())
}

#[pyfunction]
fn cache_clear() -> PyResult<()> {
    let configuration = runtime::configuration();
    if let Some(directory) = cache_directory(&configuration) {
        let disk =
            diskcache::DiskCache::open(&directory, cache_limit(&configuration)).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
        disk.clear();
    }
    Ok(())
}

#[pymodule(name = "_C")]
fn native_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: registers the table's forms with the dispatcher; imports of a module run once.
    unsafe { torch_pjrt_register() };
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // SAFETY: adds the glue's own types to the module; the GIL is held.
    if unsafe { torch_pjrt_add_types(module.as_ptr()) } != 0 {
        return Err(PyErr::fetch(module.py()));
    }
    for function in [
        wrap_pyfunction!(_init_backend, module)?,
        wrap_pyfunction!(init, module)?,
        wrap_pyfunction!(is_initialized, module)?,
        wrap_pyfunction!(in_bad_fork, module)?,
        wrap_pyfunction!(device_count, module)?,
        wrap_pyfunction!(current_device, module)?,
        wrap_pyfunction!(set_device, module)?,
        wrap_pyfunction!(synchronize, module)?,
        wrap_pyfunction!(flush, module)?,
        wrap_pyfunction!(stop_launching, module)?,
        wrap_pyfunction!(device_info, module)?,
        wrap_pyfunction!(default_generator, module)?,
        wrap_pyfunction!(memory_stats, module)?,
        wrap_pyfunction!(reset_peak_memory, module)?,
        wrap_pyfunction!(reset_accumulated_memory, module)?,
        wrap_pyfunction!(stats, module)?,
        wrap_pyfunction!(reset_stats, module)?,
        wrap_pyfunction!(explain, module)?,
        wrap_pyfunction!(get_mode, module)?,
        wrap_pyfunction!(set_mode, module)?,
        wrap_pyfunction!(get_precision, module)?,
        wrap_pyfunction!(set_precision, module)?,
        wrap_pyfunction!(get_compile_options, module)?,
        wrap_pyfunction!(set_compile_options, module)?,
        wrap_pyfunction!(cache_info, module)?,
        wrap_pyfunction!(cache_clear, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
