//! S14, S15, S16 at random: actors that watch, link, supervise and find each other, and end in
//! every way.
//!
//! *What is generated.* Supervised actors of both kinds with policies of all sorts, a worker pool
//! and a group; with threads also on pinned and dedicated stages. Each message brings a seed, and
//! its handler does what that says (`deeds.rs`): send, ask, watch, link, arm timers, have children,
//! use names, groups and the pool, pipe, close mailboxes, stop, and panic. Policies, `started`,
//! what makes a state and its destructor panic as well; in one run of five failures are escalated
//! to the root.
//!
//! *What is checked.* Every message is accounted for (S4) and every value dropped once; each watch
//! that was not cancelled is told once (S14); each question is answered once (S10); each actor that
//! was spawned ends, and the theater shuts down in time, also one that failed at its root (S15).
//! What stats say is what was counted (S21), nobody waits in a quiet theater, and each message that
//! was sent in a scope is handled in one caused by it (S22). The same seed gives the same run
//! (S23).
//!
//! | part | file |
//! |---|---|
//! | what is known of a whole run: accounts, counts, who is there | `world.rs` |
//! | scopes and their causes | `scopes.rs` |
//! | messages and the actors that handle them | `actors.rs` |
//! | what handlers do | `deeds.rs` |
//! | the population | `population.rs` |
//! | one run: deterministic, or with threads | `runs.rs` |
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

mod actors;
mod deeds;
mod population;
mod runs;
mod scopes;
mod world;

use odeon_testkit::for_seeds;

use runs::{deterministic, with_threads};

#[test]
fn s14_s15_s16_random_programs_in_any_order() {
    for_seeds(400, |seed| drop(deterministic(seed)));
}

#[test]
fn s23_random_programs_run_the_same_again() {
    for_seeds(50, |seed| {
        let (first, again) = (deterministic(seed), deterministic(seed));
        assert_eq!(first.counts, again.counts);
        assert!(first.trace == again.trace, "the traces differ");
    });
}

#[test]
fn s14_s15_s16_random_programs_in_parallel() {
    for_seeds(60, with_threads);
}
