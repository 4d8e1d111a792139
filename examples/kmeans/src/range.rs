//! Values whose distances an `f32` cannot say.

/// The least and the greatest value of each dimension.
#[derive(Default)]
pub(super) struct Range(Vec<(f64, f64)>);

/// Squares below this lose some of their digits where a difference is a part of it by a thousand or
/// so; some devices make nothing of them.
const LEAST_SQUARE: f64 = (f32::MIN_POSITIVE / f32::EPSILON) as f64;

/// The largest distance with which every way compares: `3e38` of the kernels, halved for what is
/// added up on the way.
const GREATEST_SQUARE: f64 = 1.5e38;

impl Range {
    /// A value of this dimension, as it was written.
    pub(super) fn add(&mut self, dim: usize, value: f64) {
        if self.0.len() <= dim {
            self.0.resize(dim + 1, (f64::INFINITY, f64::NEG_INFINITY));
        }
        let (least, greatest) = &mut self.0[dim];
        (*least, *greatest) = (least.min(value), greatest.max(value));
    }

    /// Whether distances between so many points, and sums of their values, are numbers that can be
    /// compared: centres are means, so none is further from a point than the points are from each
    /// other.
    ///
    /// # Errors
    /// If not, with what can be done.
    pub(super) fn check(&self, rows: usize) -> Result<(), String> {
        let widths = self.0.iter().map(|(least, greatest)| greatest - least);
        let widest = widths.clone().fold(0.0, f64::max);
        let all: f64 = widths.map(|width| width * width).sum();
        let magnitude = |(least, greatest): &(f64, f64)| least.abs().max(greatest.abs());
        let largest = self.0.iter().map(magnitude).fold(0.0, f64::max);
        let differences = format!("values that differ by up to {widest:.1e}, the squares of which");
        let (what, is, by) = if all > GREATEST_SQUARE {
            (differences, "more than an `f32` can say", widest)
        } else if largest * rows as f64 > GREATEST_SQUARE {
            (
                format!("values up to {largest:.1e}, the sums of which"),
                "more than an `f32` can say",
                largest,
            )
        } else if widest > 0.0 && widest * widest < LEAST_SQUARE {
            (differences, "less than an `f32` can say exactly", widest)
        } else {
            return Ok(());
        };
        Err(format!("{what} are {is}: divide all of them, by {by:.0e} or so"))
    }
}
