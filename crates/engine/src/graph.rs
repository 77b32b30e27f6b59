//! Graphs: a function of tensors whose calls are recorded once, and which then runs as one program with other tensors.
//!
//! `capture_begin` -> the function's calls, recorded into a window of the capture's own -> `capture_end`, which runs the
//! window and keeps it as a `Capture`. `graph_run` fills a copy of the kept window with new arguments, and runs it as
//! any window is run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use parking_lot::RwLock;
use smallvec::SmallVec;

use crate::random::random_state;
use crate::session::Session;
use crate::settings::Mode;
use crate::storage::{Storage, Value};
use crate::window::Window;
use crate::{Error, Result};

/// What a function is called with. Its tensors are given by their storages and by where they start in them; that the
/// rest of their geometry is the same for equal `numbers` is the caller's promise.
#[derive(Debug, Clone, Copy)]
pub struct GraphArguments<'a, S> {
    pub device: u32,
    /// Whatever else the function depends on, such as sizes.
    pub numbers: &'a [i64],
    pub storages: &'a [S],
    /// Elements.
    pub offsets: &'a [i64],
}

/// The captures of one function, by what it is called with. `Send + Sync`: they are behind a lock.
#[derive(Debug, Default)]
pub struct Graph {
    captures: RwLock<HashMap<Box<[u64]>, Arc<Capture>, foldhash::fast::FixedState>>,
}

/// The function, recorded for arguments of one kind.
#[derive(Debug)]
pub struct Capture {
    /// Has no externals and no owners of results.
    window: Window,
    externals: Vec<Source>,
    /// Arguments whose storages hold another value afterwards.
    writes: Vec<(usize, Source)>,
    /// The storages that the function makes, with their bytes.
    fresh: Vec<(Source, u64)>,
    outputs: Vec<OutputMemory>,
}

/// Whose memory a result is a view of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputMemory {
    /// That of the argument of this number.
    Argument(usize),
    /// That of the function's own storage of this number; several results may share one.
    Fresh(usize),
}

/// Where a value comes from when a capture runs.
#[derive(Debug, Clone)]
enum Source {
    /// What the storage of this argument held at the start.
    Argument(usize),
    Result(u32),
    /// A value that belongs to the function.
    Constant(Value),
}

/// A capture that a thread is recording.
struct Recording {
    window: Window,
    key: Box<[u64]>,
    /// What the arguments' storages held at the start.
    values: Vec<Value>,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// A function that is called with arguments of more kinds than this is recorded anew for each call.
const MOST_CAPTURES: usize = 256;

/// Runs `with` on the window of the capture that this thread records; `None` if it records none.
pub(crate) fn with_recording<R>(with: impl FnOnce(&mut Window) -> R) -> Option<R> {
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(|recording| with(&mut recording.window)))
}

/// Refuses `what` in a capture: it would have to be known before the program runs.
pub(crate) fn refuse_in_capture(what: impl FnOnce() -> String) -> Result<()> {
    match with_recording(|_| ()) {
        Some(()) => Err(Error::NotInGraph { what: what() }),
        None => Ok(()),
    }
}

impl Graph {
    /// Whether another capture can be kept.
    pub fn has_room(&self) -> bool {
        self.captures.read().len() < MOST_CAPTURES
    }
}

impl Capture {
    /// Number of random draws of a run.
    pub fn draws(&self) -> usize {
        self.window.calls.iter().filter(|call| call.random.is_some()).count()
    }

    /// Number of storages that a run makes.
    pub fn fresh(&self) -> usize {
        self.fresh.len()
    }

    /// The results in the order that `capture_end` was given.
    pub fn outputs(&self) -> &[OutputMemory] {
        &self.outputs
    }
}

