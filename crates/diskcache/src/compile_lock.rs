//! One compile at a time for a key, across threads and processes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::layout;

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(25);

/// The right to compile one key. Dropping it, or the death of its process, passes it on.
///
/// `Send + Sync`: the lock belongs to the open file, not to a thread.
#[derive(Debug)]
pub struct CompileLock {
    file: File,
    path: PathBuf,
}

impl CompileLock {
    /// `None` if another holds the lock until the deadline, or if this file system has no locks.
    pub(crate) fn acquire(path: &Path, wait: Duration) -> Option<Self> {
        // `None` is a wait beyond the end of the clock, that is, for ever.
        let deadline = Instant::now().checked_add(wait);
        loop {
            let file = open(path).inspect_err(|error| refused(path, error)).ok()?;
            if !lock_until(&file, path, deadline) {
                return None;
            }
            // The last holder removed the file while we waited for it: whoever comes now locks a new one.
            if layout::names_file(path, &file) {
                return Some(Self { file, path: path.to_owned() });
            }
        }
    }
}

impl Drop for CompileLock {
    fn drop(&mut self) {
        // Removed while still locked, so that nobody can hold it under this name.
        remove_locked(&self.path, &self.file);
        // Explicit: a forked child may have inherited the open file and would keep the lock.
        let _ = self.file.unlock();
    }
}

/// Removes the lock file `path` if `file`, which the caller has locked, is what it names.
pub(crate) fn remove_locked(path: &Path, file: &File) {
    if layout::names_file(path, file) {
        let _ = fs::remove_file(path);
    }
}

fn open(path: &Path) -> io::Result<File> {
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(path);
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), layout::create_private)?;
            open()
        }
        result => result,
    }
}

/// std can wait for a file lock without limit or not at all, hence the polling.
fn lock_until(file: &File, path: &Path, deadline: Option<Instant>) -> bool {
    let mut pause = FIRST_PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => {
                refused(path, &error);
                return false;
            }
        }
        let left = deadline.map_or(LONGEST_PAUSE, |at| at.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return false;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn refused(path: &Path, error: &io::Error) {
    tracing::debug!(path = %path.display(), %error, "no compile lock");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn threads_exclude_each_other_and_leave_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("folder/a.lock");
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lock = CompileLock::acquire(&path, Duration::from_secs(60)).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(!path.exists());
    }

    #[test]
    fn waiting_ends_at_the_deadline() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.lock");
        let held = CompileLock::acquire(&path, Duration::ZERO).unwrap();
        let start = Instant::now();
        assert!(CompileLock::acquire(&path, Duration::from_millis(60)).is_none());
        assert!(start.elapsed() >= Duration::from_millis(60));
        assert!(CompileLock::acquire(&path, Duration::ZERO).is_none());
        drop(held);
        assert!(CompileLock::acquire(&path, Duration::MAX).is_some());
    }

    #[test]
    fn a_place_without_files_gives_no_lock() {
        assert!(CompileLock::acquire(Path::new("/dev/null/a.lock"), Duration::from_secs(9)).is_none());
    }
}
