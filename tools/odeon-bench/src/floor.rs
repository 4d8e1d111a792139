//! The plainest actor system there is: boxed actors, one queue, one loop. Most floors run on it.

use std::collections::VecDeque;

/// What an actor is without a runtime. WHY a trait object: a system of mixed actors needs one, and
/// a floor that the compiler could see through would flatter every real runtime's distance to it.
pub(crate) trait Receiver<M> {
    fn receive(&mut self, message: M, queue: &mut Queue<M>);
}

/// Messages on their way, each with the index of its receiver.
pub(crate) struct Queue<M>(VecDeque<(usize, M)>);

impl<M> Queue<M> {
    pub(crate) fn new() -> Self {
        Self(VecDeque::new())
    }

    #[inline]
    pub(crate) fn post(&mut self, to: usize, message: M) {
        self.0.push_back((to, message));
    }

    /// Delivers until nothing is left.
    pub(crate) fn drive(&mut self, actors: &mut [Box<dyn Receiver<M>>]) {
        while let Some((to, message)) = self.0.pop_front() {
            actors[to].receive(message, self);
        }
    }
}
