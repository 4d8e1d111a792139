//! The adder without a runtime.

use super::AdderJoinSetup;
use super::actor_only::Partial;
use super::feed::{Feed, Sums};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;

pub(super) fn run(setup: &AdderJoinSetup) -> Result<Timed, RunError> {
    let feed = Feed::new(setup);
    let (finish, waiting) = finish_line(1);
    let mut sums = Sums::new(&feed, finish);
    let mut partial = Partial::new(feed.sources());
    let (timed, ()) = Timed::of(feed.numbers(), || {
        for (source, number) in feed {
            if let Some(sum) = partial.add(source, number) {
                sums.receive(sum);
            }
        }
    });
    waiting.wait().map(|()| timed)
}
