//! `odeon theater`: a theater that runs for others, and what is asked of those that run.
//!
//! | question | file |
//! |---|---|
//! | how does a program take part in a cluster? | `theater/reach.rs` |
//! | what does a theater do that runs? | `theater/running.rs`; its actors: `theater/counters.rs`; who is not let in: `theater/refusals.rs`, `theater/complaints.rs` |
//! | who is there? | `theater/looking.rs`; how that is shown: `theater/listing.rs` |
//! | which theater or actor is meant? | `theater/meant.rs` |
//! | what is asked of one? | `theater/asking.rs` |

mod asking;
mod complaints;
mod counters;
mod error;
mod listing;
mod looking;
mod meant;
mod reach;
mod refusals;
mod running;

use clap::{Args, Subcommand};

pub(crate) use self::error::TheaterError;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TheaterArguments {
    #[command(subcommand)]
    command: Option<TheaterCommand>,
    #[command(flatten)]
    run: running::RunArguments,
}

#[derive(Subcommand)]
enum TheaterCommand {
    /// List the theaters of a cluster, and the mobile actors in them.
    Ps(listing::PsArguments),
    /// Move an actor to another theater.
    Move(asking::MoveArguments),
    /// Move all mobile actors of a theater to others, and let none come there.
    Drain(asking::DrainArguments),
    /// Let actors come to a theater again that was drained.
    Reopen(asking::ReopenArguments),
    /// Create a counter, an actor to try all this with.
    Spawn(asking::SpawnArguments),
    /// Add to a counter, and print what it has come to.
    Count(asking::CountArguments),
}

pub(crate) fn run(arguments: &TheaterArguments) -> Result<(), TheaterError> {
    match &arguments.command {
        None => running::run(&arguments.run),
        Some(TheaterCommand::Ps(arguments)) => listing::ps(arguments),
        Some(TheaterCommand::Move(arguments)) => asking::move_actor(arguments),
        Some(TheaterCommand::Drain(arguments)) => asking::drain(arguments),
        Some(TheaterCommand::Reopen(arguments)) => asking::reopen(arguments),
        Some(TheaterCommand::Spawn(arguments)) => asking::spawn(arguments),
        Some(TheaterCommand::Count(arguments)) => asking::count(arguments),
    }
}
