//! Walks the directory: counts entries, evicts the least recently used, removes what dead processes left.
//!
//! Safe beside other processes: a file that has vanished was swept by one of them.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::compile_lock;
use crate::layout::{self, Kind};

/// A writer locks its temporary file right after creating it. Younger ones may not be locked yet.
const GRACE: Duration = Duration::from_secs(60);
/// No write takes this long: the file goes even where locks do not work. Also the age at which an unheld lock file goes.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How much the cache holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub entries: u64,
    /// Length of the entries' files, headers included.
    pub bytes: u64,
}

/// Counts the entries below `root`.
pub(crate) fn size(root: &Path) -> Size {
    total(&files(root).into_iter().filter(|file| file.kind == Kind::Entry).collect::<Vec<_>>())
}

/// If the entries exceed `limit` bytes, removes the least recently used until `target` is reached, except `keep`.
/// Returns what is left.
pub(crate) fn evict(root: &Path, limit: u64, target: u64, keep: Option<&Path>) -> Size {
    let mut entries = remove_abandoned(files(root));
    let mut left = total(&entries);
    if left.bytes <= limit {
        return left;
    }
    let before = left;
    entries.sort_by_key(|entry| entry.modified);
    for entry in &entries {
        if left.bytes <= target {
            break;
        }
        if Some(entry.path.as_path()) != keep && remove(&entry.path) {
            left.entries -= 1;
            left.bytes -= entry.len;
        }
    }
    tracing::debug!(entries = before.entries - left.entries, bytes = before.bytes - left.bytes, "evicted programs");
    left
}

/// Removes every entry. Returns what was removed.
pub(crate) fn clear(root: &Path) -> Size {
    let mut entries = remove_abandoned(files(root));
    entries.retain(|entry| remove(&entry.path));
    total(&entries)
}

#[derive(Debug)]
struct Found {
    path: PathBuf,
    kind: Kind,
    len: u64,
    /// For an entry: when it was last used.
    modified: SystemTime,
}

/// The regular files of ours one folder below `root`. What cannot be read is left out.
fn files(root: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in fs::read_dir(root).into_iter().flatten().flatten() {
        for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let kind = layout::kind(&file.file_name());
            let Ok(metadata) = file.metadata() else { continue };
            if kind == Kind::Foreign || !metadata.is_file() {
                continue;
            }
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(Found { path: file.path(), kind, len: metadata.len(), modified });
        }
    }
    found
}

fn total(entries: &[Found]) -> Size {
    Size { entries: entries.len() as u64, bytes: entries.iter().map(|entry| entry.len).sum() }
}

/// Removes the temporary and lock files of dead processes. Returns the entries.
fn remove_abandoned(files: Vec<Found>) -> Vec<Found> {
    let now = SystemTime::now();
    let mut entries = Vec::new();
    for file in files {
        let age = now.duration_since(file.modified).unwrap_or_default();
        match file.kind {
            Kind::Entry => entries.push(file),
            Kind::Temporary if age > ABANDONED || age > GRACE && lock(&file.path).is_some() => {
                remove(&file.path);
            }
            Kind::Lock if age > ABANDONED => {
                if let Some(held) = lock(&file.path) {
                    compile_lock::remove_locked(&file.path, &held);
                }
            }
            Kind::Temporary | Kind::Lock | Kind::Foreign => {}
        }
    }
    entries
}

/// Locks the file if no living process does. Unlike a process id this also tells across containers and hosts.
fn lock(path: &Path) -> Option<File> {
    let file = OpenOptions::new().write(true).open(path).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Whether the file is gone.
fn remove(path: &Path) -> bool {
    match fs::remove_file(path) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "cannot remove from the program cache");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, age: Duration) -> File {
        let file = File::create(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        file
    }

    #[test]
    fn only_what_dead_processes_left_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("ab");
        fs::create_dir(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        let minutes = |count: u64| Duration::from_secs(60 * count);
        let writing = aged(&at(".tmp-writing"), minutes(2));
        writing.lock().unwrap();
        let compiling = aged(&at("compiling.lock"), minutes(300));
        compiling.lock().unwrap();
        aged(&at(".tmp-new"), minutes(0));
        aged(&at(".tmp-dead"), minutes(2));
        aged(&at(".tmp-old"), minutes(61)).lock().unwrap();
        aged(&at("new.lock"), minutes(59));
        aged(&at("dead.lock"), minutes(61));
        aged(&at("old.program"), minutes(10_000));
        aged(&at("README"), minutes(10_000));

        assert_eq!(evict(directory.path(), 100, 100, None), Size { entries: 1, bytes: 0 });
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".tmp-new", ".tmp-writing", "README", "compiling.lock", "new.lock", "old.program"]);
    }

    #[test]
    fn a_missing_directory_is_empty() {
        let root = Path::new("/dev/null/nowhere");
        assert_eq!(size(root), Size::default());
        assert_eq!(evict(root, 0, 0, None), Size::default());
        assert_eq!(clear(root), Size::default());
    }
}
