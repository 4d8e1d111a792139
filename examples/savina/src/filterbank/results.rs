//! What must come out of all banks together, in which order.

use super::signal::{Shape, SignalStep, item};
use odeon_example_run::Finish;

/// Checks the joined values, each at its place.
pub(super) struct Results {
    received: u64,
    checksum: u64,
    expected: (u64, u64),
    finish: Finish,
}

impl Results {
    /// Samplers let few sums of the first filters through, so only those are computed here.
    pub(super) fn expected_of(shape: Shape, finish: Finish) -> Self {
        let mut joined = vec![0.0; shape.results() as usize];
        for channel in 0..shape.channels {
            let (mut first, mut second) = (shape.delay(), shape.delay());
            let (mut filter, mut last) =
                (shape.first_filter(channel), shape.second_filter(channel));
            let mut sampler = shape.sampler();
            let mut sums = joined.iter_mut();
            for value in (0..shape.items).filter_map(|number| first.step(item(number))) {
                if !filter.see(value) {
                    continue;
                }
                let sampled = if sampler.lets_through() { filter.sum() } else { 0.0 };
                let out = second.step(sampled).and_then(|delayed| last.step(delayed));
                if let Some((sum, out)) = out.and_then(|out| Some((sums.next()?, out))) {
                    *sum += out;
                }
            }
        }
        let checksum = joined.into_iter().fold(0, at_its_place);
        Self { received: 0, checksum: 0, expected: (shape.results(), checksum), finish }
    }

    #[inline]
    pub(super) fn receive(&mut self, value: f64) {
        self.received += 1;
        self.checksum = at_its_place(self.checksum, value);
    }

    /// Nothing more will come.
    pub(super) fn check(&self) {
        let came = (self.received, self.checksum);
        self.finish.arrive_if(came == self.expected, || {
            let (received, checksum) = came;
            let (expected, right) = self.expected;
            format!("{received} values with checksum {checksum:x}; expected {expected}, {right:x}")
        });
    }
}

/// A checksum that depends on every bit and on the order.
fn at_its_place(checksum: u64, value: f64) -> u64 {
    checksum.wrapping_mul(31).wrapping_add(value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    #[test]
    fn values_too_few_or_wrong_are_noticed() {
        let shape = Shape { items: 60, columns: 19, channels: 2 };
        let outcome = |values: &[f64]| {
            let (finish, waiting) = finish_line(1);
            let mut results = Results::expected_of(shape, finish);
            values.iter().for_each(|value| results.receive(*value));
            results.check();
            waiting.wait().unwrap_err().to_string()
        };
        assert!(outcome(&[0.0; 23]).contains("23 values"));
        assert!(outcome(&[0.0; 24]).contains("expected 24"));
    }
}
