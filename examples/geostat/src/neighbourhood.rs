//! Which informed neighbours a point has: the closest ones, found by looking at nodes, and then at
//! blocks of nodes, in the order of their distance.

mod place;

use super::blocks::{Blocks, EDGE, Informed};
use super::closest::{Closest, Offset};
use super::nodes::Nodes;
use super::search::Neighbour;
use place::{NEAR, NEAR_BLOCKS, NearNode, PointSurroundings};

/// Where a point looks, and how long.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    /// For each place that a point can have in its block, row by row.
    places: Vec<PointSurroundings>,
    blocks: Blocks,
    radius: usize,
    most: usize,
    width: usize,
}

/// The largest radius.
pub const MOST_RADIUS: usize = 1000;

impl Neighbourhood {
    /// Of a grid with `width` times `height` nodes: the `most` closest informed neighbours within
    /// `radius`.
    ///
    /// # Panics
    /// If the radius is 0 or larger than [`MOST_RADIUS`].
    pub fn new(width: usize, height: usize, most: usize, radius: usize) -> Self {
        assert!((1..=MOST_RADIUS).contains(&radius), "a radius that an offset can hold");
        let (places, blocks) = (PointSurroundings::all(radius), Blocks::of(width, height));
        Self { places, blocks, radius, most, width }
    }

    /// Puts the informed neighbours of a point into `into`, the closest first; of those that are as
    /// close, the upper one, and then the left one. Answers the square of the distance up to which
    /// it matters what is informed. `closest`: memory, whatever is in it.
    ///
    /// # Errors
    /// What `nodes` answers.
    #[inline]
    pub fn look<N: Nodes>(
        &self,
        point: u32,
        into: &mut Vec<Neighbour>,
        closest: &mut Closest,
        nodes: &mut N,
    ) -> Result<u32, N::Error> {
        into.clear();
        if self.most == 0 {
            return Ok(0);
        }
        closest.begin(self.most, square_of(self.radius as i64, 0));
        let (x, y) = (point as usize % self.width, point as usize / self.width);
        let place = &self.places[y % EDGE * EDGE + x % EDGE];
        let at = ((x / EDGE) as isize, (y / EDGE) as isize);
        let mut near = [None; NEAR_BLOCKS];
        if !self.look_near(place, at, &mut near, closest, nodes)? {
            self.look_far(place, at, &near, closest, nodes)?;
        }
        for Offset { dx, dy } in closest.offsets() {
            let node = point as isize + dy as isize * self.width as isize + dx as isize;
            into.push(Neighbour { dx, dy, value: nodes.value(node as usize)? });
        }
        Ok(closest.reach())
    }

