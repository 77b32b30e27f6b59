//! A cache in a temporary directory, keys and blobs that are functions of a number, and a view of the files.

#![allow(dead_code, clippy::unwrap_used, reason = "test code, of which each test file uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use diskcache::{DiskCache, Key};

pub const LARGE: u64 = 1 << 40;

pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

pub fn open(directory: &Path) -> DiskCache {
    DiskCache::open(directory, LARGE).unwrap()
}

pub fn key(number: u64) -> Key {
    Key::builder().part("module", number.to_le_bytes()).part("plugin", "cpu").finish()
}

/// The only right payload for `key(number)`.
pub fn blob(number: u64, len: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(number);
    let mut bytes = vec![0; len];
    random.fill(&mut bytes);
    bytes
}

/// All files below `directory`, sorted.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The file of the only entry.
pub fn only_entry(directory: &Path) -> PathBuf {
    let files = files(directory);
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

pub fn temporaries(directory: &Path) -> Vec<PathBuf> {
    files(directory).into_iter().filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(".tmp-")).collect()
}
