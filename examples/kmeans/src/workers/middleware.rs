//! Pieces of k-means by processes elsewhere, which a RabbitMQ broker leads to.

use crate::piece::NONE;
use crate::{Centres, Partial, Points, PointsPiece};
use odeon_device::DeviceError;
use odeon_rabbitmq::{Portable, Shared};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// What travels with a piece; the points go once to each process.
#[derive(Serialize, Deserialize)]
pub struct PieceRequest {
    number: usize,
    dims: usize,
    rows: Range<usize>,
    centres: Vec<f32>,
}

/// What comes back.
#[derive(Serialize, Deserialize)]
pub struct Answered {
    members: Vec<u32>,
    sums: Vec<f64>,
    counts: Vec<u64>,
}

impl Portable for PointsPiece {
    const KIND: &'static str = "k-means 1";
    type Input = [f32];
    type Request = PieceRequest;
    type Answer = Answered;

    fn inputs(&self) -> Vec<Shared<[f32]>> {
        vec![self.points.travelling().clone()]
    }

    fn request(&self) -> PieceRequest {
        let (number, dims, rows) = (self.number, self.points.dims(), self.rows.clone());
        PieceRequest { number, dims, rows, centres: self.centres.values().to_vec() }
    }

    fn again(asked: PieceRequest, inputs: Vec<Shared<[f32]>>) -> Result<Self, DeviceError> {
        let PieceRequest { number, dims, rows, centres } = asked;
        let [points] = <[_; 1]>::try_from(inputs).map_err(|_| invalid("a piece has one input"))?;
        let points = Arc::new(Points::arrived(dims, points)?);
        if rows.start > rows.end || rows.end > points.rows() {
            return Err(invalid(&format!("rows {rows:?} of {} points", points.rows())));
        }
        if centres.is_empty() || centres.len() % dims != 0 {
            return Err(invalid(&format!("{} values of centres", centres.len())));
        }
        let centres = Arc::new(Centres::new(dims, centres));
        let partial = Partial::new(centres.count(), dims);
        let (previous, members) = (vec![NONE; rows.len()], vec![NONE; rows.len()]);
        // Who has asked compares with the round before, and knows nothing of this memory.
        let (before, may_leave_members) = (None, false);
        Ok(Self {
            number,
            points,
            rows,
            centres,
            before,
            previous,
            members,
            may_leave_members,
            partial,
        })
    }

    fn answer(self) -> Answered {
        let Partial { sums, counts, .. } = self.partial;
        Answered { members: self.members, sums, counts }
    }

    fn accept(&mut self, answered: Answered) -> Result<(), DeviceError> {
        let Answered { members, sums, counts } = answered;
        let is = [members.len(), sums.len(), counts.len()];
        let has = [self.rows.len(), self.partial.sums.len(), self.partial.counts.len()];
        if is != has || members.iter().any(|member| *member as usize >= counts.len()) {
            return Err(invalid("a result of another piece"));
        }
        self.find_previous();
        // WHY here: so the members of the round before need not travel.
        let pairs = members.iter().zip(&self.previous);
        let changed = pairs.filter(|(member, previous)| member != previous).count() as u64;
        self.members = members;
        self.partial = Partial { sums, counts, changed };
        Ok(())
    }
}

fn invalid(why: &str) -> DeviceError {
    DeviceError::Invalid(why.to_owned())
}
