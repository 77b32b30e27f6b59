//! One process: round trips, every kind of damage, eviction, explanations, directories.

#![allow(clippy::unwrap_used, reason = "test code")]

mod support;

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use diskcache::{DiskCache, Error, Key, Lookup, Size};
use support::{LARGE, blob, directory, files, key, only_entry, open};

#[test]
fn what_is_stored_is_loaded_also_by_another_instance() {
    let directory = directory();
    let cache = open(directory.path());
    assert_eq!(cache.load(&key(1)), Lookup::Miss);
    for (number, len) in [(1, 0), (2, 1), (3, 4_000), (4, 3_000_000)] {
        cache.store(&key(number), &blob(number, len)).unwrap();
    }
    drop(cache);
    let cache = open(directory.path());
    for (number, len) in [(1, 0), (2, 1), (3, 4_000), (4, 3_000_000)] {
        assert_eq!(cache.load(&key(number)), Lookup::Hit(blob(number, len)));
    }
    assert_eq!(cache.size().entries, 4);
    cache.store(&key(3), b"newer").unwrap();
    assert_eq!(cache.load(&key(3)), Lookup::Hit(b"newer".to_vec()));
    assert_eq!(cache.size().entries, 4);
}

#[test]
fn entries_and_folders_are_private() {
    let parent = directory();
    let directory = parent.path().join("a/b");
    let cache = open(&directory);
    cache.store(&key(1), b"program").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let entry = only_entry(&directory);
    assert_eq!(mode(&entry), 0o600);
    assert_eq!(mode(entry.parent().unwrap()), 0o700);
    assert_eq!(mode(&directory), 0o700);
}

/// Stores one entry, lets `damage` change its bytes, and expects a removed stale entry. Returns the reason.
fn reason_after(damage: impl FnOnce(&mut Vec<u8>)) -> String {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), &blob(1, 5_000)).unwrap();
    let path = only_entry(directory.path());
    let mut bytes = fs::read(&path).unwrap();
    damage(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let Lookup::Stale(reason) = cache.load(&key(1)) else { unreachable!("damage was not seen") };
    assert!(!path.exists(), "{reason}");
    assert_eq!(cache.load(&key(1)), Lookup::Miss);
    reason
}

#[test]
fn every_truncation_is_stale() {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), &blob(1, 100)).unwrap();
    let path = only_entry(directory.path());
    let whole = fs::read(&path).unwrap();
    for len in 0..whole.len() {
        fs::write(&path, &whole[..len]).unwrap();
        assert!(matches!(cache.load(&key(1)), Lookup::Stale(_)), "length {len}");
        assert!(!path.exists(), "length {len}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(cache.load(&key(1)), Lookup::Hit(blob(1, 100)));
}

#[test]
fn random_flipped_bits_are_stale() {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), &blob(1, 1_000)).unwrap();
    let path = only_entry(directory.path());
    let whole = fs::read(&path).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..3_000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..4) {
            bytes[random.usize(..whole.len())] ^= 1 << random.u32(0..8);
        }
        if bytes == whole {
            continue;
        }
        fs::write(&path, bytes).unwrap();
        assert!(matches!(cache.load(&key(1)), Lookup::Stale(_)));
    }
}

#[test]
fn random_files_are_stale() {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), b"program").unwrap();
    let path = only_entry(directory.path());
    let whole = fs::read(&path).unwrap();
    let mut random = fastrand::Rng::with_seed(8);
    for round in 0..1_000 {
        let mut bytes = blob(round, random.usize(..2_000));
        // Half of them with a good beginning, which leads deeper into the reader.
        if random.bool() {
            let kept = random.usize(..whole.len()).min(bytes.len());
            bytes[..kept].copy_from_slice(&whole[..kept]);
        }
        fs::write(&path, bytes).unwrap();
        assert!(matches!(cache.load(&key(1)), Lookup::Stale(_)), "round {round}");
    }
}

