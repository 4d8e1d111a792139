//! The adder without a runtime.

use super::actor_only::Partial;
use super::feed::{Feed, Sums};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use odeon_example_run::finish_line;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let feed = Feed::new(params);
    let (finish, waiting) = finish_line(1);
    let mut sums = Sums::new(&feed, finish);
    let mut partial = Partial::new(feed.sources());
    let (measured, ()) = Measured::time(feed.numbers(), || {
        for (source, number) in feed {
            if let Some(sum) = partial.add(source, number) {
                sums.receive(sum);
            }
        }
    });
    waiting.wait().map(|()| measured)
}
