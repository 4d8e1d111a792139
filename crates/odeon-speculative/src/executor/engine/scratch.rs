//! Memory that an executor uses again.

use crate::executor::job::Job;
use odeon_core::extend::{Lane, Outbox};
use std::collections::VecDeque;

/// See the module.
pub(crate) struct Scratch<M> {
    /// What has been taken.
    pub(super) batch: VecDeque<Job<M>>,
    /// Lanes of what is over.
    pub(super) over: Vec<Option<Lane>>,
    /// What has to be taken again.
    pub(super) back: Vec<Job<M>>,
    /// What has followed another one in its lane, and is to wait again.
    pub(super) unfollowed: Vec<Job<M>>,
    pub(crate) outbox: Outbox,
}

impl<M> Scratch<M> {
    pub(crate) fn new() -> Self {
        Self {
            batch: VecDeque::new(),
            over: Vec::new(),
            back: Vec::new(),
            unfollowed: Vec::new(),
            outbox: Outbox::new(),
        }
    }
}
