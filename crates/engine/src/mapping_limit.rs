//! The kernel's limit on memory mappings: a plugin that compiles to host code takes about ten for a program, more for a
//! large one, and aborts the process when it is given no more.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How many loads pass between two counts: a count reads a file of a line for each mapping, which takes milliseconds.
const LOADS_PER_COUNT: u32 = 64;

pub(crate) struct MappingLimit {
    /// The kernel's limit for a process.
    limit: usize,
    loads: AtomicU32,
}

impl MappingLimit {
    /// `None` where the kernel tells no limit.
    pub(crate) fn of_this_process() -> Option<Self> {
        let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()?;
        Some(Self { limit, loads: AtomicU32::new(0) })
    }

    /// How many of the `loaded` programs, counted after another one was added, may stay.
    pub(crate) fn most_programs(&self, loaded: usize) -> usize {
        if !self.loads.fetch_add(1, Relaxed).is_multiple_of(LOADS_PER_COUNT) {
            return usize::MAX;
        }
        let Ok(mappings) = std::fs::read("/proc/self/maps") else { return usize::MAX };
        room(self.limit, mappings.iter().filter(|byte| **byte == b'\n').count(), loaded)
    }
}

/// Half of the limit is left to the rest of the process and to the loads until the next count. When that half is
/// passed, a quarter of the programs goes, so that this is rare.
fn room(limit: usize, mappings: usize, loaded: usize) -> usize {
    if mappings > limit / 2 { loaded - loaded / 4 } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_go_when_half_of_the_mappings_are_taken() {
        assert_eq!(room(1000, 500, 40), usize::MAX);
        assert_eq!(room(1000, 501, 40), 30);
        assert_eq!(room(1000, 501, 1), 1);
    }

    #[test]
    fn mappings_are_counted_at_the_first_load_and_then_once_in_64() {
        let limit = MappingLimit { limit: 0, loads: AtomicU32::new(0) };
        let counted: Vec<usize> = (0..130).filter(|_| limit.most_programs(8) == 6).collect();
        assert_eq!(counted, [0, 64, 128]);
    }
}
