//! Events: a point in a device's launch order that can be queried, awaited and timed.

use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use crate::{Error, Result};

/// `Send + Sync`: what it waits for is behind a lock.
#[derive(Default)]
pub struct Event {
    recorded: Mutex<Option<Recorded>>,
}

struct Recorded {
    waits_for: Vec<Arc<pjrt::Event>>,
    /// Nanoseconds since `EPOCH` at which the last of `waits_for` was done.
    done_at: Arc<AtomicU64>,
}

static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

fn now() -> u64 {
    EPOCH.elapsed().as_nanos() as u64
}

impl Event {
    pub fn new() -> Self {
        Self::default()
    }

    /// The event completes when all of `waits_for` are done.
    pub(crate) fn record(&self, waits_for: Vec<Arc<pjrt::Event>>) {
        let done_at = Arc::new(AtomicU64::new(now()));
        for event in &waits_for {
            let done_at = Arc::clone(&done_at);
            // A plugin that takes no callback leaves the time of recording.
            let _ = event.on_ready(move |_| {
                done_at.fetch_max(now(), Ordering::Release);
            });
        }
        *self.recorded.lock() = Some(Recorded { waits_for, done_at });
    }

    /// True when it was never recorded or everything before it is done.
    pub fn is_done(&self) -> bool {
        self.recorded.lock().as_ref().is_none_or(|r| r.waits_for.iter().all(|event| event.is_ready()))
    }

    /// Waits until everything before the event is done. Failures are raised by the next device sync.
    pub fn wait(&self) {
        let waits_for = self.recorded.lock().as_ref().map(|r| r.waits_for.clone()).unwrap_or_default();
        for event in waits_for {
            let _ = event.wait();
        }
    }

    /// Milliseconds from this event's completion to `end`'s.
    pub fn elapsed_milliseconds(&self, end: &Event) -> Result<f64> {
        self.wait();
        end.wait();
        let at = |event: &Event| event.recorded.lock().as_ref().map(|r| r.done_at.load(Ordering::Acquire));
        match (at(self), at(end)) {
            (Some(start), Some(end)) => Ok((end as f64 - start as f64) / 1e6),
            _ => Err(Error::Client("both events must be recorded before their elapsed time is asked for".into())),
        }
    }
}
