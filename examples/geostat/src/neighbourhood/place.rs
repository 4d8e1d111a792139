//! What lies around a point, seen from each of the places that it can have in its block.

use crate::blocks::{EDGE, Informed};
use crate::closest::Offset;

/// Squares of distances up to here are those of nodes of the point's block and of the eight around
/// it, wherever in its block the point lies.
pub(super) const NEAR: u32 = ((EDGE + 1) * (EDGE + 1) - 1) as u32;

/// One block, and the eight around it, row by row.
pub(super) const NEAR_BLOCKS: usize = 9;

/// See the module. All is in the order of distances.
#[derive(Debug, Clone)]
pub(super) struct PointSurroundings {
    /// The nodes up to [`NEAR`].
    pub(super) nodes: Vec<NearNode>,
    /// The blocks with a node within the radius.
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NearNode {
    pub(super) offset: Offset,
    /// Among the [`NEAR_BLOCKS`].
    pub(super) block: u8,
    pub(super) bit: Informed,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Blocks to the right of the point's, and down.
    pub(super) across: i16,
    pub(super) down: i16,
    /// Its first node.
    pub(super) first: Offset,
    /// Of the distance of its closest node.
    pub(super) square: u32,
}

impl Block {
    /// Seen from a point that is the `x`th of its row in its block, and in the `y`th row.
    fn seen_from((x, y): (usize, usize), (across, down): (i16, i16)) -> Self {
        let edge = EDGE as i16;
        let first = Offset { dx: across * edge - x as i16, dy: down * edge - y as i16 };
        let nearest = |first: i16| 0.clamp(first, first + edge - 1);
        let square = Offset { dx: nearest(first.dx), dy: nearest(first.dy) }.square();
        Self { across, down, first, square }
    }

    /// Which of the [`NEAR_BLOCKS`] it is.
    #[inline]
    pub(super) fn near(&self) -> Option<usize> {
        let is_near = self.across.abs() <= 1 && self.down.abs() <= 1;
        is_near.then(|| ((self.down + 1) * 3 + self.across + 1) as usize)
    }

    /// Where the node lies whose bit has this number.
    #[inline]
    pub(super) fn node(&self, number: u32) -> Offset {
        let (edge, number) = (EDGE as i16, number as i16);
        Offset { dx: self.first.dx + number % edge, dy: self.first.dy + number / edge }
    }
}

impl PointSurroundings {
    /// All places, row by row, each with what lies within the radius.
    pub(super) fn all(radius: usize) -> Vec<Self> {
        let places = (0..EDGE).flat_map(|y| (0..EDGE).map(move |x| (x, y)));
        places.map(|place| Self::new(place, radius)).collect()
    }

    fn new(place: (usize, usize), radius: usize) -> Self {
        let (reach, farthest) = (radius.div_ceil(EDGE) as i16, (radius * radius) as u32);
        let rows = -reach..=reach;
        let all = rows.clone().flat_map(|down| {
            rows.clone().map(move |across| Block::seen_from(place, (across, down)))
        });
        let mut blocks: Vec<_> = all.filter(|block| block.square <= farthest).collect();
        blocks.sort_by_key(|block| block.square);

        let near = blocks.iter().filter_map(|block| Some((block, block.near()?)));
        let nodes = near.flat_map(|(block, number)| {
            (0..Informed::BITS).map(move |bit| NearNode {
                offset: block.node(bit),
                block: number as u8,
                bit: 1 << bit,
            })
        });
        let up_to = NEAR.min(farthest);
        let mut nodes: Vec<_> =
            nodes.filter(|node| (1..=up_to).contains(&node.offset.square())).collect();
        nodes.sort_by_key(|node| (node.offset.square(), node.offset.dy, node.offset.dx));
        Self { nodes, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_nodes_are_all_that_are_as_near() {
        for (radius, up_to) in [(1, 1), (3, 9), (9, NEAR)] {
            for place in PointSurroundings::all(radius) {
                let way = -9..=9_i16;
                let all = way.clone().flat_map(|dy| way.clone().map(move |dx| Offset { dx, dy }));
                let all = all.filter(|offset| (1..=up_to).contains(&offset.square()));
                assert_eq!(place.nodes.len(), all.count());
            }
        }
    }
}