#[test]
fn each_damage_has_its_reason() {
    type Damage = fn(&mut Vec<u8>);
    let cases: [(&str, Damage); 7] = [
        ("truncated header", Vec::clear),
        ("not a program cache entry", |bytes| bytes[0] ^= 1),
        ("entry format 2", |bytes| bytes[8..12].copy_from_slice(&2_u32.to_le_bytes())),
        ("damaged header", |bytes| bytes[12..16].fill(0xff)),
        ("bytes long, its header says", |bytes| bytes.push(0)),
        ("bytes long, its header says", |bytes| bytes.truncate(bytes.len() - 1)),
        ("damaged payload", |bytes| *bytes.last_mut().unwrap() ^= 0x80),
    ];
    for (expected, damage) in cases {
        let reason = reason_after(damage);
        assert!(reason.contains(expected), "{expected}: {reason}");
    }
}

#[test]
fn appended_junk_is_stale() {
    for len in [1, 10, 10_000] {
        reason_after(|bytes| bytes.extend_from_slice(&blob(9, len)));
    }
}

#[test]
fn the_entry_of_another_version_is_stale() {
    let directory = directory();
    open(directory.path()).with_version("0.1.0+old").store(&key(1), b"program").unwrap();
    let Lookup::Stale(reason) = open(directory.path()).with_version("0.1.0+new").load(&key(1)) else {
        unreachable!("another version was loaded")
    };
    assert!(reason.contains("written by version 0.1.0+old, this is 0.1.0+new"), "{reason}");
    assert!(files(directory.path()).is_empty());
}

#[test]
fn the_entry_of_another_key_renamed_over_this_one_is_stale() {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), b"one").unwrap();
    let one = only_entry(directory.path());
    cache.store(&key(2), b"two").unwrap();
    let two = files(directory.path()).into_iter().find(|path| *path != one).unwrap();
    fs::rename(&two, &one).unwrap();
    let Lookup::Stale(reason) = cache.load(&key(1)) else { unreachable!("another key was loaded") };
    assert!(reason.contains(&format!("the entry of another key, {}", key(2).hex())), "{reason}");
    assert_eq!(cache.load(&key(2)), Lookup::Miss);
}

#[test]
fn a_folder_in_the_place_of_an_entry_is_stale_and_a_store_error() {
    let directory = directory();
    let cache = open(directory.path());
    cache.store(&key(1), b"one").unwrap();
    let path = only_entry(directory.path());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(cache.load(&key(1)), Lookup::Stale(_)));
    assert!(matches!(cache.store(&key(1), b"one"), Err(Error::Store { .. })));
    assert!(support::temporaries(directory.path()).is_empty());
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_that_names_it() {
    let parent = directory();
    let file = parent.path().join("file");
    File::create(&file).unwrap();
    for path in [file.clone(), file.join("cache"), Path::new("/proc/cache").to_owned()] {
        let error = DiskCache::open(&path, LARGE).unwrap_err();
        assert!(matches!(error, Error::Directory { .. }));
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && text.contains("cannot be written"), "{text}");
    }
}

#[test]
fn a_directory_removed_under_us_comes_back() {
    let directory = directory();
    let cache = open(directory.path());
    fs::remove_dir_all(directory.path()).unwrap();
    assert_eq!(cache.load(&key(1)), Lookup::Miss);
    assert!(cache.lock_for_compile(&key(1), Duration::ZERO).is_some());
    fs::remove_dir_all(directory.path()).unwrap();
    cache.store(&key(1), b"program").unwrap();
    assert_eq!(cache.load(&key(1)), Lookup::Hit(b"program".to_vec()));
}

