//! The runners of one actor: which there are, and which rest.

use crate::board::Board;
use odeon_core::ActorRef;
use odeon_core::extend::wake;

/// See the module.
#[derive(Default)]
pub(super) struct Runners {
    all: Vec<ActorRef<()>>,
    resting: Vec<usize>,
}

impl Runners {
    /// Makes runners until there is one for each place of `width`, if the actor's own turn is not to be the only executor.
    /// The first turn of each looks for work by itself.
    pub(super) fn fill(&mut self, width: usize, new: impl Fn(usize) -> ActorRef<()>) {
        while width > 1 && self.all.len() < width {
            self.all.push(new(self.all.len()));
        }
    }

    /// A runner has found nothing to take; also if it was woken for something else.
    pub(super) fn rest(&mut self, number: usize) {
        if !self.resting.contains(&number) {
            self.resting.push(number);
        }
    }

    /// A runner that is to be [roused](rouse), if one rests and there is something to take.
    pub(super) fn next<M>(&mut self, board: &Board<M>) -> Option<ActorRef<()>> {
        if self.resting.is_empty() || !board.has_next() {
            return None;
        }
        self.all.get(self.resting.pop()?).cloned()
    }
}

/// Gives a runner a turn; not under the lock of the board.
pub(super) fn rouse(runner: Option<ActorRef<()>>) {
    if let Some(runner) = runner {
        wake(&runner);
    }
}
