//! Device memory accounting, and buffers that take part in it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::layout::Layout;

/// Bytes held by one device's buffers. Counters are relaxed: each is exact by itself.
#[derive(Debug, Default)]
pub struct MemoryAccount {
    live_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    allocated_bytes: AtomicU64,
    freed_bytes: AtomicU64,
    live_buffers: AtomicU64,
    /// Live buffers of at least `LISTED_BYTES`, by an id of their own.
    large: Mutex<HashMap<u64, Layout>>,
}

/// Buffers from this size on are listed in an out-of-memory report.
const LISTED_BYTES: u64 = 1 << 16;
/// Lines of that report.
const REPORTED: usize = 8;

impl MemoryAccount {
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes.load(Relaxed)
    }

    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Relaxed)
    }

    /// Bytes allocated since the client opened.
    pub fn allocated_bytes(&self) -> u64 {
        self.allocated_bytes.load(Relaxed)
    }

    pub fn freed_bytes(&self) -> u64 {
        self.freed_bytes.load(Relaxed)
    }

    pub fn live_buffers(&self) -> u64 {
        self.live_buffers.load(Relaxed)
    }

    /// Peak becomes what is live now.
    pub fn reset_peak(&self) {
        self.peak_bytes.store(self.live_bytes(), Relaxed);
    }

    /// What holds the memory: totals and the largest live buffers, for an out-of-memory error.
    pub fn report(&self) -> String {
        let mut large: Vec<Layout> = self.large.lock().values().copied().collect();
        large.sort_unstable_by_key(|layout| std::cmp::Reverse(layout.bytes()));
        let mut text = format!(
            "{} live in {} tensors, peak {}; the largest:",
            readable_size(self.live_bytes()),
            self.live_buffers(),
            readable_size(self.peak_bytes())
        );
        for layout in large.iter().take(REPORTED) {
            let value = layout.value();
            text.push_str(&format!("\n  {} {}{:?}", readable_size(layout.bytes()), value.element, value.dims.as_slice()));
        }
        text
    }

    /// Bytes allocated and freed are counted from here on.
    pub fn reset_accumulated(&self) {
        self.allocated_bytes.store(0, Relaxed);
        self.freed_bytes.store(0, Relaxed);
    }

    fn add(&self, bytes: u64) {
        let live = self.live_bytes.fetch_add(bytes, Relaxed) + bytes;
        if live > self.peak_bytes.load(Relaxed) {
            self.peak_bytes.fetch_max(live, Relaxed);
        }
        self.allocated_bytes.fetch_add(bytes, Relaxed);
        self.live_buffers.fetch_add(1, Relaxed);
    }

    fn remove(&self, bytes: u64) {
        self.live_bytes.fetch_sub(bytes, Relaxed);
        self.freed_bytes.fetch_add(bytes, Relaxed);
        self.live_buffers.fetch_sub(1, Relaxed);
    }
}

/// A size for people.
pub(crate) fn readable_size(bytes: u64) -> String {
    match bytes {
        0..0x40_0000 => format!("{bytes} bytes"),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

/// A PJRT buffer that is counted while it lives. Immutable once made, so shared freely.
pub(crate) struct DeviceBuffer {
    pub(crate) buffer: pjrt::Buffer,
    bytes: u64,
    /// Its id in the account's list; 0 for a small one.
    listed: u64,
    account: Arc<MemoryAccount>,
}

static NEXT_LISTED: AtomicU64 = AtomicU64::new(1);

impl DeviceBuffer {
    pub(crate) fn new(buffer: pjrt::Buffer, layout: Layout, account: &Arc<MemoryAccount>) -> Self {
        let bytes = layout.bytes();
        account.add(bytes);
        let listed = if bytes >= LISTED_BYTES { NEXT_LISTED.fetch_add(1, Relaxed) } else { 0 };
        if listed != 0 {
            account.large.lock().insert(listed, layout);
        }
        Self { buffer, bytes, listed, account: Arc::clone(account) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        self.account.remove(self.bytes);
        if self.listed != 0 {
            self.account.large.lock().remove(&self.listed);
        }
    }
}

impl std::fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceBuffer({} bytes)", self.bytes)
    }
}
