//! The signal and what the stages of a bank do with it.

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Items of the signal.
    pub items: u64,
    /// Items that a filter looks at.
    pub columns: usize,
    /// Banks.
    pub channels: usize,
}

impl Shape {
    /// How many joined values come out.
    pub(super) fn results(&self) -> u64 {
        self.items - 2 * (self.columns as u64 - 1)
    }

    pub(super) fn delay(&self) -> Delay {
        Delay { kept: vec![0.0; self.columns - 1], next: 0 }
    }

    pub(super) fn first_filter(&self, channel: usize) -> Filter {
        let (columns, channels, j) = (self.columns as f64, self.channels as f64, channel as f64);
        self.filter(|i| i * columns + j * channels + j + i + j + 1.0)
    }

    pub(super) fn second_filter(&self, channel: usize) -> Filter {
        let j = channel as f64;
        self.filter(|i| i * j + j * j + j + i)
    }

    fn filter(&self, coefficient: impl Fn(f64) -> f64) -> Filter {
        let reversed = (0..self.columns).rev().map(|i| coefficient(i as f64)).collect();
        Filter { seen: vec![0.0; self.columns], next: 0, full: false, reversed }
    }

    pub(super) fn sampler(&self) -> Sampler {
        Sampler { rate: self.columns, come: 0 }
    }
}

/// The signal: it begins again after 1,000 items.
#[inline]
pub(super) fn item(number: u64) -> f64 {
    (number % 1000) as f64
}

/// One stage: what goes on, if anything does, when a value has come.
pub(super) trait SignalStep: Send + 'static {
    fn step(&mut self, value: f64) -> Option<f64>;
}

/// Gives each value on after so many others; zeros first.
pub(super) struct Delay {
    kept: Vec<f64>,
    next: usize,
}

impl SignalStep for Delay {
    #[inline]
    fn step(&mut self, value: f64) -> Option<f64> {
        let before = std::mem::replace(&mut self.kept[self.next], value);
        self.next = if self.next + 1 == self.kept.len() { 0 } else { self.next + 1 };
        Some(before)
    }
}

/// A filter of finite impulse response, which gives nothing on until it has seen as many values as
/// it has columns.
pub(super) struct Filter {
    seen: Vec<f64>,
    next: usize,
    full: bool,
    reversed: Vec<f64>,
}

impl Filter {
    /// Whether there is a sum.
    #[inline]
    pub(super) fn see(&mut self, value: f64) -> bool {
        self.seen[self.next] = value;
        self.next += 1;
        if self.next == self.seen.len() {
            self.next = 0;
            self.full = true;
        }
        self.full
    }

    pub(super) fn sum(&self) -> f64 {
        product(&self.seen, &self.reversed)
    }
}

impl SignalStep for Filter {
    #[inline]
    fn step(&mut self, value: f64) -> Option<f64> {
        self.see(value).then(|| self.sum())
    }
}

/// Lets the first of as many values as a filter has columns through, and zeros instead of the
/// others.
pub(super) struct Sampler {
    rate: usize,
    come: usize,
}

impl Sampler {
    #[inline]
    pub(super) fn lets_through(&mut self) -> bool {
        let first = self.come == 0;
        self.come = if self.come + 1 == self.rate { 0 } else { self.come + 1 };
        first
    }
}

impl SignalStep for Sampler {
    #[inline]
    fn step(&mut self, value: f64) -> Option<f64> {
        Some(if self.lets_through() { value } else { 0.0 })
    }
}

/// TUNE: sums, guessed 2026-11: so many are added to in turn, so that no addition waits for the one
/// before it.
const SUMS: usize = 16;

/// The scalar product, always added in the same order.
fn product(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let (lefts, rights) = (left.chunks_exact(SUMS), right.chunks_exact(SUMS));
    let rest = lefts.remainder().iter().zip(rights.remainder());
    let rest: f64 = rest.map(|(left, right)| left * right).sum();
    for (left, right) in lefts.zip(rights) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { items: 100, columns: 19, channels: 3 };

    #[test]
    fn a_delay_gives_zeros_first_and_then_what_came() {
        let mut delay = SHAPE.delay();
        let delayed: Vec<f64> = (1..40).filter_map(|value| delay.step(f64::from(value))).collect();
        assert_eq!(delayed[..18], [0.0; 18]);
        assert_eq!(delayed[18..], (1..22).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn a_filter_adds_what_it_has_seen_by_its_coefficients() {
        let mut filter = SHAPE.second_filter(2);
        let came: Vec<f64> = (1..=20).filter_map(|value| filter.step(f64::from(value))).collect();
        let coefficient = |i: usize| (i * 2 + 4 + 2 + i) as f64;
        let at_first: f64 = (0..19).map(|i| (i + 1) as f64 * coefficient(18 - i)).sum();
        // The newest value has taken the place of the oldest.
        assert_eq!(came, [at_first, at_first + 19.0 * coefficient(18)]);
    }

    #[test]
    fn a_sampler_lets_one_in_nineteen_through() {
        let mut sampler = SHAPE.sampler();
        let through: Vec<usize> =
            (0..40).filter(|value| sampler.step(*value as f64 + 1.0) != Some(0.0)).collect();
        assert_eq!(through, [0, 19, 38]);
    }
}
