//! `bndbuffer`: Savina's producers and consumers with a bounded buffer. Each producer makes an item
//! when the buffer asks it to; each consumer gets one when there is one.

mod actor_only;
mod buffer;
mod declared;
mod floor;
mod imperative;

use buffer::Trade;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct BufferSetup {
    /// Items under way at most.
    pub buffer: usize,
    /// Producers.
    pub producers: u64,
    /// Consumers.
    pub consumers: u64,
    /// Items of each producer.
    pub items: u64,
    /// Hundreds of logarithms for an item.
    pub producer_cost: u64,
    /// Hundreds of logarithms with an item.
    pub consumer_cost: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["declared", "imperative", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &BufferSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(1);
    let trade = Trade::new(setup);
    let items = trade.items();
    let begin: Box<dyn FnOnce()> = match version {
        "declared" => Box::new(declared::set_up(&theater, trade, finish)),
        "imperative" => Box::new(imperative::set_up(&theater, trade, finish)),
        _ => Box::new(actor_only::set_up(&theater, trade, finish)),
    };
    waiting.time(items, begin)
}

/// One `VecDeque` on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &BufferSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
