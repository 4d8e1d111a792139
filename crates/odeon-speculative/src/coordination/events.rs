//! What a transaction hears of those that execute its messages.

use super::outcome::CoordinationError;
use super::transaction::Coordination;
use crate::executor::enlistment::Role;
use crate::executor::transaction::Transaction;
use crate::executor::visiting::Visiting;
use odeon_core::extend::Suspends;
use std::sync::Arc;

impl Transaction for Coordination {
    fn number(&self) -> u64 {
        Self::number(self)
    }

    fn gathers(&self) -> bool {
        Self::gathers(self)
    }

    fn suspend(&self) -> Option<Suspends> {
        Self::suspend(self)
    }

    fn arrive(self: Arc<Self>, round: u32, place: Role, visit: Box<dyn Visiting>) {
        Self::arrive(&self, round, place, visit);
    }

    fn lose(self: Arc<Self>, round: u32, place: Role) {
        Self::lose(&self, round, place);
    }

    fn give_way(self: Arc<Self>, round: u32, place: Role) {
        Self::give_way(&self, round, place);
    }

    fn participant_ends(self: Arc<Self>) {
        Self::fail(&self, CoordinationError::Stopped);
    }

    fn resume(self: Arc<Self>) {
        Self::resume(&self);
    }
}
