//! A discrete-event simulation of one hot speculative actor: its senders, its shards, their places
//! and the lock of the board, on as many cores as are asked for. Events are taken in the order of
//! their times, and everything that has to happen at a moment happens then (K. D. Tocher: "The Art
//! of Simulation", 1963).
//!
//! | rules of | here |
//! |---|---|
//! | `odeon-speculative`: `executor/shard.rs`, `processing/pace.rs` | `shards.rs` |
//! | `odeon-speculative`: `executor/engine/shards.rs`, `executor/board/shards.rs` | `places.rs` |
//! | `odeon-core`: `turn/budget.rs` | `budget.rs` |
//! | `odeon-core`: `scheduler/worker.rs`, `scheduler/find_work.rs` | `cores.rs` |
//! | `examples/shared-state`: `actors.rs` | `sending.rs` |
//!
//! What each step takes comes from outside ([`Costs`]). An actor of width 1 has no shards: its own
//! turn handles each message from its one inbox.
//!
//! A shard that goes idle alone gives its place back, where a machine's keeps it.
//!
//! What is left out, so that more cores do better here than in a machine: threads that sleep for a
//! lock are not overtaken by others, caches have room for everything, workers that look for work
//! disturb nobody, and messages never meet at a variable, have no effects, and need nothing that
//! would bring them to the board, as those do that take long.

mod budget;
mod cores;
mod costs;
mod lock;
mod places;
mod rules;
mod sending;
mod shards;
mod world;

pub use costs::Costs;

use rules::{PAYS, SURELY_PAYS_NS, pace_of};
use serde::Serialize;

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// What steps take.
    pub costs: Costs,
    /// Computing of each message, in ns.
    pub handler_ns: f64,
    /// Cores, with a worker each.
    pub cores: usize,
    /// Messages that run at once.
    pub width: usize,
    /// Actors that send.
    pub senders: usize,
    /// Messages of all senders together.
    pub messages: u64,
    /// Of the little by which steps differ from each other.
    pub seed: u64,
}

/// What only one thread does at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SerialPart {
    /// The shard that has most to do, or the own turn of an actor of width 1.
    Shard,
    /// The lock of the board.
    Board,
}

impl SerialPart {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shard => "the busiest shard",
            Self::Board => "the lock of the board",
        }
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulated {
    /// For a message.
    pub ns: f64,
    /// Messages of a place, on average; 0 if there were no places.
    pub batch: f64,
    /// Ways through the board's lock for a message.
    pub passes: f64,
    /// Time in which shards wait for the lock, for a message.
    pub waited_ns: f64,
    /// Of the places, in per cent, those that were taken while messages were thought to take long,
    /// as waits for the lock count as theirs. A machine would bring these messages to the board.
    pub thought_long_percent: f64,
    /// What a message takes of each serial part.
    pub serial: [(SerialPart, f64); 2],
}

impl Simulated {
    /// The serial part that a message takes most of.
    pub fn largest(&self) -> (SerialPart, f64) {
        let by_size = |a: &&(SerialPart, f64), b: &&(SerialPart, f64)| a.1.total_cmp(&b.1);
        *self.serial.iter().max_by(by_size).expect("there are some")
    }
}

impl Simulation {
    /// All cores are busy, as long as there is something to do.
    pub fn run(&self) -> Simulated {
        world::World::new(self).run()
    }

    /// As the pool has it: if two workers do no more than one, that one is left alone.
    pub fn run_as_pool(&self) -> Simulated {
        if self.cores == 1 || self.handler_ns >= SURELY_PAYS_NS {
            return self.run();
        }
        let alone = Self { cores: 1, ..self.clone() }.run();
        let two = Self { cores: 2, ..self.clone() }.run();
        if two.ns * PAYS > alone.ns {
            return alone;
        }
        if self.cores == 2 { two } else { self.run() }
    }
}

/// Whether messages of so many ns are brought to the board, which is not simulated.
pub(crate) fn takes_long(handler_ns: u64) -> bool {
    pace_of(handler_ns as f64).is_long()
}

#[cfg(test)]
mod tests;
