//! Memory that an executor uses again.

use crate::executor::job::Job;
use odeon_core::extend::{Lane, Outbox};
use std::collections::VecDeque;
use std::time::Duration;

/// See the module.
pub(crate) struct Scratch<M> {
    /// What has been taken.
    pub(super) batch: VecDeque<Job<M>>,
    /// How many are over, and the lanes that are left with them.
    pub(super) over: usize,
    pub(super) left: Vec<Lane>,
    /// What has to be taken again.
    pub(super) back: Vec<Job<M>>,
    /// What has followed another one in its lane, and is to wait again.
    pub(super) unfollowed: Vec<Job<M>>,
    pub(crate) outbox: Outbox,
    /// What has been handled since a place was given back, and how long that took.
    pub(super) messages: usize,
    pub(super) committed: u64,
    pub(super) took: Duration,
}

impl<M> Scratch<M> {
    pub(crate) fn new() -> Self {
        Self {
            batch: VecDeque::new(),
            over: 0,
            left: Vec::new(),
            back: Vec::new(),
            unfollowed: Vec::new(),
            outbox: Outbox::new(),
            messages: 0,
            committed: 0,
            took: Duration::ZERO,
        }
    }
}
