//! Which informed neighbours a point has: the closest ones, found by looking at nodes in the order of their distance.

use super::search::Neighbour;

/// Where a point looks, and how long.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    /// From near to far.
    steps: Vec<Step>,
    radius: usize,
    most: usize,
    width: usize,
    height: usize,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    dx: i16,
    dy: i16,
    /// Of the distance.
    square: u32,
}

/// The largest radius.
pub const MOST_RADIUS: usize = 1000;

impl Neighbourhood {
    /// Of a grid with `width` times `height` nodes: the `most` closest informed neighbours within `radius`.
    ///
    /// # Panics
    /// If the radius is 0 or larger than [`MOST_RADIUS`].
    pub fn new(width: usize, height: usize, most: usize, radius: usize) -> Self {
        assert!((1..=MOST_RADIUS).contains(&radius), "a radius that a step can hold");
        let reach = radius as i16;
        let all = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
        let mut steps: Vec<Step> = all
            .map(|(dx, dy)| Step { dx, dy, square: square_of(dx.into(), dy.into()) })
            .filter(|step| (1..=square_of(radius as i64, 0)).contains(&step.square))
            .collect();
        steps.sort_by_key(|step| (step.square, step.dy, step.dx));
        Self { steps, radius, most, width, height }
    }

    /// Puts the informed neighbours of a point into `into`, the closest first. `value` answers a node's value, or that it
    /// is [empty](super::training_image::EMPTY). Answers the square of the distance up to which it has looked.
    ///
    /// # Errors
    /// What `value` answers.
    #[inline]
    pub fn look<E>(
        &self,
        point: u32,
        into: &mut Vec<Neighbour>,
        mut value: impl FnMut(usize) -> Result<f32, E>,
    ) -> Result<u32, E> {
        into.clear();
        let node = point as usize;
        let (x, y) = (node % self.width, node / self.width);
        let radius = self.radius;
        let is_inside =
            x >= radius && x + radius < self.width && y >= radius && y + radius < self.height;
        let (width, height) = (self.width as isize, self.height as isize);
        let (x, y) = (x as isize, y as isize);
        if self.most == 0 {
            return Ok(0);
        }
        for step in &self.steps {
            let (at_x, at_y) = (x + isize::from(step.dx), y + isize::from(step.dy));
            let is_there = || (0..width).contains(&at_x) && (0..height).contains(&at_y);
            if !(is_inside || is_there()) {
                continue;
            }
            let value = value((at_y * width + at_x) as usize)?;
            if !value.is_nan() {
                into.push(Neighbour { dx: step.dx, dy: step.dy, value });
                if into.len() == self.most {
                    return Ok(step.square);
                }
            }
        }
        Ok(square_of(radius as i64, 0))
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
}

#[inline]
fn square_of(dx: i64, dy: i64) -> u32 {
    u32::try_from(dx * dx + dy * dy).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use std::convert::Infallible;

    fn look(neighbourhood: &Neighbourhood, point: u32, values: &[f32]) -> (Vec<Neighbour>, u32) {
        let mut found = Vec::new();
        let answer = |node: usize| Ok::<_, Infallible>(values[node]);
        let Ok(reach) = neighbourhood.look(point, &mut found, answer);
        (found, reach)
    }

    #[test]
    fn the_closest_are_those_that_a_search_of_all_nodes_finds() {
        let mut random = SplitMix64::new(3);
        let (width, height, radius, most) = (23, 17, 8, 5);
        let neighbourhood = Neighbourhood::new(width, height, most, radius);
        for share in [1, 4, 30] {
            let mut draw = || if random.next() % 100 < share { 1.0 } else { f32::NAN };
            let values: Vec<f32> = (0..width * height).map(|_| draw()).collect();
            for point in 0..(width * height) as u32 {
                let (found, reach) = look(&neighbourhood, point, &values);
                let mut squares: Vec<u32> = (0..values.len() as u32)
                    .filter(|node| *node != point && !values[*node as usize].is_nan())
                    .map(|node| neighbourhood.square_between(point, node))
                    .filter(|square| *square <= (radius * radius) as u32)
                    .collect();
                squares.sort_unstable();
                squares.truncate(most);
                let of_found = found.iter().map(|one| square_of(one.dx.into(), one.dy.into()));
                assert_eq!(of_found.collect::<Vec<_>>(), squares, "point {point}");
                let expected = if squares.len() == most { squares[most - 1] } else { 64 };
                assert_eq!(reach, expected);
            }
        }
    }

    #[test]
    fn neighbours_lie_where_they_say() {
        let neighbourhood = Neighbourhood::new(5, 5, 2, 3);
        let mut values = [f32::NAN; 25];
        (values[7], values[14]) = (1.0, 2.0);
        // The node itself does not count.
        values[12] = 9.0;
        let (found, reach) = look(&neighbourhood, 12, &values);
        let expected =
            [Neighbour { dx: 0, dy: -1, value: 1.0 }, Neighbour { dx: 2, dy: 0, value: 2.0 }];
        assert_eq!((&found[..], reach), (&expected[..], 4));
        assert_eq!(look(&Neighbourhood::new(5, 5, 0, 3), 12, &values), (Vec::new(), 0));
    }
}
