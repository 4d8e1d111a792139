//! What is noted of a turn at its begin, before it goes idle, and at its end.
//!
//! A plain turn's budget counts what it takes out of the inbox, which is nearly the number of
//! messages. What is not one (signals, attempts to go idle) is noted where it happens, on paths
//! that are rare. So counting messages costs nothing per message.
//!
//! An actor that goes idle is not its owner's any more, so its numbers are brought up to date
//! before that, each time it tries.

use std::ptr;
use std::time::Duration;

use crate::process::cell::Header;
use crate::process::current;
use crate::scheduler::worker::WorkerLocal;
use crate::telemetry::{ActorTally, Telemetry};
use crate::vocabulary::actor_id::ActorId;

/// A turn that somebody looks at.
pub(crate) struct SeenTurn<'a> {
    telemetry: &'a Telemetry,
    actor: ActorId,
}

/// How far a turn has come.
#[derive(Clone, Copy)]
pub(crate) enum TurnProgress {
    /// Its budget has counted so much.
    Spent(u32),
    /// The same, and it ended in the middle of one more message or signal.
    SpentAndEndedWithin(u32),
    /// The actor itself counts its messages: so many, ever.
    Begun(u64),
}

/// Where an owner is: how far it has come in its inbox, and what it has deferred.
#[derive(Clone, Copy, Default)]
pub(crate) struct Whereabouts {
    pub(crate) position: u64,
    pub(crate) deferred: usize,
}

impl Whereabouts {
    fn note(self, tally: &ActorTally) {
        tally.position.set(self.position);
        tally.deferred.set(self.deferred as u64);
    }
}

impl Telemetry {
    /// The turn of the actor with this header begins. Returns when, if that is known.
    #[inline(never)]
    pub(crate) fn turn_begins(&self, header: &Header) -> (SeenTurn<'_>, Option<Duration>) {
        let seen = SeenTurn { telemetry: self, actor: header.id };
        let Some(tally) = header.tally() else { return (seen, None) };
        let worker = this_worker();
        let now = self.counts.then(|| {
            // The end of the turn before is the begin of this one.
            worker.and_then(|worker| worker.turn_ended_at.take()).unwrap_or_else(|| self.now())
        });
        tally.turn_begins(now);
        if worker.is_none() {
            self.outside.turns.add(1);
        }
        (seen, now)
    }
}

impl SeenTurn<'_> {
    /// The turn is over. `spent`: what its budget counted.
    pub(crate) fn ended(self, spent: u32) {
        if let Some(observer) = &self.telemetry.observer {
            observer.turn_ended(self.actor, spent);
        }
    }

    /// Owner: the actor's turn is over and it is not idle. It will be put back, or parked, or ends.
    pub(crate) fn stays_owned(&self, header: &Header, progress: TurnProgress, at: Whereabouts) {
        let Some(tally) = header.tally() else { return };
        count(self.telemetry, tally, progress);
        at.note(tally);
        if self.telemetry.counts {
            tally.woken_at.set_time(ends_now(self.telemetry, tally));
        }
    }
}

/// Owner of a plain actor that is about to try to go idle; `spent`: what its turn's budget has
/// counted so far. `true`: nobody can reach it, so that it is to end instead.
#[cold]
pub(crate) fn before_idle(header: &Header, spent: u32, deferred: usize) -> bool {
    if header.is_unreachable() {
        return true;
    }
    note_before_idle(header, TurnProgress::Spent(spent), deferred);
    if let Some(tally) = header.tally() {
        // If it does not go idle its budget counts the attempt.
        tally.turn.not_messages.add(1);
    }
    false
}

/// Owner: the actor is about to try to go idle.
#[cold]
pub(crate) fn note_before_idle(header: &Header, progress: TurnProgress, deferred: usize) {
    let (Some(tally), Some(telemetry)) = (header.tally(), header.stage.theater().telemetry())
    else {
        return;
    };
    count(telemetry, tally, progress);
    if telemetry.counts {
        ends_now(telemetry, tally);
    }
    // Idle means that nothing has been taken from a new beginning.
    Whereabouts { position: 0, deferred }.note(tally);
}

/// The turn ends, or is about to: its time is counted, and the next one on this worker begins with
/// that.
fn ends_now(telemetry: &Telemetry, tally: &ActorTally) -> Duration {
    let now = telemetry.now();
    tally.busy_until(now);
    if let Some(worker) = this_worker() {
        worker.turn_ended_at.set(Some(now));
    }
    now
}

/// Brings the numbers of actor and thread up to date.
fn count(telemetry: &Telemetry, tally: &ActorTally, progress: TurnProgress) {
    let without = tally.turn.not_messages.get();
    let new = match progress {
        TurnProgress::Spent(spent) => {
            tally.handled_in_turn(u64::from(spent).saturating_sub(without))
        }
        TurnProgress::SpentAndEndedWithin(spent) => {
            let is_message = tally.turn.in_signal.get() == 0;
            let spent = u64::from(spent) + u64::from(is_message);
            tally.handled_in_turn(spent.saturating_sub(without))
        }
        TurnProgress::Begun(messages) => {
            let new = messages - tally.messages.get();
            tally.messages.set(messages);
            new
        }
    };
    match this_worker() {
        Some(worker) => worker.tally.messages.add(new),
        None => telemetry.outside.messages.add(new),
    }
}

/// Owner: takes a signal by `take`, and asks `is_counted` whether the budget will count it. A panic
/// in `take` is none of a message.
#[cold]
pub(crate) fn noting_signal<R>(
    header: &Header,
    take: impl FnOnce() -> R,
    is_counted: impl FnOnce(&R) -> bool,
) -> R {
    let Some(tally) = header.tally() else { return take() };
    tally.turn.in_signal.set(1);
    let taken = take();
    if is_counted(&taken) {
        tally.turn.in_signal.set(0);
        tally.turn.not_messages.add(1);
    }
    taken
}

/// A delivery to an actor of a pinned or dedicated stage that somebody looks at; the actor runs on
/// this thread until it is dropped.
pub(crate) struct PinnedTurn(());

impl PinnedTurn {
    #[cold]
    pub(crate) fn begin(header: &Header) -> Self {
        current::here().pinned_actor.set(ptr::from_ref(header));
        Self(())
    }

    /// Owner, if it has not ended.
    pub(crate) fn end(self, header: &Header, deferred: usize) {
        if let Some(tally) = header.tally() {
            tally.deferred.set(deferred as u64);
        }
    }
}

impl Drop for PinnedTurn {
    fn drop(&mut self) {
        current::here().pinned_actor.set(ptr::null());
    }
}

/// Owner: an actor of a pinned or dedicated stage handles a message.
#[cold]
pub(crate) fn pinned_handles(header: &Header) {
    let Some(tally) = header.tally() else { return };
    pinned_has_begun(header, tally.messages.get() + 1);
}

/// Owner: an actor of a pinned or dedicated stage has begun so many messages, ever.
#[cold]
pub(crate) fn pinned_has_begun(header: &Header, messages: u64) {
    let (Some(tally), Some(stage)) = (header.tally(), header.pinned()) else { return };
    let new = messages - tally.messages.get();
    for counter in [&tally.turns, &tally.messages, &stage.tally().turns, &stage.tally().messages] {
        counter.add(new);
    }
}

fn this_worker() -> Option<&'static WorkerLocal> {
    // SAFETY: a worker sets the pointer for as long as its `WorkerLocal` lives, and the reference
    // is used for single calls on this thread.
    unsafe { current::here().worker.get().cast::<WorkerLocal>().as_ref() }
}
