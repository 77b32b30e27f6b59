//! Where in the user's program a call was made, for messages.

use std::fmt;
use std::sync::Arc;

/// A line of the user's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    pub file: Arc<str>,
    pub line: u32,
}

/// Says which line the calling thread is at; `None` where it runs no program of the user, as autograd's threads do.
/// May be slow and may wait for the interpreter: no lock is held over it.
pub type FindCallSite = fn() -> Option<CallSite>;

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// ` (called at train.py:12)`, or nothing.
pub(crate) fn note(what: &str, site: Option<&CallSite>) -> String {
    site.map(|site| format!(" ({what} at {site})")).unwrap_or_default()
}
