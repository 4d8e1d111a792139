//! The plainest actor system there is: boxed actors, one queue, one loop. Most floors run on it.

use std::collections::VecDeque;

/// What an actor is without a runtime. WHY a trait object: a system of mixed actors needs one, and
/// a floor that the compiler could see through would flatter every real runtime's distance to it.
pub trait FloorActor<M> {
    /// Handles a message; what it sends goes into the queue.
    fn receive(&mut self, message: M, queue: &mut FloorQueue<M>);
}

/// Messages on their way, each with the index of its receiver.
pub struct FloorQueue<M>(VecDeque<(usize, M)>);

impl<M> FloorQueue<M> {
    /// Nothing on its way.
    #[expect(
        clippy::new_without_default,
        reason = "as collections of the standard library are made"
    )]
    pub fn new() -> Self {
        Self(VecDeque::new())
    }

    /// Sends.
    #[inline]
    pub fn post(&mut self, to: usize, message: M) {
        self.0.push_back((to, message));
    }

    /// Delivers until nothing is left.
    pub fn drive(&mut self, actors: &mut [Box<dyn FloorActor<M>>]) {
        while let Some((to, message)) = self.0.pop_front() {
            actors[to].receive(message, self);
        }
    }
}
