//! What the plugin has taken and not finished on one device, in launch order.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::memory::DeviceBuffer;
use crate::program::Program;
use crate::{Error, Result};

/// One launch that was not done when last looked at.
struct InFlight {
    done: Arc<pjrt::Event>,
    program: Option<Arc<Program>>,
    /// What a transfer reads, kept until it is done.
    _source: Option<Arc<DeviceBuffer>>,
}

/// `Send + Sync`: the list is behind a lock that is not held while waiting.
#[derive(Default)]
pub(crate) struct LaunchQueue {
    in_flight: Mutex<VecDeque<InFlight>>,
    /// The first failure that no one has been told of.
    failure: Mutex<Option<Error>>,
}

impl LaunchQueue {
    /// Adds a launch; a finished one is only asked for its error.
    pub(crate) fn push(&self, done: pjrt::Event, program: &Arc<Program>) {
        if done.is_ready() {
            if let Err(why) = done.wait() {
                self.note_failure(program.launch_error(&why));
            }
            return;
        }
        let mut in_flight = self.in_flight.lock();
        while in_flight.front().is_some_and(|launch| launch.done.is_ready()) {
            if let Some(launch) = in_flight.pop_front() {
                self.note(&launch);
            }
        }
        in_flight.push_back(InFlight { done: Arc::new(done), program: Some(Arc::clone(program)), _source: None });
    }

    /// Adds a transfer to the host that was started.
    pub(crate) fn push_transfer(&self, done: Arc<pjrt::Event>, source: Arc<DeviceBuffer>) {
        self.in_flight.lock().push_back(InFlight { done, program: None, _source: Some(source) });
    }

    /// The ends of the launches that are not done.
    pub(crate) fn in_flight(&self) -> Vec<Arc<pjrt::Event>> {
        let in_flight = self.in_flight.lock();
        in_flight.iter().filter(|launch| !launch.done.is_ready()).map(|launch| Arc::clone(&launch.done)).collect()
    }

    /// Keeps `error` for the next sync, unless an earlier one waits for it.
    pub(crate) fn note_failure(&self, error: Error) {
        self.failure.lock().get_or_insert(error);
    }

    /// Waits for every launch so far.
    pub(crate) fn synchronize(&self) {
        let launches: Vec<InFlight> = self.in_flight.lock().drain(..).collect();
        for launch in &launches {
            let _ = launch.done.wait();
            self.note(launch);
        }
    }

    /// The first failure that no one has been told of.
    pub(crate) fn take_failure(&self) -> Result<()> {
        self.failure.lock().take().map_or(Ok(()), Err)
    }

    fn note(&self, launch: &InFlight) {
        if let Err(why) = launch.done.wait() {
            let error = match &launch.program {
                Some(program) => program.launch_error(&why),
                None => Error::Transfer { direction: "between host and", bytes: 0, why: why.to_string() },
            };
            self.note_failure(error);
        }
    }
}