/// What the arguments hold, where they start in it, and which of them share a value or a storage: calls are recorded
/// by value, so a capture serves arguments that share as those did that it was recorded with.
fn key_of<S: Deref<Target = Arc<Storage>>>(arguments: &GraphArguments<'_, S>, values: &[Value]) -> SmallVec<[u64; 128]> {
    let mut key = SmallVec::with_capacity(1 + arguments.numbers.len() + 4 * values.len());
    key.push(arguments.numbers.len() as u64);
    key.extend(arguments.numbers.iter().map(|number| *number as u64));
    let mut first_of_value: HashMap<usize, u64, foldhash::fast::FixedState> = HashMap::default();
    let mut first_of_storage: HashMap<usize, u64, foldhash::fast::FixedState> = HashMap::default();
    for (position, ((value, storage), offset)) in (0u64..).zip(values.iter().zip(arguments.storages).zip(arguments.offsets)) {
        key.push(value.layout().map_or_else(|| storage.bytes() << 32, |layout| layout.word()));
        key.push(*offset as u64);
        let same_value = value_identity(value).map_or(position, |value| *first_of_value.entry(value).or_insert(position));
        let same_storage = *first_of_storage.entry(Arc::as_ptr(storage) as usize).or_insert(position);
        key.push(same_value | same_storage << 32);
    }
    key
}

/// What tells a value that exists from others.
fn value_identity(value: &Value) -> Option<usize> {
    match value {
        Value::Ready(buffer) => Some(Arc::as_ptr(buffer.buffer()) as usize),
        _ => None,
    }
}

impl Recording {
    /// Where a value comes from that was found when all calls were recorded.
    fn source_of(&self, value: &Value) -> Source {
        if let Value::Pending { run, index, .. } = value
            && Arc::ptr_eq(run, &self.window.run)
        {
            return Source::Result(*index);
        }
        let identity = value_identity(value);
        match self.values.iter().position(|argument| identity.is_some() && value_identity(argument) == identity) {
            Some(argument) => Source::Argument(argument),
            None => Source::Constant(value.clone()),
        }
    }

    fn holds_another_value(&self, argument: usize, now: &Value) -> bool {
        match (now, self.values.get(argument)) {
            (Value::Pending { .. }, _) => true,
            (now, Some(before)) => value_identity(now) != value_identity(before),
            (_, None) => false,
        }
    }

    fn capture<S: Deref<Target = Arc<Storage>>>(&self, storages: &[S], outputs: &[Arc<Storage>]) -> Capture {
        let first_argument = |storage: &Arc<Storage>| storages.iter().position(|argument| Arc::ptr_eq(argument, storage));
        let mut writes = Vec::new();
        for (argument, storage) in storages.iter().enumerate() {
            let value = storage.value();
            if self.holds_another_value(argument, &value) && first_argument(storage) == Some(argument) {
                writes.push((argument, self.source_of(&value)));
            }
        }
        let mut own: Vec<&Arc<Storage>> = Vec::new();
        let outputs = outputs
            .iter()
            .map(|storage| match (first_argument(storage), own.iter().position(|known| Arc::ptr_eq(known, storage))) {
                (Some(argument), _) => OutputMemory::Argument(argument),
                (None, Some(known)) => OutputMemory::Fresh(known),
                (None, None) => {
                    own.push(storage);
                    OutputMemory::Fresh(own.len() - 1)
                }
            })
            .collect();
        let fresh = own.iter().map(|storage| storage.value_and_bytes()).map(|(value, bytes)| (self.source_of(&value), bytes)).collect();
        let externals = self.window.externals.iter().map(|value| self.source_of(value)).collect();
        Capture { window: self.window.template(), externals, writes, fresh, outputs }
    }
}

impl Session {
    /// The capture of `graph` for these arguments, if it has been recorded. What was recorded outside of it runs first.
    pub fn graph_find<S: Deref<Target = Arc<Storage>>>(
        &self,
        graph: &Graph,
        arguments: GraphArguments<'_, S>,
    ) -> Result<Option<Arc<Capture>>> {
        self.flush(arguments.device)?;
        let values: SmallVec<[Value; 32]> = arguments.storages.iter().map(|storage| storage.value()).collect();
        let key = key_of(&arguments, &values);
        Ok(graph.captures.read().get(key.as_slice()).cloned())
    }

