//! The search as it is described: one node after the other, each given up as soon as it cannot be
//! the nearest. It takes images of every kind.

use super::{DataEvent, FoundPlace, ImageSearch, Limits, Neighbour, Window};
use crate::training_image::{TrainingImage, ValueKind};
use std::sync::Arc;

/// See the module.
#[derive(Debug, Clone)]
pub struct PlainSearch {
    image: Arc<TrainingImage>,
    limits: Limits,
}

impl PlainSearch {
    /// Searches `image`.
    pub fn new(image: Arc<TrainingImage>, limits: Limits) -> Self {
        Self { image, limits }
    }

    fn find_one(&self, event: &DataEvent) -> FoundPlace {
        match self.image.kind() {
            ValueKind::Categorical(_) => {
                self.scan(event, |one, other| f32::from(u8::from(one != other)))
            }
            ValueKind::Continuous(_) => self.scan(event, |one, other| (one - other).abs()),
        }
    }

    fn scan(&self, event: &DataEvent, difference: impl Fn(f32, f32) -> f32) -> FoundPlace {
        let field = self.image.field();
        let (width, values) = (field.width(), field.values());
        let window = Window::of(event, width, field.height(), self.limits);
        let compared = &event.neighbours[..window.compared];
        let near_enough = self.image.kind().near_enough(compared.len(), self.limits);
        let (mut nearest, mut place, mut scanned) = (f32::INFINITY, 0, 0);
        'all: for (row, column, nodes) in window.stretches() {
            for node in row * width + column..row * width + column + nodes {
                scanned += 1;
                let mut sum = 0.0;
                for Neighbour { dx, dy, value } in compared {
                    let at = node as isize + isize::from(*dy) * width as isize + isize::from(*dx);
                    sum += difference(values[at as usize], *value);
                    if sum >= nearest {
                        break;
                    }
                }
                if sum < nearest {
                    (nearest, place) = (sum, node as u32);
                }
                if nearest <= near_enough {
                    break 'all;
                }
            }
        }
        FoundPlace { place, distance: self.image.kind().distance(nearest, compared.len()), scanned }
    }
}

/// Sums of differences that differ by less are equal, in terms of the image's range.
const PRECISION: f32 = 1e-4;

impl ValueKind {
    /// The unit of a sum of differences. WHY not each difference by itself: without a division all
    /// processors and devices that round to the nearest come to the same sum.
    fn range(&self) -> f32 {
        match self {
            Self::Categorical(_) => 1.0,
            Self::Continuous(range) => *range,
        }
    }

    /// The sum of differences of so many neighbours that is near enough.
    pub(super) fn near_enough(&self, compared: usize, limits: Limits) -> f32 {
        (limits.threshold * compared as f32 + PRECISION) * self.range()
    }

    /// The distance that a sum of differences of so many neighbours is.
    pub(super) fn distance(&self, sum: f32, compared: usize) -> f32 {
        sum / self.range() / compared.max(1) as f32
    }
}

impl ImageSearch for PlainSearch {
    fn find(&self, events: &[DataEvent], answers: &mut [FoundPlace]) {
        for (event, answer) in events.iter().zip(answers) {
            *answer = self.find_one(event);
        }
    }
}
