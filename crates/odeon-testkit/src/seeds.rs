//! One test, many seeds; the seed that fails is named and can be run alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::replay::{self, VARIABLE};

/// Runs `test` with the seeds `0..count`, or only with the one in the environment variable
/// `ODEON_SEED` if it is set.
///
/// # Panics
/// As the first run that panics does, after printing how to repeat that run alone. Also if
/// `ODEON_SEED` is not a number.
pub fn for_seeds(count: u64, test: impl Fn(u64)) {
    let chosen = std::env::var(VARIABLE).ok().map(|seed| {
        seed.parse().unwrap_or_else(|_| panic!("{VARIABLE} must be a number, not `{seed}`"))
    });
    match chosen {
        Some(seed) => run_named(seed, &test),
        None => (0..count).for_each(|seed| run_named(seed, &test)),
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
        if std::env::var(VARIABLE).is_ok() {
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
}
