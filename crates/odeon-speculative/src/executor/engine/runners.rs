//! The runners of one actor: which there are, and which rest.

use crate::executor::board::Board;
use odeon_core::extend::wake_shared;
use odeon_core::{ActorRef, Message};

/// See the module. `R` is how one is woken: in models not by its address.
pub(crate) struct Runners<R = ActorRef<()>> {
    all: Vec<R>,
    resting: Vec<usize>,
}

impl<R> Default for Runners<R> {
    fn default() -> Self {
        Self { all: Vec::new(), resting: Vec::new() }
    }
}

impl<R: Clone> Runners<R> {
    /// Makes runners until there is one for each place of `width`, if the actor's own turn is not
    /// to be the only executor. The first turn of each looks for work by itself.
    pub(crate) fn fill(&mut self, width: usize, new: impl Fn(usize) -> R) {
        while width > 1 && self.all.len() < width {
            self.all.push(new(self.all.len()));
        }
    }

    /// A runner has found nothing to take; also if it was woken for something else.
    pub(crate) fn rest(&mut self, number: usize) {
        if !self.resting.contains(&number) {
            self.resting.push(number);
        }
    }

    /// A runner that is to be [woken](wake_runner), if one rests and there is something to take.
    pub(crate) fn next<M: Message>(&mut self, board: &Board<M>) -> Option<R> {
        if self.resting.is_empty() || !board.has_next() {
            return None;
        }
        self.all.get(self.resting.pop()?).cloned()
    }
}

/// Gives a runner a turn beside that of the caller, whose next message may take long; not under the
/// lock of the board.
pub(super) fn wake_runner(runner: Option<ActorRef<()>>) {
    if let Some(runner) = runner {
        wake_shared(&runner);
    }
}
