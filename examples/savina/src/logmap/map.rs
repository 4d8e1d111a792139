//! The logistic map: rates and first terms as Savina has them, and the terms that every version
//! must end with.

use odeon_example_run::Finish;

/// Above it a rate would exceed 4, and its terms would leave the unit interval.
pub const MAX_SERIES: usize = 216;
const FIRST_RATE: f64 = 3.46;
/// From one series to the next, of rates and of first terms.
const STEP: f64 = 0.0025;

pub(super) fn rate(series: usize) -> f64 {
    FIRST_RATE + series as f64 * STEP
}

pub(super) fn first_term(series: usize) -> f64 {
    series as f64 * STEP
}

#[inline]
pub(super) fn next_term(term: f64, rate: f64) -> f64 {
    rate * term * (1.0 - term)
}

/// The last term of each series, computed without any messages.
pub(super) struct FinalTerms {
    pub(super) terms: u64,
    expected: Vec<f64>,
}

impl FinalTerms {
    pub(super) fn of(series: usize, terms: u64) -> Self {
        let last = |series| {
            let rate = rate(series);
            (0..terms).fold(first_term(series), |term, _| next_term(term, rate))
        };
        Self { terms, expected: (0..series).map(last).collect() }
    }

    pub(super) fn series(&self) -> usize {
        self.expected.len()
    }

    /// The same operations in the same order give the same bits, so nothing but equality will do.
    pub(super) fn check(&self, series: usize, term: f64, finish: &Finish) {
        let expected = self.expected[series];
        finish.arrive_if(term == expected, || {
            format!("series {series} ends with {term}; expected {expected}")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    #[test]
    fn the_last_series_stays_in_the_unit_interval() {
        assert!(rate(MAX_SERIES - 1) <= 4.0 && rate(MAX_SERIES + 1) > 4.0);
        let terms = FinalTerms::of(MAX_SERIES, 1000);
        assert!(terms.expected.iter().all(|term| (0.0..=1.0).contains(term)));
        assert!(terms.expected[1..].iter().all(|term| *term > 0.0));
    }

    #[test]
    fn a_term_too_few_is_noticed() {
        let (finish, waiting) = finish_line(1);
        FinalTerms::of(3, 10).check(2, FinalTerms::of(3, 9).expected[2], &finish);
        let noticed = waiting.wait().unwrap_err().to_string();
        assert!(noticed.contains("series 2 ends with"), "{noticed}");
    }
}
