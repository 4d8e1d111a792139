//! Turns an unwind in a region that must not unwind into an abort.

/// While it lives, a panic that unwinds through it ends the process.
///
/// Used where half-done pointer work could otherwise be observed. Call [`AbortGuard::disarm`] at
/// the end of the region.
#[derive(Debug)]
#[must_use = "the guard protects only while it lives"]
pub struct AbortGuard {
    region: &'static str,
}

impl AbortGuard {
    /// Starts a region; `region` names it in the message that precedes the abort.
    #[inline]
    pub fn new(region: &'static str) -> Self {
        Self { region }
    }

    /// Ends the region.
    #[inline]
    pub fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for AbortGuard {
    #[cold]
    fn drop(&mut self) {
        eprintln!("odeon: unwound through `{}`, which must not unwind; aborting", self.region);
        std::process::abort();
    }
}
