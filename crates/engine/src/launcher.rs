//! Launches run in the order of their submission: on a thread of the device's own, or on a thread that waits for one.
//!
//! So the host goes on while the device works, whether or not the plugin's own execute returns early, and a launch costs
//! the host only its submission. A short launch by itself does not wake the thread: waking takes longer than such a
//! launch, and it is run by whoever waits for it or with the launches that follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;

use crate::Error;
use crate::event::Mark;
use crate::memory::{DeviceBuffer, MemoryAccount};
use crate::program::Program;
use crate::queue::LaunchQueue;

/// A program to be run.
pub(crate) struct Launch {
    pub program: Arc<Program>,
    pub arguments: SmallVec<[Argument; 8]>,
    pub results: SmallVec<[Promised; 4]>,
}

pub(crate) enum Argument {
    Value {
        buffer: Arc<DeviceBuffer>,
        donated: bool,
    },
    /// A number or a random state, already on the device.
    Number(Arc<pjrt::Buffer>),
}

/// A result, and the number of the argument that it replaces in its storage.
pub(crate) struct Promised {
    pub buffer: Arc<DeviceBuffer>,
    pub replaces: Option<u32>,
}

/// What is done in order.
pub(crate) enum Work {
    Launch(Launch),
    Download { source: Arc<DeviceBuffer>, destination: pjrt::HostDestination },
    Mark(Arc<Mark>),
}

impl Work {
    /// Whether the device should begin at once although the host may not wait for it soon.
    fn is_long(&self) -> bool {
        match self {
            Self::Launch(launch) => {
                let values = launch.arguments.iter().map(|argument| match argument {
                    Argument::Value { buffer, .. } => buffer.bytes(),
                    Argument::Number(_) => 0,
                });
                values.chain(launch.results.iter().map(|result| result.buffer.bytes())).sum::<u64>() >= LONG_BYTES
            }
            Self::Download { .. } => true,
            Self::Mark(_) => false,
        }
    }
}

/// Launches that read and write this much take longer than waking a thread.
const LONG_BYTES: u64 = 1 << 17;
/// So many launches wake the thread however short they are.
const WORTH_WAKING: usize = 4;
/// Looks for more work before the thread goes to sleep: some tens of microseconds.
const LOOKS: usize = 1000;
/// How soon a waiting thread sees that no thread runs work any more.
const STOPPED_SHORT: Duration = Duration::from_millis(20);
/// So many launches may wait; then the host does.
const MOST_WAITING: usize = 1024;

/// Runs work on the device.
pub(crate) struct Runner {
    /// With several devices programs are compiled portable and told where to run.
    pub device: Option<pjrt::Device>,
    pub memory: Arc<MemoryAccount>,
    pub queue: LaunchQueue,
}

struct Shared {
    runner: Arc<Runner>,
    waiting: Mutex<Waiting>,
    /// Wakes the thread.
    wake: Condvar,
    /// Held by the thread that runs work, from taking it to its end: this keeps the order.
    running: Mutex<()>,
    submitted: AtomicU64,
    completed: AtomicU64,
    /// The earliest submission that a sleeping host thread waits for; `u64::MAX` for none.
    awaited: AtomicU64,
    sleepers: Mutex<()>,
    progress: Condvar,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    /// The thread sleeps and no one has woken it.
    asleep: bool,
}

/// `Send + Sync`. Stops its thread when it is dropped; what was not run then never is.
pub(crate) struct Launcher {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Launcher {
    pub(crate) fn new(runner: Arc<Runner>) -> Self {
        let shared = Arc::new(Shared {
            runner,
            waiting: Mutex::default(),
            wake: Condvar::new(),
            running: Mutex::new(()),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            awaited: AtomicU64::new(u64::MAX),
            sleepers: Mutex::new(()),
            progress: Condvar::new(),
            stopped: AtomicBool::new(false),
        });
        let its = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("torch-pjrt-launch".into()).spawn(move || its.serve());
        if let Err(why) = &thread {
            tracing::warn!("no thread for launches, which will run when they are waited for: {why}");
        }
        Self { shared, thread: Mutex::new(thread.ok()) }
    }

