//! Why the cache could not be opened or written. Reading has no errors: see [`crate::Lookup`].

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A failure to open the directory or to store an entry. The program itself is unaffected.
#[derive(Debug, Error)]
pub enum Error {
    /// The directory cannot be created or written.
    #[error("the program cache directory {} cannot be written: {source}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    /// Writing an entry failed; no partial entry is left under its name.
    #[error("the program cache entry {} cannot be written: {source}", path.display())]
    Store { path: PathBuf, source: io::Error },
    /// The entry alone is larger than the whole cache may be.
    #[error("a program of {bytes} bytes does not fit in a program cache of {limit} bytes")]
    TooLarge { bytes: u64, limit: u64 },
    /// The names of the key's parts do not fit in an entry's header.
    #[error("the program cache key needs a header of {bytes} bytes, more than the limit of {limit}")]
    KeyTooLong { bytes: usize, limit: usize },
}
