//! One test, many seeds; the seed that fails is named and can be run alone.

use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::replay::{self, VARIABLE};

/// The environment variable that says how many seeds [`for_seeds`] runs, instead of the test.
const COUNT_VARIABLE: &str = "ODEON_SEEDS";

/// Runs `test` with the seeds `0..count`. The environment may want others: with `ODEON_SEED` that
/// one alone, with `ODEON_SEEDS` as many as it says, for a long search.
///
/// # Panics
/// As the first run that panics does, after printing how to repeat that run alone. Also if
/// `ODEON_SEED` or `ODEON_SEEDS` is not a number.
pub fn for_seeds(count: u64, test: impl Fn(u64)) {
    let (one, many) = (number_in(VARIABLE), number_in(COUNT_VARIABLE));
    seeds(count, one, many).for_each(|seed| run_named(seed, &test));
}

fn number_in(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a number, not `{text}`")))
}

/// What to run: of a test that wants `count`, where the environment names one seed or a number of
/// them.
fn seeds(count: u64, one: Option<u64>, many: Option<u64>) -> RangeInclusive<u64> {
    match (one, many.unwrap_or(count)) {
        (Some(seed), _) => seed..=seed,
        (None, 0) => RangeInclusive::new(1, 0),
        (None, count) => 0..=count - 1,
    }
}

fn run_named(seed: u64, test: &impl Fn(u64)) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
        eprintln!("seed {seed} failed; to repeat it alone:\n    {}", replay::command(seed));
        resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn runs_every_seed_up_to_the_failing_one() {
        if number_in(VARIABLE).or(number_in(COUNT_VARIABLE)).is_some() {
            return;
        }
        let seen = RefCell::new(Vec::new());
        let result = catch_unwind(AssertUnwindSafe(|| {
            for_seeds(10, |seed| {
                seen.borrow_mut().push(seed);
                if seed == 3 {
                    crate::silent_panic("seed 3");
                }
            });
        }));
        assert_eq!(*result.unwrap_err().downcast_ref::<&str>().unwrap(), "seed 3");
        assert_eq!(*seen.borrow(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_environment_may_want_one_seed_or_more_of_them() {
        assert!(seeds(3, None, None).eq([0, 1, 2]) && seeds(0, None, None).is_empty());
        assert!(seeds(3, None, Some(5)).eq(0..5) && seeds(3, None, Some(0)).is_empty());
        assert!(
            seeds(3, Some(7), None).eq([7]) && seeds(3, Some(u64::MAX), Some(5)).eq([u64::MAX])
        );
    }
}
