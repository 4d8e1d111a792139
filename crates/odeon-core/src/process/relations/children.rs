//! Children, and what pipes leave for the actor that began them.

use std::collections::BTreeMap;

use super::{Dependants, Relations, RelationsState};
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::piped::Piped;

impl Relations {
    /// A number for a child that is about to be made.
    pub(crate) fn next_child(&self) -> u64 {
        let mut state = self.lock();
        state.next_child += 1;
        state.next_child
    }

    /// Adds a child; `false` if the actor has ended.
    pub(crate) fn add_child(&self, number: u64, child: ErasedWeakRef) -> bool {
        let mut state = self.lock();
        if state.ended.is_some() {
            return false;
        }
        state.children.insert(number, child);
        true
    }

    /// As [`add_child`](Self::add_child), for the hidden actor of a pipe.
    pub(crate) fn add_pipe(&self, number: u64, pipe: ErasedWeakRef) -> bool {
        let mut state = self.lock();
        if state.ended.is_some() {
            return false;
        }
        state.pipes.insert(number, pipe);
        true
    }

    /// Whether the actor has children.
    pub(crate) fn has_children(&self) -> bool {
        !self.lock().children.is_empty()
    }

    /// Whether an output of a pipe is waiting, or may come.
    pub(crate) fn has_pipes(&self) -> bool {
        let state = self.lock();
        !state.pipes.is_empty() || !state.piped.is_empty()
    }

    /// A child or pipe has ended, if it is one still.
    pub(crate) fn remove_child(&self, number: u64) {
        let mut state = self.lock();
        let removed = state.children.remove(&number).or_else(|| state.pipes.remove(&number));
        drop(state);
        drop(removed);
    }

    /// The children at this moment.
    pub(crate) fn children(&self) -> Vec<ErasedWeakRef> {
        self.lock().children.values().cloned().collect()
    }

    /// Owner: takes out what belongs to its state, which is to be made anew.
    pub(crate) fn take_dependants(&self) -> Dependants {
        let mut state = self.lock();
        Dependants { children: state.take_dependants(), piped: std::mem::take(&mut state.piped) }
    }

    /// A pipe has come to its end: in one step it ceases to be a child and leaves its output. That
    /// comes back if it is no child any more: the actor has ended or been made anew, or the pipe is
    /// cancelled.
    pub(crate) fn leave_piped(&self, piped: Piped) -> Result<(), Piped> {
        let mut state = self.lock();
        let Some(child) = state.pipes.remove(&piped.number) else { return Err(piped) };
        state.piped.push_back(piped);
        drop(state);
        drop(child);
        Ok(())
    }

    /// Owner: the output of the pipe that ended first.
    pub(crate) fn next_piped(&self) -> Option<Piped> {
        self.lock().piped.pop_front()
    }

    /// Has a pipe leave nothing, or takes out what it left. `false`: the actor has gone on with
    /// that.
    pub(crate) fn cancel_pipe(&self, number: u64) -> bool {
        let mut state = self.lock();
        if let Some(child) = state.pipes.remove(&number) {
            drop(state);
            child.stop();
            return true;
        }
        let place = state.piped.iter().position(|piped| piped.number == number);
        let taken = place.and_then(|place| state.piped.remove(place));
        drop(state);
        taken.is_some()
    }
}

impl RelationsState {
    /// Takes out all that end with the actor's state.
    pub(super) fn take_dependants(&mut self) -> BTreeMap<u64, ErasedWeakRef> {
        let mut dependants = std::mem::take(&mut self.children);
        dependants.append(&mut self.pipes);
        dependants
    }
}
