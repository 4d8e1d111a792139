//! Pieces of logistic regression on cores.

use crate::{SamplesPiece, gradient};
use odeon_device::{DeviceError, Place, Worker};

/// Does pieces on the core that it runs on.
#[derive(Debug)]
pub struct OnCores;

impl Worker for OnCores {
    type Work = SamplesPiece;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [SamplesPiece]) -> Result<(), DeviceError> {
        for SamplesPiece { samples, rows, weights, partial, .. } in batch {
            partial.clear();
            let points = samples.points.values(rows.clone());
            gradient(points, &samples.labels[rows.clone()], weights, partial);
        }
        Ok(())
    }
}
