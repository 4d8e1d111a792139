//! Pieces of k-means on cores.

use crate::kmeans::{Piece, assign};
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
        for Piece { points, rows, centres, previous, members, partial, .. } in batch {
            partial.clear();
            assign(points.values(rows.clone()), centres, previous, members, partial);
        }
        Ok(())
    }
}
