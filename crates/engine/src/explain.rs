//! Why the last programs were compiled.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::CallSite;

/// One compile: what it was for and why no cached program served.
#[derive(Debug, Clone)]
pub struct CompileRecord {
    /// The calls of the program, e.g. `aten::add.Tensor(f32[4], f32[4], 1)`; long windows are cut.
    pub calls: String,
    pub call_count: usize,
    /// The line that first made one of the calls: the first call's, or if autograd made that, the next known.
    pub first_called_at: Option<CallSite>,
    /// Which part of the key had not been seen.
    pub reason: String,
    pub seconds: f64,
    /// "compiled" or "disk".
    pub source: &'static str,
    /// (part, hash) of the disk key.
    pub key_parts: Vec<(String, String)>,
}

/// The most recent compiles, oldest first.
#[derive(Debug, Default)]
pub(crate) struct CompileLog(Mutex<VecDeque<CompileRecord>>);

const KEPT: usize = 256;

impl CompileLog {
    pub(crate) fn push(&self, record: CompileRecord) {
        let mut log = self.0.lock();
        if log.len() == KEPT {
            log.pop_front();
        }
        log.push_back(record);
    }

    pub(crate) fn snapshot(&self) -> Vec<CompileRecord> {
        self.0.lock().iter().cloned().collect()
    }
}