    /// From here on this thread's calls are recorded into a capture, until `capture_end` or `capture_abort`.
    pub fn capture_begin<S: Deref<Target = Arc<Storage>>>(&self, arguments: GraphArguments<'_, S>) -> Result<()> {
        refuse_in_capture(|| "another compiled graph".to_owned())?;
        self.flush(arguments.device)?;
        let values: Vec<Value> = arguments.storages.iter().map(|storage| storage.value()).collect();
        let key = key_of(&arguments, &values).as_slice().into();
        let recording = Recording { window: Window::on(arguments.device), key, values };
        RECORDING.with_borrow_mut(|current| *current = Some(recording));
        Ok(())
    }

    /// Keeps what was recorded in `graph`, and runs it for this call. `storages` are those of the arguments, `outputs`
    /// those of the results.
    pub fn capture_end<S: Deref<Target = Arc<Storage>>>(
        &self,
        graph: &Graph,
        storages: &[S],
        outputs: &[Arc<Storage>],
    ) -> Result<Arc<Capture>> {
        let Some(recording) = RECORDING.take() else { return Err(Error::internal("a capture ends that was not begun")) };
        let capture = Arc::new(recording.capture(storages, outputs));
        let Recording { mut window, key, values } = recording;
        drop(values);
        self.run(&mut window)?;
        self.synchronize_in_debug_mode(window.device)?;
        graph.captures.write().insert(key, Arc::clone(&capture));
        Ok(capture)
    }

    /// Drops what was recorded: arguments that it wrote to hold their old values again.
    pub fn capture_abort(&self) {
        if let Some(Recording { mut window, .. }) = RECORDING.take() {
            window.give_up(Error::NotInGraph { what: "a graph whose recording was given up".to_owned() });
        }
    }

    /// Runs a capture with the arguments that `graph_find` found it for. `draws` are seeds and numbers of the random
    /// draws; `release` is called when the arguments' values have been taken, so that the caller can drop its tensors and
    /// their memory can be used again. Returns the storages that were made.
    pub fn graph_run<S: Deref<Target = Arc<Storage>>>(
        &self,
        capture: &Capture,
        arguments: GraphArguments<'_, S>,
        draws: &[(u64, u64)],
        release: impl FnOnce(),
    ) -> Result<Vec<Arc<Storage>>> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        let value_of = |argument: usize| arguments.storages.get(argument).map_or(Value::Unwritten, |storage| storage.value());
        let mut window = capture.window.template();
        window.device = arguments.device;
        let mut draws = draws.iter();
        for call in window.calls.iter_mut().filter(|call| call.random.is_some()) {
            call.random = draws.next().map(|(seed, offset)| random_state(*seed, *offset));
        }
        window.externals = capture
            .externals
            .iter()
            .map(|source| match source {
                Source::Argument(argument) => value_of(*argument),
                Source::Constant(value) => value.clone(),
                Source::Result(_) => Value::Unwritten,
            })
            .collect();
        let mut give = |source: &Source, storage: Option<&Arc<Storage>>, bytes: u64| -> Arc<Storage> {
            let value = match source {
                Source::Argument(argument) => value_of(*argument),
                Source::Constant(value) => value.clone(),
                Source::Result(index) => window.promise(*index),
            };
            let storage = match storage {
                Some(storage) => {
                    storage.set_value(value);
                    Arc::clone(storage)
                }
                None => Storage::with_value(arguments.device, bytes, value),
            };
            if let Source::Result(index) = source {
                window.share(*index, &storage);
            }
            storage
        };
        let fresh: Vec<Arc<Storage>> = capture.fresh.iter().map(|(source, bytes)| give(source, None, *bytes)).collect();
        // Written last: until then an argument's value is what it was at the start.
        let copied = |source: &Source| matches!(source, Source::Argument(_));
        for (argument, source) in
            capture.writes.iter().filter(|(_, source)| copied(source)).chain(capture.writes.iter().filter(|(_, source)| !copied(source)))
        {
            if let Some(storage) = arguments.storages.get(*argument) {
                give(source, Some(storage), 0);
            }
        }
        release();
        self.run(&mut window)?;
        self.synchronize_in_debug_mode(window.device)?;
        Ok(fresh)
    }

    fn synchronize_in_debug_mode(&self, device: u32) -> Result<()> {
        if self.mode() == Mode::Debug { self.synchronize(device) } else { Ok(()) }
    }
}
