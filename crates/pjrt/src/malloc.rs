//! Tuning of the process's malloc for plugins that allocate device memory from it.

/// Keeps freed memory in the process instead of giving it back to the system: XLA's CPU plugin allocates its buffers and
/// a large temporary area on each launch, and fresh pages cost more than the arithmetic (the GPT train step of
/// `make bench` takes 15 to 20 % less time). Process-wide; the process keeps its peak heap. Must run before the client
/// is created: malloc arenas that exist by then stay.
pub fn tune_process_malloc() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const SETTINGS: [(libc::c_int, libc::c_int); 4] = [
            // One arena for all threads, so that what one frees another reuses.
            (libc::M_ARENA_MAX, 1),
            (libc::M_MMAP_THRESHOLD, 1 << 30),
            (libc::M_TRIM_THRESHOLD, libc::c_int::MAX),
            (libc::M_TOP_PAD, 64 << 20),
        ];
        for (parameter, value) in SETTINGS {
            // SAFETY: mallopt takes any parameter; one that it does not know is ignored.
            unsafe { libc::mallopt(parameter, value) };
        }
    }
}
