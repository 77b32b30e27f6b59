//! Many threads and processes on one directory. A process is this test binary again, running `child`.

#![allow(clippy::unwrap_used, reason = "test code")]

mod support;

use std::env;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use diskcache::{DiskCache, Lookup};
use support::{blob, directory, files, key, open, temporaries};

const ROLE: &str = "DISKCACHE_TEST_ROLE";
const DIRECTORY: &str = "DISKCACHE_TEST_DIRECTORY";
const SEED: &str = "DISKCACHE_TEST_SEED";
const LONG: Duration = Duration::from_secs(60);

fn spawn(role: &str, directory: &Path, seed: u64) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--quiet"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the child has printed `line`.
fn wait_for(child: &mut Child, line: &str) {
    let mut output = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(output.any(|printed| printed.unwrap().contains(line)));
}

#[test]
#[ignore = "the body of the processes that the other tests start"]
fn child() {
    let Ok(role) = env::var(ROLE) else { return };
    let directory = env::var_os(DIRECTORY).unwrap();
    let seed = env::var(SEED).unwrap().parse().unwrap();
    let cache = open(Path::new(&directory));
    match role.as_str() {
        "mix" => mix(&cache, seed, 400),
        "mix in a small cache" => mix(&DiskCache::open(Path::new(&directory), 60_000).unwrap(), seed, 400),
        "write for ever" => loop {
            cache.store(&key(1), &blob(1, 20_000_000)).unwrap();
        },
        "hold the lock" => {
            let _lock = cache.lock_for_compile(&key(1), LONG).unwrap();
            println!("held");
            std::io::stdout().flush().unwrap();
            thread::sleep(LONG);
        }
        "compile once" => println!("{}", if compile_once(&cache) { "compiled" } else { "loaded" }),
        other => unreachable!("role {other}"),
    }
}

/// Stores and loads twelve keys at random. Whatever is loaded must be right.
fn mix(cache: &DiskCache, seed: u64, rounds: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..rounds {
        let number = random.u64(0..12);
        let expected = blob(number, 1_000 + number as usize * 1_000);
        if random.bool() {
            cache.store(&key(number), &expected).unwrap();
        } else {
            match cache.load(&key(number)) {
                Lookup::Hit(loaded) => assert!(loaded == expected),
                Lookup::Miss => {}
                Lookup::Stale(reason) => unreachable!("{reason}"),
            }
        }
    }
}

/// What the engine does for a program. Returns whether this process compiled it.
fn compile_once(cache: &DiskCache) -> bool {
    let is_stored = || match cache.load(&key(1)) {
        Lookup::Hit(loaded) => loaded == blob(1, 100_000),
        Lookup::Miss => false,
        Lookup::Stale(reason) => unreachable!("{reason}"),
    };
    if is_stored() {
        return false;
    }
    let _lock = cache.lock_for_compile(&key(1), LONG).unwrap();
    if is_stored() {
        return false;
    }
    thread::sleep(Duration::from_millis(100));
    cache.store(&key(1), &blob(1, 100_000)).unwrap();
    true
}

#[test]
fn threads_load_only_whole_entries() {
    let directory = directory();
    let shared = open(directory.path());
    let small = DiskCache::open(directory.path(), 60_000).unwrap();
    thread::scope(|scope| {
        for seed in 0..8 {
            let cache = if seed % 2 == 0 { &shared } else { &small };
            scope.spawn(move || mix(cache, seed, 500));
        }
    });
    assert!(temporaries(directory.path()).is_empty());
}

#[test]
fn processes_share_one_entry_per_key() {
    let directory = directory();
    let mut children: Vec<_> = (0..6).map(|seed| spawn("mix", directory.path(), seed)).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let cache = open(directory.path());
    assert_eq!(cache.size().entries, 12);
    assert_eq!(files(directory.path()).len(), 12);
    for number in 0..12 {
        assert!(matches!(cache.load(&key(number)), Lookup::Hit(_)));
    }
}

#[test]
fn processes_evict_beside_each_other() {
    let directory = directory();
    let mut children: Vec<_> = (0..6).map(|seed| spawn("mix in a small cache", directory.path(), seed)).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let cache = DiskCache::open(directory.path(), 60_000).unwrap();
    cache.store(&key(0), &blob(0, 1_000)).unwrap();
    assert!(cache.size().bytes <= 60_000);
    assert!(temporaries(directory.path()).is_empty());
}

#[test]
fn a_killed_writer_leaves_only_a_temporary_file_and_that_is_swept() {
    let directory = directory();
    let cache = open(directory.path());
    let mut left_behind = 0;
    for round in 0..60 {
        let mut writer = spawn("write for ever", directory.path(), round);
        let start = Instant::now();
        while temporaries(directory.path()).is_empty() && start.elapsed() < LONG {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_millis(fastrand::u64(0..20)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        match cache.load(&key(1)) {
            Lookup::Hit(loaded) => assert!(loaded == blob(1, 20_000_000)),
            Lookup::Miss => {}
            Lookup::Stale(reason) => unreachable!("{reason}"),
        }
        let temporaries = temporaries(directory.path());
        assert_eq!(files(directory.path()).len() as u64, cache.size().entries + temporaries.len() as u64);
        for path in &temporaries {
            left_behind += 1;
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
        }
        // A fresh instance, because it sweeps at its first store.
        open(directory.path()).store(&key(2), b"program").unwrap();
        assert!(support::temporaries(directory.path()).is_empty());
        if left_behind >= 5 {
            return;
        }
    }
    assert!(left_behind > 0, "no writer was killed while it wrote");
}

#[test]
fn the_compile_lock_of_a_killed_process_is_free() {
    let directory = directory();
    let cache = open(directory.path());
    let mut holder = spawn("hold the lock", directory.path(), 0);
    wait_for(&mut holder, "held");
    let start = Instant::now();
    assert!(cache.lock_for_compile(&key(1), Duration::from_millis(50)).is_none());
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert!(cache.lock_for_compile(&key(2), Duration::ZERO).is_some());
    thread::scope(|scope| {
        let waiter = scope.spawn(|| cache.lock_for_compile(&key(1), LONG));
        thread::sleep(Duration::from_millis(30));
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert!(waiter.join().unwrap().is_some());
    });
    assert!(start.elapsed() < LONG / 2);
    assert!(files(directory.path()).is_empty());
}

#[test]
fn processes_that_start_together_compile_once() {
    let directory = directory();
    let children: Vec<_> = (0..8).map(|seed| spawn("compile once", directory.path(), seed)).collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().all(|output| output.status.success()));
    let said = |word: &str| outputs.iter().filter(|output| String::from_utf8_lossy(&output.stdout).contains(word)).count();
    assert_eq!((said("compiled"), said("loaded")), (1, 7));
    assert_eq!(files(directory.path()).len(), 1);
}
