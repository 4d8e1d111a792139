//! Who keeps the values of a grid's nodes: an array, or variables in a transaction.

use super::blocks::{Blocks, Informed};
use super::training_image::Field;
use std::convert::Infallible;

/// Whoever keeps the values of the grid's nodes.
pub trait Nodes {
    /// Why something cannot be had.
    type Error;

    /// Which nodes of a [block](Blocks) are informed.
    ///
    /// # Errors
    /// If whoever keeps it says so.
    fn informed(&mut self, block: usize) -> Result<Informed, Self::Error>;

    /// The value of an informed node.
    ///
    /// # Errors
    /// If whoever keeps it says so.
    fn value(&mut self, node: usize) -> Result<f32, Self::Error>;

    /// Gives an empty node its value.
    ///
    /// # Errors
    /// If whoever keeps it says so.
    fn fill(&mut self, node: usize, value: f32) -> Result<(), Self::Error>;
}

/// An array of values, and which of them there are.
#[derive(Debug, Clone)]
pub struct Grid {
    field: Field,
    blocks: Blocks,
    informed: Vec<Informed>,
}

impl Grid {
    /// With the values of `field`.
    pub fn new(field: Field) -> Self {
        let blocks = Blocks::of(field.width(), field.height());
        Self { informed: Blocks::informed(&field), field, blocks }
    }

    /// Its values.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Its values, alone.
    pub fn into_field(self) -> Field {
        self.field
    }
}

impl Nodes for Grid {
    type Error = Infallible;

    #[inline]
    fn informed(&mut self, block: usize) -> Result<Informed, Infallible> {
        Ok(self.informed[block])
    }

    #[inline]
    fn value(&mut self, node: usize) -> Result<f32, Infallible> {
        Ok(self.field.values()[node])
    }

    #[inline]
    fn fill(&mut self, node: usize, value: f32) -> Result<(), Infallible> {
        let (block, bit) = self.blocks.place(node);
        self.informed[block] |= bit;
        self.field.values_mut()[node] = value;
        Ok(())
    }
}
