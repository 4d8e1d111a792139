//! The few numbers that describe a list of samples.

/// Smallest, middle and largest of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The middle one, or the mean of the middle two.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Not-a-number three times when there are no samples.
    pub fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Self { min: f64::NAN, median: f64::NAN, max: f64::NAN };
        };
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Self { min, median, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_and_even_counts() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Spread { min: 1.0, median: 2.0, max: 3.0 });
        assert_eq!(Spread::of(&[4.0, 1.0, 3.0, 2.0]), Spread { min: 1.0, median: 2.5, max: 4.0 });
        assert_eq!(Spread::of(&[7.0]), Spread { min: 7.0, median: 7.0, max: 7.0 });
    }

    #[test]
    fn nothing_has_no_median() {
        assert!(Spread::of(&[]).median.is_nan());
    }
}
