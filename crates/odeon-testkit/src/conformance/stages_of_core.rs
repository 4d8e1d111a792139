//! The stages of `odeon-core` and of this crate as stages under test.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use odeon_core::extend::Spawnable;
use odeon_core::{ActorRef, Stage, StopReport, Supervision, Theater, TheaterBuilder};

use super::stage::{PATIENCE, StageUnderTest};
use crate::deterministic_scheduler::Deterministic;

#[track_caller]
fn wait_until(mut done: impl FnMut() -> bool) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < PATIENCE, "still waiting after {PATIENCE:?}");
        // Not only yielding: the threads under test may have a lower claim to the core.
        std::thread::sleep(Duration::from_micros(20));
    }
}

/// The pool, with the workers that the builder says.
#[derive(Debug)]
pub struct OnPool(Theater);

/// A pinned stage.
#[derive(Debug)]
pub struct OnPinned {
    theater: Theater,
    stage: Stage,
}

/// A dedicated stage per actor.
#[derive(Debug)]
pub struct OnDedicated {
    theater: Theater,
    spawned: AtomicU64,
}

/// The deterministic stage.
#[derive(Debug)]
pub struct OnDeterministic(Deterministic);

#[track_caller]
fn started<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("the theater or stage did not start: {error}"))
}

impl StageUnderTest for OnPool {
    const SEEDS: u64 = 5;
    fn new(builder: TheaterBuilder, seed: u64) -> Self {
        Self(started(builder.random_seed(seed).build()))
    }
    fn theater(&self) -> &Theater {
        &self.0
    }
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        self.0.spawn(actor)
    }
    fn run_until(&self, done: impl FnMut() -> bool) {
        wait_until(done);
    }
    fn work_a_little(&self, amount: usize) {
        std::thread::sleep(Duration::from_micros(amount as u64));
    }
    fn drain_within(self, limit: Duration) -> StopReport {
        self.0.shutdown(limit)
    }
    fn shutdown_now(self) -> StopReport {
        self.0.shutdown(Duration::ZERO)
    }
}

impl StageUnderTest for OnPinned {
    const SEEDS: u64 = 5;
    fn new(builder: TheaterBuilder, seed: u64) -> Self {
        let theater = started(builder.random_seed(seed).build());
        let stage = started(theater.pinned("stage"));
        Self { theater, stage }
    }
    fn theater(&self) -> &Theater {
        &self.theater
    }
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        self.theater.actor().on(&self.stage).spawn(actor)
    }
    fn spawn_supervised<Kind, A: Spawnable<Kind>>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        self.theater.actor().on(&self.stage).supervised(supervision).spawn(make)
    }
    fn run_until(&self, done: impl FnMut() -> bool) {
        wait_until(done);
    }
    fn work_a_little(&self, amount: usize) {
        std::thread::sleep(Duration::from_micros(amount as u64));
    }
    fn drain_within(self, limit: Duration) -> StopReport {
        self.theater.shutdown(limit)
    }
    fn shutdown_now(self) -> StopReport {
        self.theater.shutdown(Duration::ZERO)
    }
}

impl OnDedicated {
    fn next_name(&self) -> String {
        // ORDERING: Relaxed: only makes names differ.
        format!("own-{}", self.spawned.fetch_add(1, Ordering::Relaxed))
    }
}

impl StageUnderTest for OnDedicated {
    const SEEDS: u64 = 5;
    fn new(builder: TheaterBuilder, seed: u64) -> Self {
        let theater = started(builder.random_seed(seed).build());
        Self { theater, spawned: AtomicU64::new(0) }
    }
    fn theater(&self) -> &Theater {
        &self.theater
    }
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        started(self.theater.actor().dedicated(&self.next_name()).spawn(actor))
    }
    fn run_until(&self, done: impl FnMut() -> bool) {
        wait_until(done);
    }
    fn work_a_little(&self, amount: usize) {
        std::thread::sleep(Duration::from_micros(amount as u64));
    }
    fn drain_within(self, limit: Duration) -> StopReport {
        self.theater.shutdown(limit)
    }
    fn shutdown_now(self) -> StopReport {
        self.theater.shutdown(Duration::ZERO)
    }
}

impl StageUnderTest for OnDeterministic {
    const SEEDS: u64 = 100;
    fn new(builder: TheaterBuilder, seed: u64) -> Self {
        Self(Deterministic::with(seed, builder))
    }
    fn theater(&self) -> &Theater {
        self.0.theater()
    }
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        self.0.theater().spawn(actor)
    }
    fn run_until(&self, mut done: impl FnMut() -> bool) {
        while !done() {
            assert_eq!(self.0.run_steps(1), 1, "{:?}: idle, but not there yet", self.0);
        }
    }
    fn work_a_little(&self, amount: usize) {
        self.0.run_steps(amount);
    }
    fn drain_within(self, _limit: Duration) -> StopReport {
        // As the drain of a shutdown does: restarts that pause are waited for.
        self.0.run_through_timers(PATIENCE);
        self.0.shutdown()
    }
    fn shutdown_now(self) -> StopReport {
        self.0.shutdown()
    }
}