    /// Hands over work and returns its ticket, which `wait` takes.
    pub(crate) fn submit(&self, work: Work) -> u64 {
        let shared = &*self.shared;
        let long = work.is_long();
        let mut waiting = shared.waiting.lock();
        let ticket = shared.submitted.load(Ordering::Relaxed) + 1;
        if let Work::Launch(launch) = &work {
            launch.results.iter().for_each(|result| result.buffer.set_ticket(ticket));
        }
        waiting.work.push_back(work);
        shared.submitted.store(ticket, Ordering::Release);
        let queued = waiting.work.len();
        let wake = waiting.asleep && (long || queued >= WORTH_WAKING);
        waiting.asleep &= !wake;
        drop(waiting);
        if wake {
            shared.wake.notify_one();
        }
        if queued >= MOST_WAITING {
            self.wait(ticket - MOST_WAITING as u64 / 2);
        }
        ticket
    }

    /// Number of the last submission.
    pub(crate) fn last_ticket(&self) -> u64 {
        self.shared.submitted.load(Ordering::Acquire)
    }

    pub(crate) fn is_done(&self, ticket: u64) -> bool {
        self.shared.completed.load(Ordering::Acquire) >= ticket
    }

    /// Sees to it that what was submitted runs although no one waits for it.
    pub(crate) fn start(&self) {
        self.shared.wake_if_behind();
    }

    /// Returns when the submission has run; runs it and what comes before it if no one else does.
    pub(crate) fn wait(&self, ticket: u64) {
        while !self.is_done(ticket) {
            match self.shared.running.try_lock() {
                Some(running) => {
                    while !self.is_done(ticket) && self.shared.run_next() {}
                    drop(running);
                    self.shared.wake_if_behind();
                }
                None => self.shared.wait_for_runner(ticket),
            }
        }
    }

    /// Ends the thread after the launch that it runs.
    pub(crate) fn stop(&self) {
        self.shared.stopped.store(true, Ordering::Release);
        self.shared.waiting.lock().asleep = false;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn serve(&self) {
        while !self.stopped.load(Ordering::Acquire) {
            let running = self.running.lock();
            loop {
                if self.stopped.load(Ordering::Acquire) || !self.run_next() {
                    break;
                }
            }
            drop(running);
            if (0..LOOKS).any(|_| {
                std::hint::spin_loop();
                self.is_behind()
            }) {
                continue;
            }
            let mut waiting = self.waiting.lock();
            if waiting.work.is_empty() {
                waiting.asleep = true;
                while waiting.asleep && !self.stopped.load(Ordering::Acquire) {
                    self.wake.wait(&mut waiting);
                }
            }
        }
    }

    fn is_behind(&self) -> bool {
        self.submitted.load(Ordering::Acquire) > self.completed.load(Ordering::Acquire)
    }

    fn wake_if_behind(&self) {
        let mut waiting = self.waiting.lock();
        let wake = waiting.asleep && !waiting.work.is_empty();
        waiting.asleep &= !wake;
        drop(waiting);
        if wake {
            self.wake.notify_one();
        }
    }

    /// Runs the next work; false when there is none. The caller holds `running`.
    fn run_next(&self) -> bool {
        let Some(work) = self.waiting.lock().work.pop_front() else { return false };
        // A panic here would leave everyone waiting.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.runner.run(work))).is_err() {
            self.runner.queue.note_failure(Error::internal("a launch panicked"));
        }
        let completed = self.completed.load(Ordering::Relaxed) + 1;
        self.completed.store(completed, Ordering::SeqCst);
        if self.awaited.load(Ordering::SeqCst) <= completed {
            drop(self.sleepers.lock());
            self.progress.notify_all();
        }
        true
    }

