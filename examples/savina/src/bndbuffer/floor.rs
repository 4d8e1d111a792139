//! Producers and consumers in turn, without a runtime.

use super::BufferSetup;
use super::buffer::{Buffer, Consumed, Reports, Trade, process};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;
use std::hint::black_box;

pub(super) fn run(setup: &BufferSetup) -> Result<Timed, RunError> {
    let trade = Trade { consumers: 1, ..Trade::new(setup) };
    let mut buffer = Buffer::new(&trade);
    let mut made = vec![0.0; trade.producers as usize];
    let (mut consumed, mut used) = (Consumed::default(), 0.0);
    let (timed, ()) = Timed::of(trade.items(), || {
        for _ in 0..trade.items_each {
            for item in &mut made {
                *item = process(*item, trade.producer_cost);
                buffer.put(*item);
                while let Some(item) = buffer.take() {
                    used = process(used + item, trade.consumer_cost);
                    consumed.count(item);
                }
            }
        }
        black_box(used);
    });
    let (finish, waiting) = finish_line(1);
    Reports::new(&trade, finish).receive(consumed, &buffer);
    waiting.wait().map(|()| timed)
}
