//! Pinning a thread to a core.

/// Pins the calling thread to core `n` modulo the number of cores; `false` where the operating
/// system does not allow it.
pub(crate) fn pin_to_nth_core(n: usize) -> bool {
    match core_affinity::get_core_ids() {
        Some(cores) if !cores.is_empty() => core_affinity::set_for_current(cores[n % cores.len()]),
        _ => false,
    }
}
