//! All banks without a runtime.

use super::results::Results;
use super::signal::{Shape, SignalStep, item};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;

pub(super) fn run(setup: &Shape) -> Result<Timed, RunError> {
    let shape = *setup;
    let (finish, waiting) = finish_line(1);
    let mut results = Results::expected_of(shape, finish);
    let mut banks: Vec<[Box<dyn SignalStep>; 5]> = (0..shape.channels)
        .map(|channel| -> [Box<dyn SignalStep>; 5] {
            [
                Box::new(shape.delay()),
                Box::new(shape.first_filter(channel)),
                Box::new(shape.sampler()),
                Box::new(shape.delay()),
                Box::new(shape.second_filter(channel)),
            ]
        })
        .collect();
    let (timed, ()) = Timed::of(shape.items, || {
        for number in 0..shape.items {
            let through = |bank: &mut [Box<dyn SignalStep>; 5]| {
                bank.iter_mut().try_fold(item(number), |value, stage| stage.step(value))
            };
            let outs: Vec<f64> = banks.iter_mut().filter_map(through).collect();
            if !outs.is_empty() {
                results.receive(outs.iter().sum());
            }
        }
    });
    results.check();
    waiting.wait().map(|()| timed)
}
