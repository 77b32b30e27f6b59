//! Device memory accounting, and buffers that take part in it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::Error;
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

/// One value on a device: promised when its launch is submitted, filled when the launch has run, and counted from then
/// on while it lives. Immutable once filled, so shared freely.
pub(crate) struct DeviceBuffer {
    content: OnceLock<std::result::Result<pjrt::Buffer, Lost>>,
    layout: Layout,
    /// Number of `BufferHandle`s.
    handles: AtomicUsize,
    /// Number of the submission that fills it; 0 for one that was made filled.
    ticket: AtomicU64,
    /// Its id in the account's list; 0 for a small one.
    listed: AtomicU64,
    /// Whether its memory is counted.
    counted: AtomicBool,
    account: Arc<MemoryAccount>,
}

/// What became of a value whose launch failed.
pub(crate) struct Lost {
    pub error: Error,
    /// The value that it should have replaced.
    pub instead: Option<Arc<DeviceBuffer>>,
}

static NEXT_LISTED: AtomicU64 = AtomicU64::new(1);

impl DeviceBuffer {
    /// The result of a launch that has not run.
    pub(crate) fn promised(layout: Layout, account: &Arc<MemoryAccount>) -> Self {
        Self {
            content: OnceLock::new(),
            layout,
            handles: AtomicUsize::new(0),
            ticket: AtomicU64::new(0),
            listed: AtomicU64::new(0),
            counted: AtomicBool::new(false),
            account: Arc::clone(account),
        }
    }

    pub(crate) fn filled(buffer: pjrt::Buffer, layout: Layout, account: &Arc<MemoryAccount>) -> BufferHandle {
        let made = Self::promised(layout, account);
        made.fill(buffer);
        BufferHandle::new(Arc::new(made))
    }

    pub(crate) fn fill(&self, buffer: pjrt::Buffer) {
        let bytes = self.layout.bytes();
        self.account.add(bytes);
        if bytes >= LISTED_BYTES {
            let listed = NEXT_LISTED.fetch_add(1, Relaxed);
            self.account.large.lock().insert(listed, self.layout);
            self.listed.store(listed, Relaxed);
        }
        self.counted.store(true, Relaxed);
        let _ = self.content.set(Ok(buffer));
    }

    /// Its memory is another's now: a program took it over, or nothing needs it.
    pub(crate) fn give_up(&self) {
        if self.counted.swap(false, Relaxed) {
            self.account.remove(self.layout.bytes());
            let listed = self.listed.load(Relaxed);
            if listed != 0 {
                self.account.large.lock().remove(&listed);
            }
        }
    }

    pub(crate) fn lose(&self, error: Error, instead: Option<Arc<DeviceBuffer>>) {
        let _ = self.content.set(Err(Lost { error, instead }));
    }

    /// `None` until the launch has run.
    pub(crate) fn content(&self) -> Option<std::result::Result<&pjrt::Buffer, &Lost>> {
        self.content.get().map(std::result::Result::as_ref)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.layout.bytes()
    }

    pub(crate) fn ticket(&self) -> u64 {
        self.ticket.load(Relaxed)
    }

    pub(crate) fn set_ticket(&self, ticket: u64) {
        self.ticket.store(ticket, Relaxed);
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// What storages and windows hold of a value. Launches that are under way hold the value itself, so that the number of
/// handles, and with it what may be donated, does not depend on how far the device has come.
#[derive(Debug)]
pub(crate) struct BufferHandle(Arc<DeviceBuffer>);

impl BufferHandle {
    pub(crate) fn new(buffer: Arc<DeviceBuffer>) -> Self {
        buffer.handles.fetch_add(1, Relaxed);
        Self(buffer)
    }

    pub(crate) fn is_sole(&self) -> bool {
        self.0.handles.load(Relaxed) == 1
    }

    pub(crate) fn buffer(&self) -> &Arc<DeviceBuffer> {
        &self.0
    }
}

impl Clone for BufferHandle {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.0))
    }
}

impl Drop for BufferHandle {
    fn drop(&mut self) {
        self.0.handles.fetch_sub(1, Relaxed);
    }
}

impl std::ops::Deref for BufferHandle {
    type Target = DeviceBuffer;

    fn deref(&self) -> &DeviceBuffer {
        &self.0
    }
}

impl std::fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceBuffer({} bytes)", self.bytes())
    }
}
