//! Storage: the bytes behind tensors. It alone owns a device value; views are PyTorch's own metadata.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::layout::Layout;
use crate::memory::DeviceBuffer;
use crate::window::WindowRun;

/// What a storage holds. Values are immutable: a write gives the storage a new one, which every alias sees.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// `torch.empty`: no program wrote it yet; reads as zeros.
    Unwritten,
    Ready { buffer: Arc<DeviceBuffer>, layout: Layout },
    /// Result `index` of a window that is open or being launched.
    Pending { run: Arc<WindowRun>, index: u32, layout: Layout },
}

impl Value {
    pub(crate) fn layout(&self) -> Option<Layout> {
        match self {
            Self::Unwritten => None,
            Self::Ready { layout, .. } | Self::Pending { layout, .. } => Some(*layout),
        }
    }
}

/// One reference-counted storage. `Send + Sync`: its state is behind a lock that is never held over a plugin call.
#[derive(Debug)]
pub struct Storage {
    device: u32,
    address: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: u64,
    value: Value,
}

/// Addresses are numbers that name storages: unique while the process lives, far apart enough that
/// `data_ptr()` of views never meets another storage, and outside what a process can map.
static NEXT_ADDRESS: AtomicU64 = AtomicU64::new(1 << 56);
const ADDRESS_ALIGNMENT: u64 = 512;

/// The first address of a range that no other storage has.
fn name_range(bytes: u64) -> u64 {
    NEXT_ADDRESS.fetch_add(bytes.div_ceil(ADDRESS_ALIGNMENT).max(1) * ADDRESS_ALIGNMENT, Relaxed)
}

impl Storage {
    /// An unwritten storage of `bytes` bytes.
    pub fn new(device: u32, bytes: u64) -> Arc<Self> {
        Self::with_value(device, bytes, Value::Unwritten)
    }

    pub(crate) fn with_value(device: u32, bytes: u64, value: Value) -> Arc<Self> {
        Arc::new(Self { device, address: AtomicU64::new(name_range(bytes)), state: Mutex::new(State { bytes, value }) })
    }

    /// Device index within this process.
    pub fn device(&self) -> u32 {
        self.device
    }

    /// A number for `data_ptr()`; never dereferenced.
    pub fn address(&self) -> u64 {
        self.address.load(Relaxed)
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
        if bytes > state.bytes {
            self.address.store(name_range(bytes), Relaxed);
        }
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
