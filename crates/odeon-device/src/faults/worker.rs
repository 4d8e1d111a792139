//! A worker that fails when its script says so.

use super::{Faults, Step};
use crate::error::DeviceError;
use crate::worker::{Place, Worker};

/// A [`Worker`] that fails as [`Faults`] say for [`Step::Work`], and is otherwise the one inside.
/// When it fails it has done the first half of the batch: results are there that count for nothing.
#[derive(Debug)]
pub struct FaultyWorker<W> {
    worker: W,
    faults: Faults,
}

impl<W> FaultyWorker<W> {
    pub(super) fn new(worker: W, faults: Faults) -> Self {
        Self { worker, faults }
    }
}

impl<W: Worker> Worker for FaultyWorker<W> {
    type Work = W::Work;

    fn place(&self) -> Place {
        self.worker.place()
    }

    fn device(&self) -> Option<String> {
        self.worker.device()
    }

    fn most_at_once(&self) -> usize {
        self.worker.most_at_once()
    }

    fn work(&mut self, batch: &mut [W::Work]) -> Result<(), DeviceError> {
        if let Err(error) = self.faults.step(Step::Work) {
            let half = batch.len() / 2;
            if half > 0 {
                self.worker.work(&mut batch[..half])?;
            }
            return Err(error);
        }
        self.worker.work(batch)
    }
}
