//! Searching the training image for a data event.
//!
//! All searches find the same: nodes are looked at row by row from a drawn one on, within the
//! window in which the whole event lies inside the image. The first whose distance to the event is
//! at most the threshold is taken; if none of the share that is looked at is as near, the nearest,
//! and of several the first.

mod by_kernels;
mod kernels;
mod packed;
mod plain;

pub use by_kernels::KernelSearch;
pub use packed::PackedSearch;
pub use plain::PlainSearch;

use super::training_image::{TrainingImage, ValueKind};
use std::sync::Arc;

/// An informed neighbour of a point, seen from there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Columns to the right.
    pub dx: i16,
    /// Rows down.
    pub dy: i16,
    /// What it is.
    pub value: f32,
}

/// What is searched for: the informed neighbours of one point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataEvent {
    /// Decides where the search begins; any number.
    pub draw: u64,
    /// The closest first.
    pub neighbours: Vec<Neighbour>,
}

/// Where an event was found.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FoundPlace {
    /// The node of the training image, by number.
    pub place: u32,
    /// The share of neighbours that differ there; of numbers, their mean difference in terms of the
    /// image's range.
    pub distance: f32,
    /// Nodes that were looked at.
    pub scanned: u32,
}

/// When a search is content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The distance that is near enough, from 0 to 1.
    pub threshold: f32,
    /// The share of the window that is looked at, at most; from 0 to 1.
    pub fraction: f32,
}

/// A way to search a training image: on this processor, or on a device that takes many events at
/// once.
pub trait ImageSearch: Send + Sync {
    /// Finds each event; there are as many answers as events. The same event leads to the same
    /// answer, whenever and however often it is asked.
    fn find(&self, events: &[DataEvent], answers: &mut [FoundPlace]);
}

/// The fastest search of this processor for an image.
pub fn best(image: &Arc<TrainingImage>, limits: Limits) -> Box<dyn ImageSearch> {
    match image.kind() {
        ValueKind::Categorical(_) => Box::new(PackedSearch::new(image, limits)),
        ValueKind::Continuous(_) => Box::new(PlainSearch::new(image.clone(), limits)),
    }
}

/// Where an event can be found at all, and in which order it is looked for there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many neighbours are compared, the closest: all, unless the event is larger than the
    /// image.
    pub compared: usize,
    /// The first column.
    pub left: usize,
    /// The first row.
    pub top: usize,
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// The first node that is looked at, counted row by row within the window.
    pub start: usize,
    /// How many nodes are looked at, at most.
    pub budget: usize,
}

impl Window {
    /// The window of an event in an image with `width` times `height` nodes.
    pub fn of(event: &DataEvent, width: usize, height: usize, limits: Limits) -> Self {
        let mut compared = 0;
        let (mut left, mut right, mut top, mut bottom) = (0_i16, 0_i16, 0_i16, 0_i16);
        for one in &event.neighbours {
            let wider = (left.min(one.dx), right.max(one.dx), top.min(one.dy), bottom.max(one.dy));
            let extent = |low: i16, high: i16| (i32::from(high) - i32::from(low)) as usize;
            if extent(wider.0, wider.1) >= width || extent(wider.2, wider.3) >= height {
                break;
            }
            (left, right, top, bottom) = wider;
            compared += 1;
        }
        let [left, right, top, bottom] =
            [left, right, top, bottom].map(|one| one.unsigned_abs() as usize);
        let (columns, rows) = (width - left - right, height - top - bottom);
        let nodes = columns * rows;
        let budget = (f64::from(limits.fraction) * nodes as f64).ceil() as usize;
        let start = (event.draw % nodes as u64) as usize;
        Self { compared, left, top, columns, rows, start, budget: budget.clamp(1, nodes) }
    }

    /// The stretches of rows in which nodes are looked at, in order: row, first column and number
    /// of nodes.
    fn stretches(self) -> impl Iterator<Item = (usize, usize, usize)> {
        let (mut row, mut column) = (self.start / self.columns, self.start % self.columns);
        let mut left = self.budget;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let nodes = left.min(self.columns - column);
            let stretch = (self.top + row, self.left + column, nodes);
            left -= nodes;
            column = 0;
            row = if row + 1 == self.rows { 0 } else { row + 1 };
            Some(stretch)
        })
    }
}

#[cfg(test)]
mod tests;