    /// Node after node: where many are informed, enough of them are found soon. Answers whether
    /// that is so.
    #[inline]
    fn look_near<N: Nodes>(
        &self,
        place: &PointSurroundings,
        at: (isize, isize),
        near: &mut [Option<Informed>; NEAR_BLOCKS],
        closest: &mut Closest,
        nodes: &mut N,
    ) -> Result<bool, N::Error> {
        for NearNode { offset, block, bit } in &place.nodes {
            let informed = match near[usize::from(*block)] {
                Some(informed) => informed,
                None => {
                    let (across, down) = (*block as isize % 3 - 1, *block as isize / 3 - 1);
                    let informed = self.informed(at, (across, down), nodes)?;
                    near[usize::from(*block)] = Some(informed);
                    informed
                }
            };
            if informed & bit != 0 && closest.push(*offset) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Block after block, for what is not near: where few are informed, most blocks have none.
    fn look_far<N: Nodes>(
        &self,
        place: &PointSurroundings,
        at: (isize, isize),
        near: &[Option<Informed>; NEAR_BLOCKS],
        closest: &mut Closest,
        nodes: &mut N,
    ) -> Result<(), N::Error> {
        for block in &place.blocks {
            if closest.is_beyond(block.square) {
                break;
            }
            let mut informed = match block.near().and_then(|number| near[number]) {
                Some(informed) => informed,
                None => self.informed(at, (block.across.into(), block.down.into()), nodes)?,
            };
            while informed != 0 {
                let offset = block.node(informed.trailing_zeros());
                informed &= informed - 1;
                if offset.square() > NEAR {
                    closest.offer(offset);
                }
            }
        }
        Ok(())
    }

    /// Which nodes of a block are informed, so many blocks from the one at `at`; none outside of
    /// the grid.
    #[inline]
    fn informed<N: Nodes>(
        &self,
        at: (isize, isize),
        (across, down): (isize, isize),
        nodes: &mut N,
    ) -> Result<Informed, N::Error> {
        self.blocks.at(at.0 + across, at.1 + down).map_or(Ok(0), |block| nodes.informed(block))
    }

    /// The square of the distance between two nodes.
    #[inline]
    pub fn square_between(&self, one: u32, other: u32) -> u32 {
        let width = self.width as u32;
        let along = |a: u32, b: u32| i64::from(a) - i64::from(b);
        square_of(along(one % width, other % width), along(one / width, other / width))
    }

    /// Nodes of a row of the grid.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Where its words say which nodes are informed.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Neighbours of a point, at most.
    pub fn most(&self) -> usize {
        self.most
    }

    /// How far they lie away, at most.
    pub fn radius(&self) -> usize {
        self.radius
    }
}

#[inline]
fn square_of(dx: i64, dy: i64) -> u32 {
    u32::try_from(dx * dx + dy * dy).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Grid;
    use crate::training_image::{EMPTY, Field};
    use odeon_example_run::SplitMix64;

    fn look(neighbourhood: &Neighbourhood, point: u32, field: &Field) -> (Vec<Neighbour>, u32) {
        let mut found = Vec::new();
        let mut grid = Grid::new(field.clone());
        let Ok(reach) = neighbourhood.look(point, &mut found, &mut Closest::default(), &mut grid);
        (found, reach)
    }

    #[test]
    fn the_closest_are_those_that_a_search_of_all_nodes_finds() {
        let mut random = SplitMix64::new(3);
        for (width, height, radius) in
            [(23, 17, 8), (21, 26, 7), (19, 18, 5), (5, 9, 1), (12, 8, 30)]
        {
            let most = 5;
            let neighbourhood = Neighbourhood::new(width, height, most, radius);
            for share in [1, 4, 30, 100] {
                let mut draw = |node| if random.next() % 100 < share { node as f32 } else { EMPTY };
                let field = Field::new(width, (0..width * height).map(&mut draw).collect());
                for point in 0..(width * height) as u32 {
                    let (found, reach) = look(&neighbourhood, point, &field);
                    let mut nodes: Vec<(u32, u32)> = (0..(width * height) as u32)
                        .filter(|node| *node != point && !field.values()[*node as usize].is_nan())
                        .map(|node| (neighbourhood.square_between(point, node), node))
                        .filter(|(square, _)| *square <= (radius * radius) as u32)
                        .collect();
                    // As close: by rows, and in a row from left to right, as nodes are numbered.
                    nodes.sort_unstable();
                    nodes.truncate(most);
                    let of_found = found.iter().map(|one| {
                        let node = i64::from(point) + i64::from(one.dy) * width as i64;
                        assert_eq!(one.value, (node + i64::from(one.dx)) as f32);
                        (square_of(one.dx.into(), one.dy.into()), one.value as u32)
                    });
                    assert_eq!(of_found.collect::<Vec<_>>(), nodes, "point {point}");
                    let is_full = nodes.len() == most;
                    let expected =
                        if is_full { nodes[most - 1].0 } else { (radius * radius) as u32 };
                    assert_eq!(reach, expected);
                }
            }
        }
    }

    #[test]
    fn neighbours_lie_where_they_say() {
        let neighbourhood = Neighbourhood::new(5, 5, 2, 3);
        let mut field = Field::empty(5, 5);
        let values = field.values_mut();
        (values[7], values[14]) = (1.0, 2.0);
        // The node itself does not count.
        values[12] = 9.0;
        let (found, reach) = look(&neighbourhood, 12, &field);
        let expected =
            [Neighbour { dx: 0, dy: -1, value: 1.0 }, Neighbour { dx: 2, dy: 0, value: 2.0 }];
        assert_eq!((&found[..], reach), (&expected[..], 4));
        assert_eq!(look(&Neighbourhood::new(5, 5, 0, 3), 12, &field), (Vec::new(), 0));
    }
}
