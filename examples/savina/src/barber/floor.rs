//! One thread: a customer comes, and is served.

use super::visits::{BarberPlan, Visits};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;

pub(super) fn run(plan: BarberPlan) -> Result<Timed, RunError> {
    let (finish, waiting) = finish_line(1);
    let mut visits = Visits::new(plan.haircuts, finish);
    let (timed, ()) = Timed::of(plan.haircuts as u64, || {
        let (mut pauses, mut cuts) = (plan.pauses(), plan.cuts());
        for customer in 0..plan.haircuts {
            pauses.pass();
            cuts.pass();
            visits.served(customer);
        }
        visits.closed(1, 1, plan.haircuts);
    });
    waiting.wait().map(|()| timed)
}
