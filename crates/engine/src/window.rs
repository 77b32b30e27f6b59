//! The window: recorded calls that will run as one program.
//!
//! A window is a small SSA program over storage values: externals (values that exist) and results of its own
//! calls. Its key says all of that, so equal windows find one compiled program.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use aten::HostScalar;
use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;

use crate::call_site::CallSite;
use crate::layout::Layout;
use crate::memory::BufferHandle;
use crate::signature::{Destination, Signature};
use crate::storage::{Storage, Value};
use crate::{Error, Result};

/// The shared fate of one window's results. `Send + Sync`: its state is behind a lock.
#[derive(Debug, Default)]
pub(crate) struct WindowRun {
    state: Mutex<RunState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
enum RunState {
    /// Being recorded or submitted.
    #[default]
    Unfinished,
    /// Submitted; holds what another window captured before the storages were given their values.
    Submitted(Vec<Option<BufferHandle>>),
    Failed(Error),
}

impl WindowRun {
    /// Waits until the window was submitted, and returns its result `index`.
    pub(crate) fn result(&self, index: u32) -> Result<Value> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                RunState::Unfinished => self.changed.wait(&mut state),
                RunState::Submitted(results) => {
                    return match results.get(index as usize) {
                        Some(Some(buffer)) => Ok(Value::Ready(buffer.clone())),
                        _ => Err(Error::internal("a captured result did not leave its window")),
                    };
                }
                RunState::Failed(error) => return Err(error.clone()),
            }
        }
    }

    pub(crate) fn is_failed(&self) -> bool {
        matches!(&*self.state.lock(), RunState::Failed(_))
    }

    pub(crate) fn submitted(&self, results: Vec<Option<BufferHandle>>) {
        *self.state.lock() = RunState::Submitted(results);
        self.changed.notify_all();
    }

    pub(crate) fn failed(&self, error: Error) {
        *self.state.lock() = RunState::Failed(error);
        self.changed.notify_all();
    }
}

/// Where a call's tensor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The program does not read it.
    Unread,
    External(u32),
    Result(u32),
}

/// One recorded call.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub signature: Arc<Signature>,
    pub first_wire: usize,
    pub first_scalar: usize,
    pub random: Option<[u64; 2]>,
    /// Known where the row has checks.
    pub site: Option<CallSite>,
}

