//! Knows whether this process is a forked child of the one that made a client. A plugin's thread pools do not survive
//! `fork`, so a call into it from the child would hang.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, Result};

static GENERATION: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_child() {
    // Relaxed is enough: the child starts with one thread.
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// The process in which something was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessMark {
    generation: u32,
    process: u32,
}

impl ProcessMark {
    pub(crate) fn here() -> Self {
        Self { generation: generation(), process: std::process::id() }
    }

    /// # Errors
    /// [`Error::ForkedProcess`] in a forked child of that process.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if generation() == self.generation { Ok(()) } else { Err(Error::ForkedProcess { created_in: self.process }) }
    }
}

/// How many forks lie between this process and the first one that asked.
fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Starts counting; before this call forks go unnoticed.
pub(crate) fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: `in_child` only adds to an atomic, which is allowed between fork and exec.
        let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if status != 0 {
            tracing::warn!(status, "pthread_atfork failed: use after fork will not be noticed");
        }
    });
}
