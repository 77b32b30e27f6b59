//! The disk tier of the program cache: opaque blobs under a [`Key`] of named parts.
//!
//! Nothing here knows PJRT. Bytes come back only after their checksum was verified; whatever else lies
//! in the directory is a miss. Any number of threads and processes may share one directory.
//!
//! `<directory>/v1/<2 hex>/<16 hex of the first part>-<64 hex of the key>.program`

#![forbid(unsafe_code)]

mod cache;
mod compile_lock;
mod entry;
mod error;
mod key;
mod layout;
mod sweep;

pub use cache::{DiskCache, Lookup};
pub use compile_lock::CompileLock;
pub use error::Error;
pub use key::{Key, KeyBuilder, Part};
pub use layout::default_directory;
pub use sweep::Size;