    /// Waits until `ticket` is done or no thread runs work.
    fn wait_for_runner(&self, ticket: u64) {
        let over = || self.completed.load(Ordering::SeqCst) >= ticket || !self.running.is_locked();
        for _ in 0..LOOKS / 4 {
            if over() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleeping = self.sleepers.lock();
        self.awaited.fetch_min(ticket, Ordering::SeqCst);
        while !over() {
            // A runner that stops short of the ticket, because it waited for less, does not tell.
            self.progress.wait_for(&mut sleeping, STOPPED_SHORT);
            self.awaited.fetch_min(ticket, Ordering::SeqCst);
        }
        self.awaited.store(u64::MAX, Ordering::SeqCst);
        // Others that wait for something later name it again.
        drop(sleeping);
        self.progress.notify_all();
    }
}

impl Runner {
    fn run(&self, work: Work) {
        match work {
            Work::Launch(launch) => self.launch(launch),
            Work::Download { source, destination } => self.download(&source, destination),
            Work::Mark(mark) => mark.reached(self.queue.in_flight()),
        }
    }

    fn launch(&self, launch: Launch) {
        if let Err(error) = self.try_launch(&launch) {
            let replaced = |argument: u32| match launch.arguments.get(argument as usize) {
                Some(Argument::Value { buffer, .. }) => Some(Arc::clone(buffer)),
                _ => None,
            };
            for result in &launch.results {
                result.buffer.lose(error.clone(), result.replaces.and_then(replaced));
            }
        }
    }

    /// Donated arguments are gone when it succeeds, untouched when it fails.
    fn try_launch(&self, launch: &Launch) -> crate::Result<()> {
        let program = &launch.program;
        let mut arguments: SmallVec<[&pjrt::Buffer; 16]> = SmallVec::new();
        for argument in &launch.arguments {
            arguments.push(match argument {
                Argument::Number(buffer) => buffer,
                Argument::Value { buffer, .. } => match buffer.content() {
                    Some(Ok(buffer)) => buffer,
                    // Its own failure was noted.
                    Some(Err(lost)) => return Err(lost.error.clone()),
                    None => return Err(self.noted(Error::internal("a launch came before one that it depends on"))),
                },
            });
        }
        let mut outputs = SmallVec::new();
        let options = pjrt::ExecuteOptions { want_complete_event: true, device: self.device.as_ref(), ..Default::default() };
        let started = tracing::enabled!(target: "launch", tracing::Level::TRACE).then(Instant::now);
        let done = program.executable.execute(&arguments, options, &mut outputs).map_err(|why| self.noted(self.failure(launch, &why)))?;
        if let Some(started) = started {
            // What a plugin spends in the call: all of it where executions run in the calling thread.
            tracing::trace!(target: "launch", microseconds = started.elapsed().as_micros() as u64, "{}", program.description());
        }
        for argument in &launch.arguments {
            if let Argument::Value { buffer, donated: true } = argument {
                buffer.give_up();
            }
        }
        for (result, output) in launch.results.iter().zip(outputs) {
            result.buffer.fill(output);
        }
        if let Some(done) = done {
            self.queue.push(done, program);
        }
        Ok(())
    }

    fn download(&self, source: &Arc<DeviceBuffer>, destination: pjrt::HostDestination) {
        let started = match source.content() {
            Some(Ok(buffer)) => {
                let bytes = destination.len() as u64;
                buffer.copy_to_host_destination(destination).map_err(|why| Error::Transfer {
                    direction: "from",
                    bytes,
                    why: why.to_string(),
                })
            }
            Some(Err(_)) => return,
            None => Err(Error::internal("a copy came before the launch that makes its source")),
        };
        match started {
            Ok(done) => self.queue.push_transfer(Arc::new(done), Arc::clone(source)),
            Err(error) => self.queue.note_failure(error),
        }
    }

    fn noted(&self, error: Error) -> Error {
        self.queue.note_failure(error.clone());
        error
    }

    fn failure(&self, launch: &Launch, why: &pjrt::Error) -> Error {
        if why.is_resource_exhausted() {
            let needed: u64 = launch.results.iter().map(|result| result.buffer.bytes()).sum();
            return Error::out_of_memory(needed, launch.program.description(), why, &self.memory);
        }
        launch.program.launch_error(why)
    }
}
