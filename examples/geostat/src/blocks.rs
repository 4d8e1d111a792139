//! A grid in blocks of 4 x 4 nodes. A word for each says which of its nodes are informed, so that
//! where few are, one word is looked at instead of sixteen nodes.

use super::training_image::Field;

/// Nodes along the edge of a block.
pub const EDGE: usize = 4;

/// Which nodes of a block are informed: a bit for each, row by row.
pub type Informed = u16;

/// The blocks of a grid, numbered row by row.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    width: usize,
    across: usize,
    down: usize,
}

impl Blocks {
    /// Of a grid with `width` times `height` nodes; those at its far edges may have fewer nodes
    /// than others.
    pub fn of(width: usize, height: usize) -> Self {
        Self { width, across: width.div_ceil(EDGE), down: height.div_ceil(EDGE) }
    }

    /// The number of a block, if the grid reaches there.
    #[inline]
    pub fn at(&self, x: isize, y: isize) -> Option<usize> {
        let is_there =
            (0..self.across as isize).contains(&x) && (0..self.down as isize).contains(&y);
        is_there.then(|| y as usize * self.across + x as usize)
    }

    /// In which block a node lies, and which of its bits says whether it is informed.
    #[inline]
    pub fn place(&self, node: usize) -> (usize, Informed) {
        let (x, y) = (node % self.width, node / self.width);
        let block = y / EDGE * self.across + x / EDGE;
        (block, 1 << (y % EDGE * EDGE + x % EDGE))
    }

    /// Which nodes of a field have a value, block by block.
    pub fn informed(field: &Field) -> Vec<Informed> {
        let blocks = Self::of(field.width(), field.height());
        let mut informed = vec![0; blocks.across * blocks.down];
        for (node, value) in field.values().iter().enumerate() {
            let (block, bit) = blocks.place(node);
            informed[block] |= if value.is_nan() { 0 } else { bit };
        }
        informed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training_image::EMPTY;

    #[test]
    fn each_node_has_a_bit_of_its_own() {
        let (width, height) = (10, 7);
        let blocks = Blocks::of(width, height);
        let places: Vec<_> = (0..width * height).map(|node| blocks.place(node)).collect();
        let mut different = places.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), places.len());
        // The second row of the second block of the second row.
        assert_eq!(blocks.place(5 * width + 6), (4, 1 << 6));
        assert_eq!((blocks.at(1, 1), blocks.at(2, 1), blocks.at(3, 1)), (Some(4), Some(5), None));
        assert_eq!((blocks.at(-1, 0), blocks.at(0, -1), blocks.at(0, 2)), (None, None, None));
    }

    #[test]
    fn says_which_nodes_have_a_value() {
        let mut field = Field::new(5, vec![EMPTY; 25]);
        for node in [0, 4, 6, 24] {
            field.values_mut()[node] = 0.0;
        }
        assert_eq!(Blocks::informed(&field), [1 | 1 << 5, 1, 0, 1]);
    }
}
