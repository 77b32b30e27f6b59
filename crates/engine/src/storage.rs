//! Storage: the bytes behind tensors. It alone owns a device value; views are PyTorch's own metadata.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use slab::Slab;

use crate::layout::Layout;
use crate::memory::{BufferHandle, Lost};
use crate::window::WindowRun;

/// What a storage holds. Values are immutable: a write gives the storage a new one, which every alias sees.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// `torch.empty`: no program wrote it yet; reads as zeros.
    Unwritten,
    /// Made, or to be made by a launch that was submitted.
    Ready(BufferHandle),
    /// Result `index` of a window that is open or being submitted.
    Pending { run: Arc<WindowRun>, index: u32, layout: Layout },
}

impl Value {
    pub(crate) fn layout(&self) -> Option<Layout> {
        match self {
            Self::Unwritten => None,
            Self::Ready(buffer) => Some(buffer.layout()),
            Self::Pending { layout, .. } => Some(*layout),
        }
    }
}

/// One reference-counted storage. `Send + Sync`: its state is behind a lock that is never held over a plugin call.
#[derive(Debug)]
pub struct Storage {
    device: u32,
    address: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: u64,
    value: Value,
}

/// Addresses are numbers that name storages, outside what a process can map: each live storage has a range of its own
/// of `RANGE` bytes, so that `data_ptr()` of a view never meets another storage.
const RANGE_BITS: u32 = 40;
const FIRST_ADDRESS: u64 = 1 << 62;

/// Live storages by the number of their range.
static LIVE: Mutex<Slab<Weak<Storage>>> = Mutex::new(Slab::new());

impl Storage {
    /// An unwritten storage of `bytes` bytes.
    pub fn new(device: u32, bytes: u64) -> Arc<Self> {
        Self::with_value(device, bytes, Value::Unwritten)
    }

    pub(crate) fn with_value(device: u32, bytes: u64, value: Value) -> Arc<Self> {
        let mut live = LIVE.lock();
        let entry = live.vacant_entry();
        let address = FIRST_ADDRESS + ((entry.key() as u64) << RANGE_BITS);
        let storage = Arc::new(Self { device, address, state: Mutex::new(State { bytes, value }) });
        entry.insert(Arc::downgrade(&storage));
        storage
    }

    /// The live storage whose first byte has this address.
    pub fn at(address: u64) -> Option<Arc<Self>> {
        let key = address.checked_sub(FIRST_ADDRESS)? >> RANGE_BITS;
        let found = LIVE.lock().get(key as usize)?.upgrade()?;
        (found.address == address).then_some(found)
    }

    /// Device index within this process.
    pub fn device(&self) -> u32 {
        self.device
    }

    /// A number for `data_ptr()`; never dereferenced.
    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn bytes(&self) -> u64 {
        self.state.lock().bytes
    }

    pub(crate) fn value(&self) -> Value {
        self.state.lock().value.clone()
    }

    pub(crate) fn value_and_bytes(&self) -> (Value, u64) {
        let state = self.state.lock();
        (state.value.clone(), state.bytes)
    }

    pub(crate) fn set_value(&self, value: Value) {
        let previous = std::mem::replace(&mut self.state.lock().value, value);
        drop(previous);
    }

    /// Resizes; the caller gives the value that holds the kept bytes.
    pub(crate) fn replace(&self, bytes: u64, value: Value) {
        let mut state = self.state.lock();
        state.bytes = bytes;
        let previous = std::mem::replace(&mut state.value, value);
        drop(state);
        drop(previous);
    }

    /// Whether the storage still waits for result `index` of `run`.
    pub(crate) fn awaits(&self, run: &Arc<WindowRun>, index: u32) -> bool {
        matches!(&self.state.lock().value, Value::Pending { run: r, index: i, .. } if *i == index && Arc::ptr_eq(r, run))
    }

    /// Gives the storage `value` if it still waits for result `index` of `run`.
    pub(crate) fn fulfil(&self, run: &Arc<WindowRun>, index: u32, value: Value) {
        let mut state = self.state.lock();
        if matches!(&state.value, Value::Pending { run: r, index: i, .. } if *i == index && Arc::ptr_eq(r, run)) {
            let previous = std::mem::replace(&mut state.value, value);
            drop(state);
            drop(previous);
        }
    }
}

/// Storages of `device` whose launches failed take the values back that these should have replaced.
pub(crate) fn restore_lost_values(device: u32) {
    let live: Vec<Arc<Storage>> = LIVE.lock().iter().filter_map(|(_, storage)| storage.upgrade()).collect();
    for storage in live.iter().filter(|storage| storage.device == device) {
        let mut state = storage.state.lock();
        while let Value::Ready(buffer) = &state.value
            && let Some(Err(Lost { instead: Some(instead), .. })) = buffer.content()
        {
            state.value = Value::Ready(BufferHandle::new(Arc::clone(instead)));
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        let forgotten = LIVE.lock().try_remove(((self.address - FIRST_ADDRESS) >> RANGE_BITS) as usize);
        drop(forgotten);
    }
}
