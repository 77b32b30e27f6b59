//! Where things lie below the cache directory, and what a file name means.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::Key;

/// The directory for this layout. Another layout takes another name, so that old and new releases can share a directory.
pub(crate) const LAYOUT: &str = "v1";
pub(crate) const TEMPORARY_PREFIX: &str = ".tmp-";
const ENTRY_EXTENSION: &str = "program";
const LOCK_EXTENSION: &str = "lock";

/// `$XDG_CACHE_HOME/torch-pjrt`, else `~/.cache/torch-pjrt`; `None` for a user without a home directory.
pub fn default_directory() -> Option<PathBuf> {
    default_below(env::var_os("XDG_CACHE_HOME").map(PathBuf::from), env::home_dir())
}

/// The XDG base directory specification says to ignore a relative path.
fn default_below(cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    cache_home
        .filter(|path| path.is_absolute())
        .or_else(|| home.filter(|path| path.is_absolute()).map(|home| home.join(".cache")))
        .map(|cache| cache.join("torch-pjrt"))
}

/// The folder that holds every entry with the key's subject. Two hex digits keep folders small.
pub(crate) fn folder(root: &Path, key: &Key) -> PathBuf {
    root.join(&key.subject().to_hex()[..2])
}

/// What the file names of all entries with the key's subject begin with.
pub(crate) fn subject_prefix(key: &Key) -> String {
    format!("{}-", &key.subject().to_hex()[..16])
}

pub(crate) fn entry_path(root: &Path, key: &Key) -> PathBuf {
    folder(root, key).join(format!("{}{}.{ENTRY_EXTENSION}", subject_prefix(key), key.hex()))
}

pub(crate) fn lock_path(root: &Path, key: &Key) -> PathBuf {
    entry_path(root, key).with_extension(LOCK_EXTENSION)
}

/// What a file below the root is, judged by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Entry,
    Temporary,
    Lock,
    /// Not ours: never counted, never removed.
    Foreign,
}

pub(crate) fn kind(name: &OsStr) -> Kind {
    let extension = Path::new(name).extension();
    if name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
        Kind::Temporary
    } else if extension == Some(OsStr::new(ENTRY_EXTENSION)) {
        Kind::Entry
    } else if extension == Some(OsStr::new(LOCK_EXTENSION)) {
        Kind::Lock
    } else {
        Kind::Foreign
    }
}

/// Creates a folder and its parents for this user only: an entry is code that this user's programs will run.
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Whether `path` still names the file that `file` has open. Others may have removed or replaced it.
pub(crate) fn names_file(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => named.dev() == open.dev() && named.ino() == open.ino(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_directory_follows_xdg() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(default_below(path("/xdg"), path("/home/a")), path("/xdg/torch-pjrt"));
        assert_eq!(default_below(path("relative"), path("/home/a")), path("/home/a/.cache/torch-pjrt"));
        assert_eq!(default_below(path(""), path("/home/a")), path("/home/a/.cache/torch-pjrt"));
        assert_eq!(default_below(None, path("/home/a")), path("/home/a/.cache/torch-pjrt"));
        assert_eq!(default_below(None, None), None);
    }

    #[test]
    fn a_path_says_what_it_holds() {
        let key = Key::builder().part("module", "m").part("plugin", "p").finish();
        let root = Path::new("/c/v1");
        let subject = key.parts()[0].hex();
        let expected = format!("/c/v1/{}/{}-{}.program", &subject[..2], &subject[..16], key.hex());
        assert_eq!(entry_path(root, &key), Path::new(&expected));
        assert_eq!(kind(entry_path(root, &key).file_name().unwrap()), Kind::Entry);
        assert_eq!(kind(lock_path(root, &key).file_name().unwrap()), Kind::Lock);
        assert_eq!(kind(OsStr::new(".tmp-a1b2")), Kind::Temporary);
        assert_eq!(kind(OsStr::new("README")), Kind::Foreign);
    }
}
