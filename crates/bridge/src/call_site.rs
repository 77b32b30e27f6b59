//! The line of the user's program that the calling thread is at.

use std::sync::OnceLock;

use engine::CallSite;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Folders whose lines are not the user's: torch's and this package's, with a separator at the end.
static NOT_THE_USERS: OnceLock<Vec<String>> = OnceLock::new();

/// `None` in threads without Python code, such as autograd's, and while the interpreter ends.
pub(crate) fn find() -> Option<CallSite> {
    Python::try_attach(|py| innermost_of_user(py).ok().flatten()).flatten()
}

fn innermost_of_user(py: Python<'_>) -> PyResult<Option<CallSite>> {
    let folders = match NOT_THE_USERS.get() {
        Some(folders) => folders,
        None => {
            let found = folders_of(py)?;
            NOT_THE_USERS.get_or_init(|| found)
        }
    };
    // Raises where the thread has no frame.
    let mut frame = py.import("sys")?.getattr("_getframe")?.call0()?;
    while !frame.is_none() {
        let code = frame.getattr("f_code")?;
        let file = code.getattr("co_filename")?;
        let file = file.cast::<PyString>()?.to_str()?;
        let builtin = file.starts_with("<frozen");
        if !builtin && !folders.iter().any(|folder| file.starts_with(folder)) {
            let line = frame.getattr("f_lineno")?.extract::<Option<u32>>()?.unwrap_or_default();
            return Ok(Some(CallSite { file: file.into(), line }));
        }
        frame = frame.getattr("f_back")?;
    }
    Ok(None)
}

fn folders_of(py: Python<'_>) -> PyResult<Vec<String>> {
    ["torch", "torch_pjrt"]
        .into_iter()
        .map(|package| {
            let file: String = py.import(package)?.getattr("__file__")?.extract()?;
            Ok(file.trim_end_matches("__init__.py").to_owned())
        })
        .collect()
}
