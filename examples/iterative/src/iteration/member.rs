//! A worker actor, whatever its worker is.

use super::{Iteration, ToIteration};
use crate::{RoundPiece, Rounds};
use odeon::prelude::*;
use odeon_device::{DeviceError, Worker};
use odeon_example_run::Post;
use std::time::Duration;

/// How long a worker actor gets nothing after a failure that may pass; twice as long after each
/// further one in a row, up to [`LONGEST_PAUSE`].
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);

/// TUNE: s, guessed 2026-11, as a balancing pool has it.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// TUNE: failures in a row, guessed 2026-11: with the pauses between them a minute, longer than a
/// broker takes to start.
const MOST_OF_A_CONNECTION: u32 = 37;

/// TUNE: failures in a row, guessed 2026-11: with the pauses between them some seconds. Who has
/// lost a device seldom finds it again.
const MOST_OF_A_DEVICE: u32 = 8;

/// Pieces to do, and who gets them back.
#[derive(Message)]
pub(crate) struct Do<P> {
    /// Which worker actor this is, for the iteration actor.
    pub(crate) member: usize,
    pub(crate) pieces: Vec<P>,
    pub(crate) back: ActorRef<ToIteration<P>>,
}

/// An actor around a worker.
pub(crate) struct WorkerActor<W>(W);

impl<W: Worker> WorkerActor<W> {
    pub(crate) fn new(worker: W) -> Self {
        Self(worker)
    }
}

impl<W: Worker<Work: RoundPiece>> Actor for WorkerActor<W> {
    type Msg = Do<W::Work>;

    fn handle(&mut self, message: Do<W::Work>, _ctx: &mut Context<'_, Self>) {
        let Do { member, mut pieces, back } = message;
        let outcome = self.0.work(&mut pieces);
        back.post(ToIteration::Back { member, pieces, outcome });
    }
}

/// The worker actors, as the iteration actor knows them.
pub struct Members<P>(Vec<CrewMember<P>>);

struct CrewMember<P> {
    actor: ActorRef<Do<P>>,
    at_once: usize,
    /// Messages that it has not answered yet.
    pending: usize,
    /// Failures in a row, those left out during a pause.
    failures: u32,
    /// It gets nothing for a while.
    rests: bool,
}

/// When a worker actor that has failed gets something again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// When this has passed.
    Pause(Duration),
    /// When the pause has passed that it has already.
    ThisPause,
    /// Its failure does not pass.
    Never,
}

impl<P> Members<P> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn add(&mut self, actor: ActorRef<Do<P>>, at_once: usize) {
        self.0.push(CrewMember {
            actor,
            at_once: at_once.max(1),
            pending: 0,
            failures: 0,
            rests: false,
        });
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// A message of this one has come back. If it is undone: when may it be given something again?
    pub(crate) fn answered(&mut self, member: usize, outcome: &Result<(), DeviceError>) -> After {
        let member = &mut self.0[member];
        member.pending -= 1;
        let most = match outcome {
            Ok(()) => {
                member.failures = 0;
                return After::ThisPause;
            }
            Err(error) if !error.is_transient() => return After::Never,
            Err(_) if member.rests => return After::ThisPause,
            Err(DeviceError::Disconnected(_)) => MOST_OF_A_CONNECTION,
            Err(_) => MOST_OF_A_DEVICE,
        };
        if member.failures == most {
            return After::Never;
        }
        let pause = SHORTEST_PAUSE.saturating_mul(1 << member.failures.min(16));
        member.failures += 1;
        member.rests = true;
        After::Pause(pause.min(LONGEST_PAUSE))
    }

    /// The pause of this one is over.
    pub(crate) fn rested(&mut self, member: usize) {
        self.0[member].rests = false;
    }
}

impl<P: RoundPiece> Members<P> {
    /// Has the iteration actor told of the end of each.
    pub(crate) fn watch<R: Rounds<Piece = P>>(&self, ctx: &Context<'_, Iteration<R>>) {
        for member in &self.0 {
            // It lasts as long as both of them.
            let _ = ctx.watch_with(&member.actor, ToIteration::Lost);
        }
    }

    /// Gives one of them as many messages as it may have, as far as there is something `waiting`:
    /// of it, the last.
    pub(crate) fn give(
        &mut self,
        member: usize,
        most: usize,
        waiting: &mut Vec<P>,
        back: &ActorRef<ToIteration<P>>,
    ) {
        let to = &mut self.0[member];
        while !to.rests && to.pending < most && !waiting.is_empty() {
            let pieces = waiting.split_off(waiting.len().saturating_sub(to.at_once));
            to.pending += 1;
            to.actor.post(Do { member, pieces, back: back.clone() });
        }
    }
}
