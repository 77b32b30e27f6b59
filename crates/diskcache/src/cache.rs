//! The cache: load, store, and who compiles.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use tempfile::NamedTempFile;

use crate::entry::{self, Reject};
use crate::{CompileLock, Error, Key, Size, layout, sweep};

/// The directory is counted again after this long, because other processes store into it too.
const RECOUNT: Duration = Duration::from_secs(60);
/// `explain_miss` reads at most this many headers.
const MAX_EXPLAINED: usize = 256;

/// What was found under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// The stored bytes, verified.
    Hit(Vec<u8>),
    /// No entry.
    Miss,
    /// A file that is damaged, of another version or key (now removed), or unreadable. The text says why.
    Stale(String),
}

/// A directory of entries, of limited size, shared with any number of processes.
///
/// `Send + Sync`: the files are only ever created by rename, and the one field that changes is behind a short mutex.
#[derive(Debug)]
pub struct DiskCache {
    root: PathBuf,
    limit_bytes: u64,
    version: String,
    tally: Mutex<Tally>,
}

/// What this process knows about the size of the directory.
#[derive(Debug, Default)]
struct Tally {
    /// Bytes at the last count and bytes stored since by this process.
    bytes: u64,
    counted: Option<Instant>,
    /// Whether a thread is sweeping now.
    sweeping: bool,
}

