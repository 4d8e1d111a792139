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
    /// All of it so many times.
    pub fn times(self, factor: f64) -> Self {
        let Self { min, median, max } = self;
        Self { min: min * factor, median: median * factor, max: max * factor }
    }

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

/// The straight line that lies closest to some points: least squares of y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightLine {
    /// How much y grows with x.
    pub slope: f64,
    /// y where x is 0.
    pub intercept: f64,
    /// Pearson's r: 1 if all points lie on a line that rises, -1 on one that falls, about 0 if on
    /// none.
    pub correlation: f64,
}

impl StraightLine {
    /// `None` if the points have not at least two different x, or all have the same y.
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let mean = |of: fn(&(f64, f64)) -> f64| {
            points.iter().map(of).sum::<f64>() / points.len().max(1) as f64
        };
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: fn(f64, f64) -> f64| {
            points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>()
        };
        let (xx, yy, xy) = (sum(|x, _| x * x), sum(|_, y| y * y), sum(|x, y| x * y));
        let slope = xy / xx;
        let line =
            Self { slope, intercept: mean_y - slope * mean_x, correlation: xy / (xx * yy).sqrt() };
        (xx > 0.0 && yy > 0.0).then_some(line)
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

    #[test]
    fn lines_lie_between_points() {
        let straight =
            StraightLine::through(&[(1.0, 5.0), (3.0, 9.0), (2.0, 7.0)]).expect("it is one");
        assert_eq!(straight, StraightLine { slope: 2.0, intercept: 3.0, correlation: 1.0 });
        let bent =
            StraightLine::through(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)]).expect("one");
        assert!((bent.slope - 0.2).abs() < 1e-9 && (bent.intercept - 0.2).abs() < 1e-9);
        assert!((bent.correlation - 0.2_f64.sqrt()).abs() < 1e-9, "{bent:?}");
        for none in [&[][..], &[(1.0, 1.0)], &[(1.0, 1.0), (1.0, 2.0)], &[(1.0, 1.0), (2.0, 1.0)]] {
            assert_eq!(StraightLine::through(none), None);
        }
    }
}
