//! What is freed goes back to the system.

/// From here on, memory of 128 KiB or more that this process frees is given back to the system at once.
///
/// glibc maps an allocation of that size for itself, but only until the first of them is freed: then it takes it to be short-lived, and
/// has all that are no larger in the heap, where a single octet behind them keeps them for ever (`mallopt(3)`, `M_MMAP_THRESHOLD`). What a
/// burst of packets needed would be the process's for as long as it runs. Another C library is left as it is.
pub fn give_back_freed_memory() {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: the call sets two numbers of the allocator, under its own lock.
        #[expect(unsafe_code, reason = "no safe crate of ours has this call")]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, 128 * 1024);
        }
    }
}