/// Makes an entry look as if it was last used `seconds` ago.
fn age(path: &Path, seconds: u64) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn eviction_takes_the_least_recently_used_and_keeps_the_limit() {
    let directory = directory();
    let cache = DiskCache::open(directory.path(), 100_000).unwrap();
    let entry_bytes = {
        cache.store(&key(0), &blob(0, 9_000)).unwrap();
        cache.size().bytes
    };
    for number in 1..10 {
        cache.store(&key(number), &blob(number, 9_000)).unwrap();
    }
    assert_eq!(cache.size(), Size { entries: 10, bytes: 10 * entry_bytes });
    for path in files(directory.path()) {
        age(&path, 1_000);
    }
    // Used again, in this order: 0, 5, 3.
    for number in [0, 5, 3] {
        assert!(matches!(cache.load(&key(number)), Lookup::Hit(_)));
    }
    for number in 100..150 {
        cache.store(&key(number), &blob(number, 9_000)).unwrap();
        assert!(cache.size().bytes <= 100_000);
        // The cache holds ten entries and goes down to nine: two are left that are older than these seven.
        if number == 106 {
            let held = (0..10).filter(|number| matches!(cache.load(&key(*number)), Lookup::Hit(_)));
            assert_eq!(HashSet::from_iter(held), HashSet::from([5, 3]));
        }
    }
    assert!(matches!(cache.load(&key(149)), Lookup::Hit(_)));
    assert_eq!(cache.load(&key(9)), Lookup::Miss);
}

#[test]
fn a_store_evicts_what_earlier_processes_left() {
    let directory = directory();
    let cache = open(directory.path());
    for number in 0..20 {
        cache.store(&key(number), &blob(number, 1_000)).unwrap();
    }
    let cache = DiskCache::open(directory.path(), 10_000).unwrap();
    cache.store(&key(99), b"program").unwrap();
    assert!(cache.size().bytes <= 10_000);
    assert!(matches!(cache.load(&key(99)), Lookup::Hit(_)));
}

#[test]
fn an_entry_as_large_as_the_cache_is_kept_and_a_larger_one_refused() {
    let directory = directory();
    let cache = DiskCache::open(directory.path(), 100_000).unwrap();
    cache.store(&key(1), &blob(1, 50_000)).unwrap();
    cache.store(&key(2), &blob(2, 99_000)).unwrap();
    assert_eq!(cache.load(&key(1)), Lookup::Miss);
    assert_eq!(cache.load(&key(2)), Lookup::Hit(blob(2, 99_000)));
    assert!(matches!(cache.store(&key(3), &blob(3, 100_000)), Err(Error::TooLarge { limit: 100_000, .. })));
    assert_eq!(cache.size().entries, 1);
}

#[test]
fn clear_removes_entries_and_nothing_of_others() {
    let directory = directory();
    let cache = open(directory.path());
    for number in 0..5 {
        cache.store(&key(number), b"program").unwrap();
    }
    let foreign = directory.path().join("v1/README");
    File::create(&foreign).unwrap().write_all(b"mine").unwrap();
    assert_eq!(cache.clear(), Size { entries: 5, ..cache_size_of_five() });
    assert_eq!(cache.size(), Size::default());
    assert_eq!(files(directory.path()), [foreign]);
}

fn cache_size_of_five() -> Size {
    let directory = directory();
    let cache = open(directory.path());
    for number in 0..5 {
        cache.store(&key(number), b"program").unwrap();
    }
    cache.size()
}

#[test]
fn a_miss_is_explained_by_the_parts_of_the_nearest_entry() {
    let directory = directory();
    let cache = open(directory.path());
    let key = |module: &str, plugin: &str, options: &str| {
        Key::builder().part("module", module).part("plugin", plugin).part("options", options).finish()
    };
    assert_eq!(cache.explain_miss(&key("m", "cpu 1", "-O2")), None);
    cache.store(&key("m", "cpu 1", "-O2"), b"program").unwrap();
    cache.store(&key("m", "cpu 0", "-O0"), b"program").unwrap();
    cache.store(&key("other", "cpu 2", "-O2"), b"program").unwrap();
    assert_eq!(cache.explain_miss(&key("m", "cpu 2", "-O2")).unwrap(), "an entry with the same `module` exists, but part `plugin` differs");
    assert_eq!(
        cache.explain_miss(&key("m", "cpu 2", "-O3")).unwrap(),
        "an entry with the same `module` exists, but parts `plugin`, `options` differ"
    );
    assert_eq!(cache.explain_miss(&key("new", "cpu 1", "-O2")), None);
    assert_eq!(cache.explain_miss(&Key::builder().finish()), None);
}

#[test]
fn the_types_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<DiskCache>();
    shared::<diskcache::CompileLock>();
    shared::<Key>();
    shared::<Error>();
}
