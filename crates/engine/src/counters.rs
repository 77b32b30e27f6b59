//! Counters of everything a session does. Each is relaxed: exact by itself, no order between them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Live counters; `snapshot` reads them.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub(crate) $name: AtomicU64,)*
            fallbacks: Mutex<BTreeMap<String, u64>>,
        }

        /// A copy of the counters at one moment.
        #[derive(Debug, Clone, Default)]
        pub struct Statistics {
            $($(#[$doc])* pub $name: u64,)*
            /// CPU fallbacks by overload.
            pub fallbacks: BTreeMap<String, u64>,
        }

        impl Counters {
            pub fn snapshot(&self) -> Statistics {
                Statistics { $($name: self.$name.load(Relaxed),)* fallbacks: self.fallbacks.lock().clone() }
            }

            pub fn reset(&self) {
                $(self.$name.store(0, Relaxed);)*
                self.fallbacks.lock().clear();
            }
        }

        impl Statistics {
            /// The plain counters by name, in declaration order.
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

counters! {
    /// Programs compiled by the plugin.
    compiles,
    /// Nanoseconds spent compiling.
    compile_nanoseconds,
    /// Windows whose program was loaded.
    cache_hits_memory,
    /// Programs read from the disk tier.
    cache_hits_disk,
    /// Disk entries that could not be used: truncated, corrupt or of another version.
    cache_misses_stale,
    /// Programs run.
    launches,
    /// Calls recorded.
    calls,
    copies_to_device,
    copies_to_host,
    bytes_to_device,
    bytes_to_host,
    /// Times the host waited for the device.
    blocking_waits,
    /// Windows closed by the fused policy's own cut.
    window_cuts,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Relaxed);
    }

    /// Counts a CPU fallback of `overload`.
    pub fn count_fallback(&self, overload: &str) {
        *self.fallbacks.lock().entry(overload.to_owned()).or_default() += 1;
    }
}