/// One value that the window computes.
#[derive(Debug)]
pub(crate) struct ResultSlot {
    pub layout: Layout,
    /// Storages that were given this result; it leaves the window if one of them still waits for it.
    pub owners: SmallVec<[Weak<Storage>; 1]>,
    /// Counts and checks always leave the window.
    pub always: bool,
    /// The external that a write replaces: the storage gets it back if the launch fails.
    pub replaces: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Window {
    pub device: u32,
    pub run: Arc<WindowRun>,
    pub calls: Vec<Recorded>,
    pub wires: Vec<Wire>,
    pub externals: Vec<Value>,
    pub scalars: Vec<HostScalar>,
    pub results: Vec<ResultSlot>,
    /// What identifies the window's content: signatures and wiring.
    pub key: Vec<u64>,
    external_index: HashMap<usize, u32, foldhash::fast::FixedState>,
    /// A gear hash of the recent calls: its bit i depends on the last i + 1 of them.
    rolling: u64,
    highest: u64,
    /// Number of steps when `highest` was met; 0 before.
    highest_at: usize,
    steps: usize,
}

/// Externals are searched linearly up to this many, through a map beyond.
const LINEAR_EXTERNALS: usize = 12;

/// The fused policy cuts a window `QUIET` steps after the step whose recent calls hash highest, when none has hashed
/// higher since; a step is one call, or a group of calls. The cut depends on the content alone (asymmetric extremum
/// chunking), so a loop is cut at the same calls in each iteration whatever its length: within one period there is one
/// highest hash. A window of unlike calls has about `CUT_MEMORY + 1.7 * QUIET` steps.
const QUIET: usize = 48;
/// How many calls a hash covers, and its bits. Steps at the head of a window have no such past and are passed over.
const CUT_MEMORY: usize = 20;
/// Longer programs would take long to compile: about 2 ms a call on XLA's CPU plugin, 13 if no two calls are alike.
const LONGEST: usize = 1024;

impl Window {
    pub(crate) fn on(device: u32) -> Self {
        Self { device, ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Records a call. `values` are what the call's storages hold, captured by the caller; returns the fresh
    /// storages of its outputs (`None` for undefined results and for those written through an argument).
    pub(crate) fn record(
        &mut self,
        signature: &Arc<Signature>,
        storages: &[impl std::ops::Deref<Target = Arc<Storage>>],
        values: &[Value],
        scalars: &[HostScalar],
        random: Option<[u64; 2]>,
        site: Option<CallSite>,
    ) -> SmallVec<[Option<Arc<Storage>>; 4]> {
        let (first_wire, first_scalar, first_result) = (self.wires.len(), self.scalars.len(), self.results.len());
        self.key.push(signature.id);
        self.rolling = (self.rolling << 1).wrapping_add(signature.content);
        for (tensor, value) in values.iter().enumerate() {
            let wire = if signature.reads[tensor] { self.wire(value) } else { Wire::Unread };
            self.key.push(match wire {
                Wire::Unread => 0,
                Wire::External(i) => (u64::from(i) << 2) | 1,
                Wire::Result(i) => (u64::from(i) << 2) | 2,
            });
            self.wires.push(wire);
        }
        self.scalars.extend_from_slice(scalars);
        for layout in &signature.results {
            self.results.push(ResultSlot { layout: *layout, owners: SmallVec::new(), always: true, replaces: None });
        }
        let mut fresh = SmallVec::new();
        let mut index = first_result;
        for output in &signature.outputs {
            let Some(output) = output else {
                fresh.push(None);
                continue;
            };
            let slot = &mut self.results[index];
            slot.always = false;
            let pending = Value::Pending { run: Arc::clone(&self.run), index: index as u32, layout: output.layout };
            index += 1;
            match &output.destination {
                Destination::Fresh { bytes, .. } => {
                    let storage = Storage::with_value(self.device, *bytes, pending);
                    slot.owners.push(Arc::downgrade(&storage));
                    fresh.push(Some(storage));
                }
                Destination::Write { tensor } => {
                    let replaces = match self.wires[first_wire + tensor] {
                        Wire::External(external) => Some(external),
                        Wire::Result(earlier) => self.results[earlier as usize].replaces,
                        Wire::Unread => None,
                    };
                    let slot = &mut self.results[index - 1];
                    slot.replaces = replaces;
                    slot.owners.push(Arc::downgrade(&storages[*tensor]));
                    storages[*tensor].set_value(pending);
                    fresh.push(None);
                }
            }
        }
        self.calls.push(Recorded { signature: Arc::clone(signature), first_wire, first_scalar, random, site });
        fresh
    }

    /// The same calls over externals and results that no one has: a window of its own once its externals are filled in.
    pub(crate) fn template(&self) -> Self {
        Self {
            device: self.device,
            calls: self.calls.clone(),
            wires: self.wires.clone(),
            scalars: self.scalars.clone(),
            results: self.results.iter().map(|slot| ResultSlot { owners: SmallVec::new(), ..*slot }).collect(),
            key: self.key.clone(),
            ..Self::default()
        }
    }

    /// What a storage holds that waits for result `index`.
    pub(crate) fn promise(&self, index: u32) -> Value {
        match self.results.get(index as usize) {
            Some(slot) => Value::Pending { run: Arc::clone(&self.run), index, layout: slot.layout },
            None => Value::Unwritten,
        }
    }

    /// The window will not run: its results fail with `error`, and what it was to overwrite holds its old values again.
    pub(crate) fn give_up(&mut self, error: Error) {
        self.run.failed(error);
        for (index, slot) in self.results.iter().enumerate() {
            let Some(replaced) = slot.replaces.and_then(|external| self.externals.get(external as usize)) else { continue };
            for owner in slot.owners.iter().filter_map(Weak::upgrade) {
                owner.fulfil(&self.run, index as u32, replaced.clone());
            }
        }
    }

    /// Another storage takes over a result of this window.
    pub(crate) fn share(&mut self, index: u32, storage: &Arc<Storage>) {
        if let Some(slot) = self.results.get_mut(index as usize) {
            slot.owners.push(Arc::downgrade(storage));
        }
    }

    /// Ends a step: a call that is in no group, or a group. Returns whether the fused policy closes the window now.
    pub(crate) fn end_step(&mut self) -> bool {
        self.steps += 1;
        let recent = self.rolling & ((1 << CUT_MEMORY) - 1);
        if self.steps >= CUT_MEMORY && (self.highest_at == 0 || recent > self.highest) {
            self.highest = recent;
            self.highest_at = self.steps;
        }
        self.is_full() || self.highest_at > 0 && self.steps >= self.highest_at + QUIET
    }

    /// Whether the window takes no more calls.
    pub(crate) fn is_full(&self) -> bool {
        self.calls.len() >= LONGEST
    }

    /// Empties the window for the next recording, keeping its allocations.
    pub(crate) fn reset(&mut self) {
        // The run is shared only if some storage or window still waits for it; otherwise it is fresh again.
        if Arc::strong_count(&self.run) > 1 || Arc::weak_count(&self.run) > 0 || self.run.is_finished() {
            self.run = Arc::new(WindowRun::default());
        }
        self.calls.clear();
        self.wires.clear();
        self.externals.clear();
        self.scalars.clear();
        self.results.clear();
        self.key.clear();
        self.external_index.clear();
        self.rolling = 0;
        self.highest_at = 0;
        self.steps = 0;
    }

    fn wire(&mut self, value: &Value) -> Wire {
        let identity = match value {
            Value::Unwritten => return Wire::Unread,
            Value::Pending { run, index, .. } if Arc::ptr_eq(run, &self.run) => return Wire::Result(*index),
            Value::Pending { run, index, .. } => Arc::as_ptr(run) as usize ^ ((*index as usize) << 48),
            Value::Ready(buffer) => Arc::as_ptr(buffer.buffer()) as usize,
        };
        if self.externals.len() <= LINEAR_EXTERNALS {
            if let Some(found) = self.externals.iter().position(|known| same_value(known, value)) {
                return Wire::External(found as u32);
            }
        } else {
            if self.external_index.is_empty() {
                for (i, known) in self.externals.iter().enumerate() {
                    let identity = match known {
                        Value::Unwritten => continue,
                        Value::Pending { run, index, .. } => Arc::as_ptr(run) as usize ^ ((*index as usize) << 48),
                        Value::Ready(buffer) => Arc::as_ptr(buffer.buffer()) as usize,
                    };
                    self.external_index.insert(identity, i as u32);
                }
            }
            if let Some(found) = self.external_index.get(&identity) {
                return Wire::External(*found);
            }
            self.external_index.insert(identity, self.externals.len() as u32);
        }
        self.externals.push(value.clone());
        Wire::External(self.externals.len() as u32 - 1)
    }
}

impl WindowRun {
    fn is_finished(&self) -> bool {
        !matches!(&*self.state.lock(), RunState::Unfinished)
    }
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Ready(a), Value::Ready(b)) => Arc::ptr_eq(a.buffer(), b.buffer()),
        (Value::Pending { run: a, index: i, .. }, Value::Pending { run: b, index: j, .. }) => i == j && Arc::ptr_eq(a, b),
        _ => false,
    }
}