impl DiskCache {
    /// Opens `directory`, creating it for this user only. Entries take at most `limit_bytes` in it.
    ///
    /// # Errors
    /// [`Error::Directory`] if it cannot be created or written.
    pub fn open(directory: &Path, limit_bytes: u64) -> Result<Self, Error> {
        let root = directory.join(layout::LAYOUT);
        layout::create_private(&root)
            .and_then(|()| tempfile::tempfile_in(&root))
            .and_then(|mut probe| probe.write_all(b"probe"))
            .map_err(|source| Error::Directory { path: directory.to_owned(), source })?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { root, limit_bytes, version, tally: Mutex::default() })
    }

    /// Reads and writes entries of this version of ours instead of the package's version, for example with a build hash.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Loads and verifies the entry of `key`, and marks it as used. Never fails: what cannot be used is [`Lookup::Stale`].
    pub fn load(&self, key: &Key) -> Lookup {
        let path = layout::entry_path(&self.root, key);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Lookup::Miss,
            Err(error) => return Lookup::Stale(format!("{}: {}", path.display(), Reject::Io(error))),
        };
        match entry::read(&mut file, &self.version, key) {
            Ok(payload) => {
                // Another user's file refuses this; it is then evicted by its age.
                let _ = file.set_modified(SystemTime::now());
                Lookup::Hit(payload)
            }
            Err(reject) => {
                // Another process may have put a good entry in its place already.
                if reject.is_final() && layout::names_file(&path, &file) {
                    let _ = fs::remove_file(&path);
                }
                Lookup::Stale(format!("{}: {reject}", path.display()))
            }
        }
    }

    /// Stores `blob` as the entry of `key`, replacing any other, then evicts if the limit is passed.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::KeyTooLong`], or [`Error::Store`] if the disk refuses.
    pub fn store(&self, key: &Key, blob: &[u8]) -> Result<(), Error> {
        let header = entry::header_bytes(&self.version, key, blob)?;
        let bytes = header.len() as u64 + blob.len() as u64;
        if bytes > self.limit_bytes {
            return Err(Error::TooLarge { bytes, limit: self.limit_bytes });
        }
        let path = layout::entry_path(&self.root, key);
        let folder = layout::folder(&self.root, key);
        write_entry(&folder, &path, &header, blob)
            .or_else(|error| match error.kind() {
                // Someone removed the folder or the temporary file under us.
                io::ErrorKind::NotFound => write_entry(&folder, &path, &header, blob),
                _ => Err(error),
            })
            .map_err(|source| Error::Store { path: path.clone(), source })?;
        self.count_stored(bytes, &path);
        Ok(())
    }

    /// Waits at most `wait` for the right to compile `key`, so that processes that start together compile it once.
    ///
    /// With the lock in hand, [`load`](Self::load) again: the holder before may have stored it. `None` means: compile anyway.
    /// A thread that already holds the key's lock waits for itself until the deadline.
    pub fn lock_for_compile(&self, key: &Key, wait: Duration) -> Option<CompileLock> {
        CompileLock::acquire(&layout::lock_path(&self.root, key), wait)
    }

    /// Says which parts differ between `key` and the nearest entry with the same first part; `None` if there is none.
    pub fn explain_miss(&self, key: &Key) -> Option<String> {
        let prefix = layout::subject_prefix(key);
        let folder = fs::read_dir(layout::folder(&self.root, key)).ok()?;
        let nearest = folder
            .flatten()
            .filter(|file| file.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()))
            .filter(|file| layout::kind(&file.file_name()) == layout::Kind::Entry)
            .take(MAX_EXPLAINED)
            .filter_map(|file| entry::read_header(&mut File::open(file.path()).ok()?).ok())
            .map(|header| key.differing(&header.parts).into_iter().map(str::to_owned).collect::<Vec<_>>())
            .filter(|differing| !differing.is_empty())
            .min_by_key(Vec::len)?;
        let subject = key.parts().first()?.name();
        let (noun, verb) = if nearest.len() == 1 { ("part", "differs") } else { ("parts", "differ") };
        Some(format!("an entry with the same `{subject}` exists, but {noun} `{}` {verb}", nearest.join("`, `")))
    }

    /// Counts the entries on disk, those of other processes included.
    pub fn size(&self) -> Size {
        sweep::size(&self.root)
    }

    /// Removes every entry, also those that other processes stored. Returns what was removed.
    pub fn clear(&self) -> Size {
        let removed = sweep::clear(&self.root);
        // The next store counts what is left.
        self.tally.lock().counted = None;
        removed
    }

    /// Adds to the tally, and sweeps when the tally is over the limit or too old to be believed.
    fn count_stored(&self, bytes: u64, stored: &Path) {
        self.tally.lock().bytes += bytes;
        // Below the limit by a tenth, so that the next stores need no sweep.
        let target = self.limit_bytes - self.limit_bytes / 10;
        while self.begin_sweep() {
            let left = sweep::evict(&self.root, self.limit_bytes, target, Some(stored));
            let mut tally = self.tally.lock();
            // Capped: files that cannot be removed must not cause a sweep at every store.
            tally.bytes += left.bytes.min(target);
            tally.counted = Some(Instant::now());
            tally.sweeping = false;
        }
    }

    fn begin_sweep(&self) -> bool {
        let mut tally = self.tally.lock();
        let old = tally.counted.is_none_or(|at| at.elapsed() > RECOUNT);
        if tally.sweeping || !(old || tally.bytes > self.limit_bytes) {
            return false;
        }
        tally.sweeping = true;
        // From here on the tally holds what other threads store during the sweep.
        tally.bytes = 0;
        true
    }
}

/// Writes a temporary file and renames it: other processes see the whole entry or none.
///
/// No fsync: after a power cut the file may be short, which its checksum tells, and that costs one compile.
fn write_entry(folder: &Path, path: &Path, header: &[u8], blob: &[u8]) -> io::Result<()> {
    layout::create_private(folder)?;
    let mut temporary: NamedTempFile = tempfile::Builder::new().prefix(layout::TEMPORARY_PREFIX).tempfile_in(folder)?;
    // Tells a sweep that the writer lives. Without locks the file's age must tell.
    let _ = temporary.as_file().try_lock();
    temporary.write_all(header)?;
    temporary.write_all(blob)?;
    // The kernel's own stamp is coarser than the one `load` sets, which would blur the order of use.
    let _ = temporary.as_file().set_modified(SystemTime::now());
    temporary.persist(path)?;
    Ok(())
}
