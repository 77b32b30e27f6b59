//! Host memory that an asynchronous copy fills, with what to do when it is filled.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::buffer::Buffer;
use crate::call_on_drop::CallOnDrop;
use crate::error::Result;
use crate::event::Event;

/// Host memory promised to one copy. Dropping it unused ends the promise too.
///
/// Send: it is the only user of the memory until `done` has run.
pub struct HostDestination {
    address: *mut u8,
    len: usize,
    done: CallOnDrop,
}

// SAFETY: the memory is used by the copy alone (see `new`), and `done` is Send.
unsafe impl Send for HostDestination {}

impl HostDestination {
    /// `done` runs once, on any thread, when the memory is not used any more: the copy has ended or failed.
    ///
    /// # Safety
    /// `len` bytes at `address` must be writable and not otherwise used until `done` has run.
    pub unsafe fn new(address: *mut u8, len: usize, done: Box<dyn FnOnce() + Send>) -> Self {
        Self { address, len, done: CallOnDrop::new(done) }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to fill.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ends the promise with zeros in place of a copy.
    pub fn fill_zero(self) {
        if self.len > 0 {
            // SAFETY: see `new`.
            unsafe { std::ptr::write_bytes(self.address, 0, self.len) };
        }
    }
}

impl Buffer {
    /// Starts the copy of [`Buffer::copy_to_host`] and returns the event of its end. The destination's `done` runs in
    /// any case, after the memory's last use.
    ///
    /// # Errors
    /// As [`Buffer::copy_to_host`], except that the computation's error comes from the event.
    pub fn copy_to_host_destination(&self, destination: HostDestination) -> Result<Event> {
        let HostDestination { address, len, done } = destination;
        // SAFETY: the promise of `HostDestination::new` holds until `done` runs, which is after the copy.
        let event = unsafe { self.copy_to_host_async(address, len) }?;
        // Shared, because a refused callback is dropped at once, while the copy is still under way.
        let done = Arc::new(Mutex::new(Some(done)));
        let in_callback = Arc::clone(&done);
        if let Err(error) = event.on_ready(move |_| drop(in_callback.lock().take())) {
            tracing::warn!(%error, "no callback for a copy to the host: waiting for it instead");
            // Its error is the event's, which the caller gets.
            let _ = event.wait();
            drop(done.lock().take());
        }
        Ok(event)
    }
}
