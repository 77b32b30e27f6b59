//! Events: the moment at which an execution, a copy or a buffer is done, with its success or error.

use std::ffi::c_void;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::abi::{self, PJRT_Error, PJRT_Event};
use crate::api::call;
use crate::client::ClientInner;
use crate::error::{Error, Result};
use crate::plugin::Plugin;

/// Something that will be done. Dropping it forgets about it and waits for nothing.
///
/// Send + Sync: PJRT event entry points are thread safe, and the event lives until drop.
pub struct Event {
    raw: NonNull<PJRT_Event>,
    client: Arc<ClientInner>,
}

// SAFETY: the plugin's events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; no method changes the Rust side.
unsafe impl Sync for Event {}

impl Event {
    /// Takes over an event; null is an error of the entry point that should have made it.
    ///
    /// # Safety
    /// `raw` must be null or a live event of `client`'s plugin that nothing else destroys.
    pub(crate) unsafe fn from_raw(raw: *mut PJRT_Event, client: &Arc<ClientInner>, entry: abi::Entry) -> Result<Self> {
        match NonNull::new(raw) {
            Some(raw) => Ok(Self { raw, client: Arc::clone(client) }),
            None => Err(client.returned_null(entry, "event")),
        }
    }

    /// Whether it is done, well or badly. An error of the query itself counts as done: [`Event::wait`] reports it.
    pub fn is_ready(&self) -> bool {
        if self.client.check_process().is_err() {
            return true;
        }
        // SAFETY: the event is live.
        let answer = unsafe { call!(self.client.api(), PJRT_Event_IsReady_Args { event: self.raw.as_ptr() }) };
        answer.map_or(true, |args| args.is_ready)
    }

    /// Blocks until it is done. Takes no lock; other threads may wait on the same event.
    ///
    /// # Errors
    /// [`Error::Plugin`] with the error of the work that the event stands for, [`Error::ForkedProcess`].
    pub fn wait(&self) -> Result<()> {
        self.client.check_process()?;
        // SAFETY: the event is live.
        unsafe { call!(self.client.api(), PJRT_Event_Await_Args { event: self.raw.as_ptr() }) }.map(drop)
    }

    /// Calls `callback` once, when it is done: on this thread if it is done already, else on a thread of the plugin.
    /// The callback must be short and must not wait for device work. It must not own the last handle of the client,
    /// because a client cannot be destroyed on one of its own threads. The event may be dropped before.
    ///
    /// # Errors
    /// If the plugin refuses to register it; `callback` is then dropped without a call.
    pub fn on_ready(&self, callback: impl FnOnce(Result<()>) + Send + 'static) -> Result<()> {
        self.client.check_process()?;
        let pending = Box::into_raw(Box::new(Pending {
            // Not the client: see above.
            plugin: self.client.plugin().clone(),
            callback: Box::new(callback),
        }));
        // SAFETY: the event is live, and `pending` stays allocated until `run_pending` or the error branch takes it.
        let answer = unsafe {
            call!(
                self.client.api(),
                PJRT_Event_OnReady_Args { event: self.raw.as_ptr(), callback: Some(run_pending), user_arg: pending.cast::<c_void>() }
            )
        };
        answer.map(drop).inspect_err(|_| {
            // SAFETY: a plugin that returns an error has not taken the callback, so it is still ours.
            drop(unsafe { Box::from_raw(pending) });
        })
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Event(ready: {})", self.is_ready())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.client.check_process().is_err() {
            return;
        }
        // SAFETY: the event is live and not used again.
        let answer = unsafe { call!(self.client.api(), PJRT_Event_Destroy_Args { event: self.raw.as_ptr() }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "an event was not destroyed");
        }
    }
}

struct Pending {
    plugin: Plugin,
    callback: Box<dyn FnOnce(Result<()>) + Send>,
}

unsafe extern "C" fn run_pending(error: *mut PJRT_Error, user_arg: *mut c_void) {
    // SAFETY: `user_arg` is the box that `on_ready` leaked, and the plugin calls back once.
    let pending = unsafe { Box::from_raw(user_arg.cast::<Pending>()) };
    let outcome = if error.is_null() {
        Ok(())
    } else {
        // SAFETY: a callback owns the error it is given.
        Err(unsafe { pending.plugin.api().take_error(ORIGIN, error) })
    };
    // A panic must not unwind into the plugin.
    let callback = AssertUnwindSafe(|| (pending.callback)(outcome));
    if std::panic::catch_unwind(callback).is_err() {
        tracing::error!("a PJRT event callback panicked");
    }
}

const ORIGIN: &str = "PJRT_Event_OnReady";

impl ClientInner {
    #[cold]
    pub(crate) fn returned_null(&self, entry: abi::Entry, what: &str) -> Error {
        Error::Plugin {
            entry: entry.name(),
            code: crate::error::ErrorCode::Internal,
            message: format!("the plugin reported success but returned no {what}"),
        }
    }
}
