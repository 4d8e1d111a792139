//! What the tests under random schedules have in common.
//!
//! Nothing in them may block except through `odeon-sync`, and time is what [`Steps`] says, so that
//! a schedule can be run again.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use crate::support::{Common, Do, Lab};
use odeon_core::{Clock, Theater};
use odeon_speculative::{CoordinationError, Outcome, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_sync::{Condvar, Mutex};
use shuttle::rand::{Rng, thread_rng};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub const LONG: Duration = Duration::from_secs(3600);

/// A number below `end`, chosen by the schedule.
pub fn random(end: usize) -> usize {
    thread_rng().gen_range(0..end)
}

/// A clock that goes on with each look at it.
struct Steps {
    now: AtomicU64,
    step: u64,
}

impl Clock for Steps {
    fn now(&self) -> Duration {
        // ORDERING: Relaxed: a single value. Of `std`: it is no part of what is tested.
        Duration::from_nanos(self.now.fetch_add(self.step, Relaxed))
    }
}

/// Two workers, and a clock by which messages are short in some executions and long in others.
pub fn theater() -> Theater {
    let step = [0, 1_000, 40_000][random(3)];
    let clock = Steps { now: AtomicU64::new(0), step };
    Theater::builder().workers(2).clock(Arc::new(clock)).build().unwrap()
}

/// Ends a theater in which nothing hangs.
pub fn end(theater: Theater) {
    assert_eq!(theater.shutdown(LONG).stuck, 0);
}

pub fn lab(theater: &Theater, processing: Processing) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    (theater.spawn_speculative(Lab::new(&common), processing), common)
}

/// Every way of processing that a running actor may be given.
pub fn some_processing() -> Processing {
    let width = 1 + random(3);
    match random(5) {
        0 => Processing::sequential(),
        1 => Processing::concurrent().width(width),
        2 => Processing::sequential().non_blocking(),
        3 => Processing::concurrent().non_blocking().width(width),
        _ => Processing::adaptive(),
    }
}

pub fn wait(outcome: Outcome) -> Result<(), CoordinationError> {
    shuttle::future::block_on(outcome)
}

/// What the variables of an ended actor were.
pub fn last(common: &Common) -> Vec<i64> {
    common.last.lock().unwrap().clone()
}

/// What has committed, in the order of the commits; a model thread waits for so many.
#[derive(Default)]
pub struct Commits {
    all: Mutex<Vec<(usize, i64)>>,
    more: Condvar,
}

impl Commits {
    pub fn add(&self, sender: usize, value: i64) {
        self.all.lock().unwrap().push((sender, value));
        self.more.notify_all();
    }

    pub fn wait_for(&self, count: usize) {
        let mut all = self.all.lock().unwrap();
        while all.len() < count {
            all = self.more.wait(all).unwrap();
        }
    }

    pub fn all(&self) -> Vec<(usize, i64)> {
        self.all.lock().unwrap().clone()
    }

    /// What one sender's messages have come to.
    pub fn of(&self, sender: usize) -> Vec<i64> {
        self.all().into_iter().filter(|of| of.0 == sender).map(|of| of.1).collect()
    }
}

/// The `n`th message of a sender: adds one to the sender's variable and to the last one, and tells
/// `n`, negative if it is not what the first one is then.
pub fn step(commits: &Arc<Commits>, sender: usize, n: i64) -> Do {
    let commits = commits.clone();
    Do::update(move |lab, tx, _| {
        let seen = lab.add(tx, sender, 1)?;
        lab.add(tx, 7, 1)?;
        let (commits, told) = (commits.clone(), if seen == n { n } else { -n });
        tx.on_commit(move || commits.add(sender, told));
        Ok(seen)
    })
}

pub fn add(var: usize, n: i64) -> Do {
    Do::update(move |lab, tx, _| lab.add(tx, var, n))
}
