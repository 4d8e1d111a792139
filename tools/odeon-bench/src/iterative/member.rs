//! A worker actor, whatever its worker is.

use super::iteration::{Iteration, ToIteration};
use super::{Piece, Rounds};
use crate::theater::Post;
use odeon::prelude::*;
use odeon_device::Worker;

/// Pieces to do, and who gets them back.
#[derive(Message)]
pub(super) struct Do<P> {
    /// Which worker actor this is, for the iteration actor.
    pub(super) member: usize,
    pub(super) pieces: Vec<P>,
    pub(super) back: ActorRef<ToIteration<P>>,
}

/// An actor around a worker.
pub(super) struct WorkerActor<W>(W);

impl<W: Worker> WorkerActor<W> {
    pub(super) fn new(worker: W) -> Self {
        Self(worker)
    }
}

impl<W: Worker<Work: Piece>> Actor for WorkerActor<W> {
    type Msg = Do<W::Work>;

    fn handle(&mut self, message: Do<W::Work>, _ctx: &mut Context<'_, Self>) {
        let Do { member, mut pieces, back } = message;
        let outcome = self.0.work(&mut pieces);
        back.post(ToIteration::Back { member, pieces, outcome });
    }
}

/// The worker actors, as the iteration actor knows them.
pub(crate) struct Members<P>(Vec<Member<P>>);

struct Member<P> {
    actor: ActorRef<Do<P>>,
    at_once: usize,
    /// Messages that it has not answered yet.
    pending: usize,
}

impl<P> Members<P> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn add(&mut self, actor: ActorRef<Do<P>>, at_once: usize) {
        self.0.push(Member { actor, at_once: at_once.max(1), pending: 0 });
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// A message of this one has come back.
    pub(super) fn answered(&mut self, member: usize) {
        self.0[member].pending -= 1;
    }
}

impl<P: Piece> Members<P> {
    /// Has the iteration actor told of the end of each.
    pub(super) fn watch<R: Rounds<Piece = P>>(&self, ctx: &Context<'_, Iteration<R>>) {
        for member in &self.0 {
            // It lasts as long as both of them.
            let _ = ctx.watch_with(&member.actor, ToIteration::Lost);
        }
    }

    /// Gives one of them as many messages as it may have, as far as there is something `waiting`: of it, the last.
    pub(super) fn give(
        &mut self,
        member: usize,
        most: usize,
        waiting: &mut Vec<P>,
        back: &ActorRef<ToIteration<P>>,
    ) {
        let to = &mut self.0[member];
        while to.pending < most && !waiting.is_empty() {
            let pieces = waiting.split_off(waiting.len().saturating_sub(to.at_once));
            to.pending += 1;
            to.actor.post(Do { member, pieces, back: back.clone() });
        }
    }
}
