//! What a pool says of itself.

use std::time::Duration;

use super::configuration::Configuration;
use crate::worker::Place;

/// What a balancing pool has done, and with what; see
/// [`BalancingPool::report`](super::BalancingPool::report).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BalancingReport {
    /// The configuration that works at this moment.
    pub in_use: Configuration,
    /// Whether configurations are being tried, or workers made for the first time.
    pub is_profiling: bool,
    /// How often all configurations have been tried, the present time included.
    pub profilings: u64,
    /// What was measured of each configuration.
    pub configurations: Vec<ConfigurationReport>,
    /// What each kind of worker has done.
    pub kinds: Vec<KindReport>,
    /// Pieces that were submitted: `done + undone + waiting + in_work`.
    pub submitted: u64,
    /// Pieces that were done.
    pub done: u64,
    /// Pieces that came back as they were.
    pub undone: u64,
    /// Pieces that wait for a worker.
    pub waiting: usize,
    /// Pieces that a worker has in hand.
    pub in_work: usize,
}

/// What was measured of one configuration, most recently.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConfigurationReport {
    /// The configuration.
    pub configuration: Configuration,
    /// Whether there are workers for it.
    pub is_available: bool,
    /// Pieces that were done while it was measured.
    pub pieces: u64,
    /// The time in which the pool was busy, divided by these; `None` if it was not measured.
    pub time_per_piece: Option<Duration>,
    /// Joules meanwhile, divided by these; `None` if there is no figure.
    pub joules_per_piece: Option<f64>,
    /// It was cut off, as far dearer than the best one: the figures are too low, or there are none.
    pub is_cut_off: bool,
}

/// What one kind of worker has done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KindReport {
    /// Its name.
    pub name: String,
    /// Where it works.
    pub place: Place,
    /// What its workers work on, as [`Worker::device`](crate::Worker::device) says: of the one that
    /// was made last.
    pub device: Option<String>,
    /// How many workers there can be.
    pub most: usize,
    /// How many there are.
    pub present: usize,
    /// Pieces done.
    pub pieces: u64,
    /// Calls of its workers, of several pieces each if they take several at once.
    pub batches: u64,
    /// How often one of its workers has failed or could not be made.
    pub failures: u64,
    /// Why there is none, if there is none and one was lost for good.
    pub left_out: Option<String>,
}
