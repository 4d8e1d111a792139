//! What each lock was held and waited for, in a build that counts it (`odeon_measured`).

/// Of all locks that one line has made, since the process began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockCounts {
    /// File and line.
    pub place: String,
    /// How often one was taken and given back.
    pub acquisitions: u64,
    /// How often of these it was held by another thread.
    pub contended: u64,
    /// The time until it was free, of all threads together.
    pub waited_ns: u64,
    /// The time until it was given back, with what it takes to read the clock.
    pub held_ns: u64,
}

/// Of each line that has made a lock so far. Only a build with `RUSTFLAGS="--cfg odeon_measured"`
/// knows of any.
pub fn lock_counts() -> Vec<LockCounts> {
    #[cfg(all(odeon_measured, not(any(odeon_loom, odeon_shuttle))))]
    {
        let counts = crate::measured::places().into_iter().map(|place| LockCounts {
            place: place.name().to_owned(),
            acquisitions: place.acquisitions(),
            contended: place.contended(),
            waited_ns: place.waited_ns(),
            held_ns: place.held_ns(),
        });
        counts.collect()
    }
    #[cfg(not(all(odeon_measured, not(any(odeon_loom, odeon_shuttle)))))]
    Vec::new()
}

#[cfg(all(test, not(any(odeon_measured, odeon_loom, odeon_shuttle))))]
mod tests {
    #[test]
    fn an_ordinary_build_counts_nothing() {
        let lock = crate::Mutex::new(());
        drop(lock.lock());
        assert_eq!(super::lock_counts(), []);
    }
}
