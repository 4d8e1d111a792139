//! Workers on cores that do several pieces at once.

use odeon_device::{DeviceError, Place, Worker};

/// TUNE: pieces, guessed 2026-11: a pool gives each worker its part of what is left at most, so
/// most are given out in half as many goes, and the last ones alone.
const AT_ONCE: usize = 4;

/// Does pieces as `W` does. For pools only: whoever gives out so many whatever is left has the
/// others wait.
pub struct Several<W>(pub W);

impl<W: Worker> Worker for Several<W> {
    type Work = W::Work;

    fn place(&self) -> Place {
        self.0.place()
    }

    fn device(&self) -> Option<String> {
        self.0.device()
    }

    fn most_at_once(&self) -> usize {
        AT_ONCE.max(self.0.most_at_once())
    }

    fn work(&mut self, batch: &mut [W::Work]) -> Result<(), DeviceError> {
        self.0.work(batch)
    }
}
