//! The distributed sorted integer linked list (Hayduk, Sobe and Felber, OPODIS 2013, section 6).
//!
//! List actors hold consecutive parts of one sorted list; request actors look up, insert, remove
//! and sum, each waiting for every answer. A sum visits all list actors in order, as one
//! coordinated transaction or as messages of their own: then updates slip in front of it and behind
//! it.
//!
//! | question | file |
//! |---|---|
//! | how do list actors handle requests, and sums? | `mode.rs` |
//! | plain list actors, and requesters | `actors.rs` |
//! | speculative list actors | `actors/speculative.rs` |
//! | what does a requester ask? | `client.rs` |
//! | what has a list actor? | `segment.rs`, `sorted_list.rs` |
//! | which list actor has a value? | `spread.rs` |
//! | how long does a sum take from one to the next? | `wire.rs` |
//! | what has been done until when? | `course.rs` |
//! | what have requesters seen? | `history.rs` |
//! | the same without actors | `floor.rs` |

#![deny(unsafe_code)]

mod actors;
mod client;
mod course;
mod floor;
pub mod history;
mod mode;
mod segment;
mod sorted_list;
mod spread;
mod wire;

use odeon_example_run::RunError;

pub use actors::List;
pub use client::Mix;
pub use course::{ListCourse, ListProgress};
pub use floor::run as floor;
pub use mode::{COORDINATED, ListHandling, ListMode, MODES, SPECULATIVE_MODES, SUMS, Sum};
pub use sorted_list::SortedList;
pub use spread::{SPREADS, Spread};

/// What is asked of which list.
#[derive(Debug, Clone, Copy)]
pub struct ListPlan {
    /// Actors that hold parts of the list.
    pub list_actors: usize,
    /// Actors that send requests.
    pub requesters: usize,
    /// Requests of each requester.
    pub requests: u64,
    /// Integers that the list may hold.
    pub range: u64,
    /// Of the range, in the list at first.
    pub fill_percent: u64,
    /// Shares of lookups and updates.
    pub mix: Mix,
    /// How to add up.
    pub sum: Sum,
    /// Which list actor has a value.
    pub spread: Spread,
    /// Of all random draws.
    pub seed: u64,
}

impl ListPlan {
    fn operations(&self) -> u64 {
        self.requesters as u64 * self.requests
    }

    /// The list actor that is responsible for a value.
    fn owner(&self, value: u32) -> usize {
        self.spread.owner(value, self.range, self.list_actors)
    }
}

/// What a requester asks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ListOperation {
    Lookup(u32),
    Insert(u32),
    Remove(u32),
    Sum(Sum),
}

impl ListOperation {
    /// The list actor that gets the request; a sum starts at the first.
    fn receiver(self, plan: &ListPlan) -> usize {
        match self {
            Self::Lookup(value) | Self::Insert(value) | Self::Remove(value) => plan.owner(value),
            Self::Sum(_) => 0,
        }
    }
}

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OperationAnswer {
    Whether(bool),
    Sum(i64),
}

/// Compares what the list actors say at the end with what must be.
fn check_sums(audits: &[(i64, i64)], expected: i64) -> Result<(), RunError> {
    let partial_sums: i64 = audits.iter().map(|(partial, _)| partial).sum();
    let values: i64 = audits.iter().map(|(_, values)| values).sum();
    if partial_sums == expected && values == expected {
        return Ok(());
    }
    let found = format!(
        "the partial sums add up to {partial_sums}, the values to {values}; expected {expected}"
    );
    Err(RunError::WrongResult(found))
}

#[cfg(test)]
mod tests;
