//! What an entry is stored under: named parts, each hashed, so a miss can name the part that changed.

use std::fmt;
use std::hash;

use blake3::{Hash, Hasher};

const PART_CONTEXT: &str = "torch-pjrt 2026 program cache: one part of a key";
const KEY_CONTEXT: &str = "torch-pjrt 2026 program cache: all parts of a key";

/// One named part of a key and the hash of its name and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    name: String,
    hash: Hash,
}

impl Part {
    pub(crate) fn new(name: String, hash: Hash) -> Self {
        Self { name, hash }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The part's hash as 64 hex digits.
    pub fn hex(&self) -> String {
        self.hash.to_hex().to_string()
    }

    pub(crate) fn hash(&self) -> &Hash {
        &self.hash
    }
}

/// The key of an entry. It depends only on the names, contents and order of its parts, so it is the same in every process.
///
/// The first part (by convention `module`) is the subject: [`crate::DiskCache::explain_miss`] looks for entries that share it.
#[derive(Debug, Clone)]
pub struct Key {
    parts: Vec<Part>,
    digest: Hash,
}

impl Key {
    pub fn builder() -> KeyBuilder {
        KeyBuilder { parts: Vec::new() }
    }

    /// The parts, in the order in which they were given.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The hash of the whole key as 64 hex digits.
    pub fn hex(&self) -> String {
        self.digest.to_hex().to_string()
    }

    /// The names of the parts that `self` and `parts` do not share, in the order of `self`.
    pub(crate) fn differing<'a>(&'a self, parts: &'a [Part]) -> Vec<&'a str> {
        let mine = self.parts.iter().filter(|part| !parts.contains(part));
        let only_theirs = parts.iter().filter(|part| self.parts.iter().all(|own| own.name != part.name));
        mine.chain(only_theirs).map(Part::name).collect()
    }

    pub(crate) fn digest(&self) -> &Hash {
        &self.digest
    }

    /// The hash of the first part; a key without parts is its own subject.
    pub(crate) fn subject(&self) -> &Hash {
        self.parts.first().map_or(&self.digest, Part::hash)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Key {}

impl hash::Hash for Key {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

/// One line for the log: `1f0c44a2 (module=9b1e77d0 plugin=03aa51c9)`, the first 8 hex digits of each hash.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.8} (", self.hex())?;
        for (index, part) in self.parts.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}={:.8}", part.name, part.hex())?;
        }
        write!(f, ")")
    }
}

/// Collects the parts of a [`Key`].
#[derive(Debug, Clone)]
pub struct KeyBuilder {
    parts: Vec<Part>,
}

impl KeyBuilder {
    /// Adds a part. Give each name once.
    pub fn part(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let mut hasher = Hasher::new_derive_key(PART_CONTEXT);
        update_framed(&mut hasher, name.as_bytes());
        update_framed(&mut hasher, content.as_ref());
        self.parts.push(Part::new(name.to_owned(), hasher.finalize()));
        self
    }

    pub fn finish(self) -> Key {
        let mut hasher = Hasher::new_derive_key(KEY_CONTEXT);
        for part in &self.parts {
            update_framed(&mut hasher, part.name.as_bytes());
            hasher.update(part.hash.as_bytes());
        }
        Key { parts: self.parts, digest: hasher.finalize() }
    }
}

/// The length goes first, so that no two lists of parts hash the same bytes.
fn update_framed(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_parts_give_the_same_key_in_every_process_and_build() {
        let key = Key::builder().part("module", "add").part("plugin", "cpu 0.115").finish();
        assert_eq!(key.hex().len(), 64);
        assert_eq!(key, Key::builder().part("module", b"add").part("plugin", b"cpu 0.115").finish());
        // A literal: another value here means that every entry on every disk is lost.
        assert_eq!(key.to_string(), "bdb18684 (module=e22de06c plugin=e38b6cdb)");
    }

    #[test]
    fn names_contents_order_and_boundaries_all_count() {
        let keys = [
            Key::builder().finish(),
            Key::builder().part("", "").finish(),
            Key::builder().part("a", "bc").finish(),
            Key::builder().part("ab", "c").finish(),
            Key::builder().part("a", "b").part("", "c").finish(),
            Key::builder().part("a", "b").part("c", "d").finish(),
            Key::builder().part("c", "d").part("a", "b").finish(),
            Key::builder().part("a", "d").part("c", "b").finish(),
        ];
        let distinct: std::collections::HashSet<_> = keys.iter().map(Key::hex).collect();
        assert_eq!(distinct.len(), keys.len());
    }

    #[test]
    fn differing_names_changed_added_and_removed_parts() {
        let key = Key::builder().part("module", "m").part("plugin", "a").part("extra", "x").finish();
        let other = Key::builder().part("module", "m").part("plugin", "b").part("gone", "y").finish();
        assert_eq!(key.differing(other.parts()), ["plugin", "extra", "gone"]);
        assert!(key.differing(key.parts()).is_empty());
    }
}
