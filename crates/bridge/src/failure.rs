//! Errors cross the C ABI as a kind and a message that this thread keeps until the glue takes them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::{Error, ErrorKind};

thread_local! {
    static LAST: RefCell<(i32, String)> = const { RefCell::new((0, String::new())) };
}

pub(crate) const OK: i32 = 0;
pub(crate) const ERROR: i32 = 1;
pub(crate) const UNKNOWN_SIGNATURE: i32 = 2;

/// Runs `body`; an error or a panic becomes this thread's last error.
pub(crate) fn status(body: impl FnOnce() -> engine::Result<i32>) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => keep(&error),
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
            keep(&Error::Internal(format!("panic: {}", what.unwrap_or_default())))
        }
    }
}

/// Runs `body` for its value; `fallback` in its place when it fails.
pub(crate) fn value<T>(fallback: T, body: impl FnOnce() -> engine::Result<T>) -> T {
    let mut result = None;
    status(|| {
        result = Some(body()?);
        Ok(OK)
    });
    result.unwrap_or(fallback)
}

fn keep(error: &Error) -> i32 {
    let kind = match error.kind() {
        ErrorKind::Runtime => 0,
        ErrorKind::NotImplemented => 1,
        ErrorKind::OutOfMemory => 2,
        ErrorKind::Value => 3,
        ErrorKind::Index => 4,
        ErrorKind::Type => 5,
    };
    LAST.with_borrow_mut(|last| *last = (kind, error.to_string()));
    ERROR
}

/// The last error's kind and the message's bytes, valid until this thread's next error.
pub(crate) fn last() -> (i32, *const u8, usize) {
    LAST.with_borrow(|(kind, message)| (*kind, message.as_ptr(), message.len()))
}
