//! A closure that runs when it is dropped, and thereby once on every path, error paths included.

/// Runs its closure when dropped.
pub(crate) struct CallOnDrop(Option<Box<dyn FnOnce() + Send>>);

impl CallOnDrop {
    pub(crate) fn new(call: Box<dyn FnOnce() + Send>) -> Self {
        Self(Some(call))
    }
}

impl Drop for CallOnDrop {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call();
        }
    }
}
