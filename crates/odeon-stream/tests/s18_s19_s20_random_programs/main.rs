//! S18, S19, S20 at random: actors with bounded mailboxes, pipes and streams, whose messages are
//! programs.
//!
//! *What is generated.* A population of plain and asynchronous actors, with bounds of all kinds,
//! some in a group, beside a worker pool; with threads also on pinned and dedicated stages. Each
//! message brings a program (`program.rs`): to send in every way, ask, pipe, attach streams, arm
//! timers, fail, stop, close mailboxes, and so on, with programs for others.
//!
//! *What is checked.* Always: an actor does one thing at a time (S1), every message is accounted
//! for (S4), every value is dropped once, and the theater shuts down. What more holds is said by
//! the [`Mode`]:
//!
//! | mode | has | checks besides |
//! |---|---|---|
//! | calm | no failures and no stops | all comes to its end: nobody is held back for ever (S17, S18), each question is answered (S10), each pipe goes on once (S19), streams arrive whole and in order (S20) |
//! | fragile | failures; all are restarted or resumed | all messages are handled in the end, nothing waits (S15) |
//! | wild | stops, closed mailboxes and handlers that wait for ever as well | accounts only; cut off in the middle |
//!
//! | part | file |
//! |---|---|
//! | programs, from seeds | `program.rs` |
//! | what is known of a whole run: accounts and counts | `world.rs` |
//! | who carries programs out | `actors.rs`, `deeds.rs` |
//! | the population | `population.rs` |
//! | one run: deterministic, or with threads | `runs.rs` |

mod actors;
mod deeds;
mod population;
mod program;
mod runs;
mod world;

use odeon_testkit::for_seeds;

use runs::{deterministic, with_threads};
use world::Mode;

#[test]
fn s18_s19_s20_calm_programs_come_to_their_end_in_any_order() {
    for_seeds(400, |seed| drop(deterministic(seed, Mode::Calm)));
}

#[test]
fn s18_s19_s20_fragile_programs_lose_nothing_in_any_order() {
    for_seeds(400, |seed| drop(deterministic(seed, Mode::Fragile)));
}

#[test]
fn s18_s19_s20_wild_programs_lose_nothing_in_any_order() {
    for_seeds(400, |seed| drop(deterministic(seed, Mode::Wild)));
}

#[test]
fn s23_programs_run_the_same_again() {
    for_seeds(30, |seed| {
        for mode in [Mode::Calm, Mode::Fragile, Mode::Wild] {
            let (first, again) = (deterministic(seed, mode), deterministic(seed, mode));
            assert_eq!(first.counts, again.counts, "{mode:?}");
            assert!(first.trace == again.trace, "{mode:?}: the traces differ");
        }
    });
}

#[test]
fn s18_s19_s20_calm_programs_come_to_their_end_in_parallel() {
    for_seeds(60, |seed| with_threads(seed, Mode::Calm));
}

#[test]
fn s18_s19_s20_fragile_programs_lose_nothing_in_parallel() {
    for_seeds(60, |seed| with_threads(seed, Mode::Fragile));
}

#[test]
fn s18_s19_s20_wild_programs_lose_nothing_in_parallel() {
    for_seeds(60, |seed| with_threads(seed, Mode::Wild));
}
