//! Device checks (indices out of range) that wait to be read at the next sync.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::call_site::{self, CallSite};
use crate::memory::BufferHandle;
use crate::{Error, Result};

/// A check's results on the device.
pub(crate) struct PendingCheck {
    pub failed: BufferHandle,
    pub value: BufferHandle,
    pub op: &'static str,
    pub message: String,
    pub exception: aten::Exception,
    pub site: Option<CallSite>,
}

/// `Send + Sync`: the list is behind a lock that is not held while waiting.
#[derive(Default)]
pub(crate) struct PendingChecks {
    list: Mutex<Vec<PendingCheck>>,
    count: AtomicUsize,
}

/// Beyond this many, checks that are done and passed are dropped as new ones come.
const SWEEP: usize = 64;

impl PendingChecks {
    pub(crate) fn push(&self, check: PendingCheck) {
        let mut list = self.list.lock();
        if list.len() >= SWEEP {
            list.retain(|check| !matches!(check.passed_already(), Some(true)));
        }
        list.push(check);
        self.count.store(list.len(), Relaxed);
    }

    /// Waits for the checks of the launches that were run so far and returns the first that failed.
    pub(crate) fn verify(&self) -> Result<()> {
        if self.count.load(Relaxed) == 0 {
            return Ok(());
        }
        let list = std::mem::take(&mut *self.list.lock());
        self.count.store(0, Relaxed);
        for check in list {
            check.read()?;
        }
        Ok(())
    }
}

impl PendingCheck {
    fn passed_already(&self) -> Option<bool> {
        let ready = self.failed.content()?.ok()?.ready_event().ok()?;
        ready.is_ready().then(|| self.read().is_ok())
    }

    fn read(&self) -> Result<()> {
        // The failure of the launch itself is raised elsewhere.
        let (Some(Ok(failed_flag)), Some(Ok(offender))) = (self.failed.content(), self.value.content()) else { return Ok(()) };
        let transfer = |why: pjrt::Error| Error::Transfer { direction: "from", bytes: 1, why: why.to_string() };
        let mut failed = [0u8; 1];
        failed_flag.copy_to_host(&mut failed).map_err(transfer)?;
        if failed[0] == 0 {
            return Ok(());
        }
        let mut value = [0u8; 8];
        offender.copy_to_host(&mut value).map_err(transfer)?;
        let value = i64::from_le_bytes(value);
        let site = call_site::note("called", self.site.as_ref());
        let (op, message) = (self.op.to_owned(), self.message.replace("{}", &value.to_string()) + &site);
        Err(match self.exception {
            aten::Exception::Index => Error::OutOfRange { op, message },
            aten::Exception::Runtime => Error::BadData { op, message },
        })
    }
}
