//! `barber`: Savina's sleeping barber. Customers come to a waiting room with few seats; the barber
//! cuts one after the other, and sleeps when nobody waits.

mod actor_only;
mod floor;
mod retries;
mod selector;
mod visits;

use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use visits::{BarberPlan, Visits};

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct BarberSetup {
    /// Customers, each of whom gets a haircut.
    pub haircuts: usize,
    /// Seats of the waiting room.
    pub seats: usize,
    /// Draws between two customers, at most.
    pub pause: u64,
    /// Draws of a haircut, at most.
    pub cut: u64,
    /// Of all random draws.
    pub seed: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor", "retries"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &BarberSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (plan, seats) = (BarberPlan::new(setup), setup.seats);
    let (finish, waiting) = finish_line(1);
    let visits = Visits::new(plan.haircuts, finish);
    let begin = match version {
        "selector" => selector::begin,
        "retries" => retries::begin,
        _ => actor_only::begin,
    };
    waiting.time(plan.haircuts as u64, || begin(&theater, plan, seats, visits))
}

/// The work of street and barber on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &BarberSetup) -> Result<Timed, RunError> {
    floor::run(BarberPlan::new(setup))
}
