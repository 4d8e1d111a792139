//! Resident memory in the course of a run.

use super::rss_kib;
use std::time::Duration;

/// What was seen of the resident memory, in bounded space. The first half is what a run needs to
/// find its size; the second half tells whether it goes on growing.
#[derive(Debug, Clone)]
pub struct MemoryCourse {
    lasting: Duration,
    highest_before: u64,
    highest_after: u64,
    line: LineFit,
}

impl MemoryCourse {
    /// Of a run that lasts so long.
    pub fn lasting(lasting: Duration) -> Self {
        Self { lasting, highest_before: 0, highest_after: 0, line: LineFit::default() }
    }

    /// Looks at the memory, where the system tells.
    pub fn look(&mut self, elapsed: Duration) {
        if let Some(kib) = rss_kib() {
            self.note(elapsed, kib);
        }
    }

    /// So much memory at that time.
    pub fn note(&mut self, elapsed: Duration, kib: u64) {
        if elapsed * 2 < self.lasting {
            self.highest_before = self.highest_before.max(kib);
        } else {
            self.highest_after = self.highest_after.max(kib);
            self.line.add(elapsed.as_secs_f64() / 60.0, kib as f64);
        }
    }

    /// The highest of the first half and of the second, in KiB; 0 where nothing was seen.
    pub fn highest_kib(&self) -> (u64, u64) {
        (self.highest_before, self.highest_after)
    }

    /// The slope of the straight line that is nearest to what was seen in the second half; `None`
    /// with less than two looks.
    pub fn growth_kib_per_minute(&self) -> Option<f64> {
        self.line.slope()
    }
}

/// Sums from which the slope of a line through points follows.
#[derive(Debug, Clone, Default)]
struct LineFit {
    points: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    origin: Option<(f64, f64)>,
}

impl LineFit {
    fn add(&mut self, x: f64, y: f64) {
        // WHY: differences from the first point keep the sums small, and so exact.
        let (x0, y0) = *self.origin.get_or_insert((x, y));
        let (x, y) = (x - x0, y - y0);
        self.points += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    fn slope(&self) -> Option<f64> {
        let spread = self.points * self.xx - self.x * self.x;
        (spread > 0.0).then(|| (self.points * self.xy - self.x * self.y) / spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(points: impl IntoIterator<Item = (u64, u64)>) -> MemoryCourse {
        let mut course = MemoryCourse::lasting(Duration::from_secs(100));
        points.into_iter().for_each(|(second, kib)| course.note(Duration::from_secs(second), kib));
        course
    }

    #[test]
    fn the_slope_is_of_the_second_half() {
        let grows = noted((0..100).map(|second| (second, 1000 * second.min(50) + 10 * second)));
        let slope = grows.growth_kib_per_minute().expect("there are points");
        assert!((slope - 600.0).abs() < 0.01, "{slope}");
        assert_eq!(grows.highest_kib(), (49_490, 50_990));
        let flat = noted((0..100).map(|second| (second, 5000 - second.min(50))));
        assert_eq!(flat.growth_kib_per_minute(), Some(0.0));
    }

    #[test]
    fn too_few_points_have_no_slope() {
        assert_eq!(noted([(10, 5), (20, 7), (60, 7)]).growth_kib_per_minute(), None);
    }
}
