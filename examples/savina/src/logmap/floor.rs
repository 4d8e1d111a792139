//! Every series without a runtime.

use super::LogisticMapSetup;
use super::map::{FinalTerms, first_term, next_term, rate};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;
use std::hint::black_box;

pub(super) fn run(setup: &LogisticMapSetup) -> Result<Timed, RunError> {
    let (series, terms) = (setup.series, setup.terms);
    let mut last: Vec<f64> = (0..series).map(first_term).collect();
    let (timed, ()) = Timed::of(series as u64 * terms, || {
        for (number, term) in last.iter_mut().enumerate() {
            let rate = black_box(rate(number));
            for _ in 0..terms {
                *term = next_term(*term, rate);
            }
        }
    });
    let expected = FinalTerms::of(series, terms);
    let (finish, waiting) = finish_line(series);
    for (number, term) in last.into_iter().enumerate() {
        expected.check(number, term, &finish);
    }
    waiting.wait().map(|()| timed)
}
