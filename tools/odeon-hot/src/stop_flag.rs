//! How a measurement is told to end before it is done. WHY a flag: whoever runs returns with an
//! error, so that folders and processes of the run go the same way as at its end.

use odeon_bench::error::BenchError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Raises it; answers whether it was raised before.
    pub fn raise(&self) -> bool {
        // ORDERING: Relaxed: a hint; nothing is read because of it.
        self.0.swap(true, Ordering::Relaxed)
    }

    /// An error once it is raised.
    ///
    /// # Errors
    /// As it says.
    pub fn check(&self) -> Result<(), BenchError> {
        // ORDERING: Relaxed: as above.
        if self.0.load(Ordering::Relaxed) {
            return Err(BenchError::Beside("interrupted".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_clones_are_raised_together() {
        let flag = StopFlag::default();
        let other = flag.clone();
        assert!(other.check().is_ok() && !flag.raise());
        assert_eq!(other.check().expect_err("it is raised").to_string(), "interrupted");
        assert!(other.raise());
    }
}
