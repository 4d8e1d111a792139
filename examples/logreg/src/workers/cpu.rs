//! Pieces of logistic regression on cores.

use crate::{Piece, gradient};
use odeon_device::{DeviceError, Place, Worker};

/// Does pieces on the core that it runs on.
#[derive(Debug)]
pub struct OnCores;

impl Worker for OnCores {
    type Work = Piece;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [Piece]) -> Result<(), DeviceError> {
        for Piece { samples, rows, weights, partial, .. } in batch {
            partial.clear();
            let points = samples.points.values(rows.clone());
            gradient(points, &samples.labels[rows.clone()], weights, partial);
        }
        Ok(())
    }
}
