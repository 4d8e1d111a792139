//! Pieces of k-means on cores.

use crate::piece::NONE;
use crate::{PointsPiece, assign};
use odeon_device::{DeviceError, Place, Worker};

/// Does pieces on the core that it runs on.
#[derive(Debug)]
pub struct OnCores;

impl Worker for OnCores {
    type Work = PointsPiece;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [PointsPiece]) -> Result<(), DeviceError> {
        for piece in batch {
            piece.find_previous();
            let PointsPiece { points, rows, centres, previous, members, partial, .. } = piece;
            partial.clear();
            members.resize(rows.len(), NONE);
            assign(points.values(rows.clone()), centres, previous, members, partial);
        }
        Ok(())
    }
}
