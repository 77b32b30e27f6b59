//! Events: a point in a device's launch order that can be queried, awaited and timed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use crate::launcher::Launcher;
use crate::{Error, Result};

/// `Send + Sync`: what it waits for is behind a lock.
#[derive(Default)]
pub struct Event {
    recorded: Mutex<Option<Recorded>>,
}

#[derive(Clone)]
struct Recorded {
    launcher: Arc<Launcher>,
    ticket: u64,
    mark: Arc<Mark>,
}

/// A place between two launches.
#[derive(Default)]
pub(crate) struct Mark {
    /// What the plugin had not finished when the place was reached.
    waits_for: OnceLock<Vec<Arc<pjrt::Event>>>,
    /// Nanoseconds since `EPOCH` at which the last of `waits_for` was done.
    done_at: Arc<AtomicU64>,
}

static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

fn now() -> u64 {
    EPOCH.elapsed().as_nanos() as u64
}

impl Mark {
    pub(crate) fn reached(&self, in_flight: Vec<Arc<pjrt::Event>>) {
        self.done_at.store(now(), Ordering::Release);
        for event in &in_flight {
            let done_at = Arc::clone(&self.done_at);
            // A plugin that takes no callback leaves the time at which the place was reached.
            let _ = event.on_ready(move |_| {
                done_at.fetch_max(now(), Ordering::Release);
            });
        }
        let _ = self.waits_for.set(in_flight);
    }
}

impl Event {
    pub fn new() -> Self {
        Self::default()
    }

    /// The event completes when everything before `mark`, which was submitted as `ticket`, is done.
    pub(crate) fn record(&self, launcher: &Arc<Launcher>, ticket: u64, mark: Arc<Mark>) {
        *self.recorded.lock() = Some(Recorded { launcher: Arc::clone(launcher), ticket, mark });
    }

    /// True when it was never recorded or everything before it is done.
    pub fn is_done(&self) -> bool {
        let Some(recorded) = self.recorded.lock().clone() else { return true };
        recorded.launcher.start();
        recorded.mark.waits_for.get().is_some_and(|events| events.iter().all(|event| event.is_ready()))
    }

    /// Waits until everything before the event is done. Failures are raised by the next device sync.
    pub fn wait(&self) {
        let Some(recorded) = self.recorded.lock().clone() else { return };
        recorded.launcher.wait(recorded.ticket);
        for event in recorded.mark.waits_for.get().into_iter().flatten() {
            let _ = event.wait();
        }
    }

    /// Milliseconds from this event's completion to `end`'s.
    pub fn elapsed_milliseconds(&self, end: &Event) -> Result<f64> {
        self.wait();
        end.wait();
        let at = |event: &Event| event.recorded.lock().as_ref().map(|r| r.mark.done_at.load(Ordering::Acquire));
        match (at(self), at(end)) {
            (Some(start), Some(end)) => Ok((end as f64 - start as f64) / 1e6),
            _ => Err(Error::Client("both events must be recorded before their elapsed time is asked for".into())),
        }
    }
}
