//! Messages in the order of arrival: they run at once, and are concluded one after the other.
//!
//! RULES
//! 1. Whose ticket is *up* may commit, nobody else. A job that begins when it is up runs at its
//!    turn; others run once *ahead*, and what has come of it lies in the [`Sequence`] until its
//!    turn. No thread waits for a turn.
//! 2. One executor *concludes* at a time: it commits the job that is up or, if what that has seen
//!    is not what there is now, has it handled again; then the next one, until one is missing. Who
//!    puts a job there or stops concluding looks under one lock.
//! 3. What a job ahead has failed by counts for nothing: it is handled again at its turn.
//! 4. Concluding stops when the actor's own turn has something to see to (a failure, the end), and
//!    when a job is now to be a visit. What is left then is recalled by who gives back the last
//!    place: so when nothing runs, nothing is here.

use super::{Engine, EngineState, Scratch};
use crate::actor::setting::Setting;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::attempt::{Ahead, Attempt, Handled};
use crate::executor::board::How;
use crate::executor::enlistment::{Enlistment, GivesWay};
use crate::executor::job::{Job, JobKind};
use odeon_core::extend::{self, Lane, Outbox, Place};
use odeon_core::{Access, ActorRef};
use odeon_sync::MutexGuard;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// What waits for its turn.
pub(super) struct Sequence<A: SpeculativeActor> {
    /// The ticket whose turn it is.
    up: u64,
    is_concluding: bool,
    finished: BTreeMap<u64, Ran<A>>,
}

/// A job whose turn is not over.
struct Ran<A: SpeculativeActor> {
    setting: Arc<Setting<A>>,
    /// If it has run well ahead of its turn.
    ahead: Option<Ahead>,
    outbox: Outbox,
    kind: JobKind,
    lane: Option<Lane>,
    access: Access,
    /// If it is now to be part of a coordinated transaction.
    enlistment: Option<Box<Enlistment>>,
    place: Option<Place>,
}

impl<A: SpeculativeActor> Sequence<A> {
    pub(super) fn new() -> Self {
        Self { up: 0, is_concluding: false, finished: BTreeMap::new() }
    }

    /// The job that is up, if it is there; whoever gets it concludes.
    fn take_up(&mut self) -> Option<Ran<A>> {
        let up = self.finished.remove(&self.up);
        self.is_concluding = up.is_some();
        up
    }
}

impl<A: SpeculativeActor> Ran<A> {
    fn new(job: Job<A::Msg>, state: &Arc<A>) -> Self {
        let Job { message, kind, lane, access, enlistment, place, .. } = job;
        let setting = Arc::new(Setting { state: state.clone(), message });
        Self { setting, ahead: None, outbox: Outbox::new(), kind, lane, access, enlistment, place }
    }

    /// The job, as if it had not run.
    fn into_job(self) -> Job<A::Msg> {
        let Self { setting, ahead, mut outbox, kind, lane, access, enlistment, place } = self;
        Attempt::<A>::forget(ahead, &mut outbox);
        let message = setting.into_message().expect("only attempts keep it besides");
        Job { kind, enlistment, place, ..Job::new(message, access, lane) }
    }
}

impl<A: SpeculativeActor> Engine<A> {
    fn sequence(&self) -> MutexGuard<'_, Sequence<A>> {
        self.sequence.lock().expect("no panic happens under this lock")
    }

    /// Handles a batch with tickets from `first` on; answers how many messages are over.
    pub(super) fn handle_in_order(
        &self,
        state: &Arc<A>,
        me: &ActorRef<A::Msg>,
        attempt: &Attempt<'_, A>,
        first: u64,
        scratch: &mut Scratch<A::Msg>,
    ) -> usize {
        let mut batch = mem::take(&mut scratch.batch);
        let (mut over, mut well) = (0, 0);
        for (ticket, job) in (first..).zip(batch.drain(..)) {
            let mut ran = Ran::new(job, state);
            let mut up = if self.is_up(ticket) {
                Some(ran)
            } else {
                if !self.needs_attention() {
                    ran.ahead = attempt.ahead(&ran.setting, &mut ran.outbox);
                }
                self.put(ticket, ran)
            };
            while let Some(ran) = up {
                up = match self.conclude(ran, me, attempt) {
                    Ok(handled) => {
                        scratch.over += 1;
                        (over, well) = (over + 1, well + handled);
                        self.next()
                    }
                    Err(joins) => {
                        self.begin_recall(*joins);
                        None
                    }
                };
            }
        }
        scratch.batch = batch;
        scratch.committed += well;
        over
    }

    /// Rule 1: whether its turn has come; the caller concludes then.
    fn is_up(&self, ticket: u64) -> bool {
        let mut sequence = self.sequence();
        if sequence.up != ticket || sequence.is_concluding || self.needs_attention() {
            return false;
        }
        sequence.is_concluding = true;
        true
    }

    /// Rule 2: answers what the caller has to conclude.
    fn put(&self, ticket: u64, ran: Ran<A>) -> Option<Ran<A>> {
        let mut sequence = self.sequence();
        sequence.finished.insert(ticket, ran);
        if sequence.is_concluding || self.needs_attention() { None } else { sequence.take_up() }
    }

    /// Rule 2: a turn is over; answers as [`put`](Self::put).
    fn next(&self) -> Option<Ran<A>> {
        let mut sequence = self.sequence();
        sequence.up += 1;
        sequence.is_concluding = false;
        if self.needs_attention() { None } else { sequence.take_up() }
    }

    /// Concludes the job that is up; answers how many messages have been handled.
    ///
    /// # Errors
    /// The job, if it is now to be a visit.
    fn conclude(
        &self,
        mut ran: Ran<A>,
        me: &ActorRef<A::Msg>,
        attempt: &Attempt<'_, A>,
    ) -> Result<u64, Box<Ran<A>>> {
        let ahead = ran.ahead.take();
        let handled = attempt.at_turn(ahead, &ran.setting, ran.access, &mut ran.outbox);
        match handled {
            Handled::Joins => {
                ran.enlistment = Some(self.enlist());
                Err(Box::new(ran))
            }
            Handled::TooLate => {
                extend::dead_letter(me, ran.into_job().message);
                Ok(0)
            }
            handled => Ok(self.over(handled, ran.into_job())),
        }
    }

    /// Rule 4. Concluding goes on when all is recalled.
    fn begin_recall(&self, joins: Ran<A>) {
        let mut shared = self.lock();
        shared.board.begin_recall();
        self.unlock(shared);
        let mut sequence = self.sequence();
        let up = sequence.up;
        sequence.finished.insert(up, joins);
    }

    /// Rule 4: an executor with a batch is about to give back its place; if it is the last one,
    /// what is left waits again. Answers what is too late, and who must not wait.
    pub(super) fn recall<'e>(
        &'e self,
        how: How,
        shared: MutexGuard<'e, EngineState<A>>,
    ) -> (MutexGuard<'e, EngineState<A>>, Vec<A::Msg>, Vec<GivesWay>) {
        let last = matches!(how, How::InOrder(_)).then(|| shared.board.ticket_of_last()).flatten();
        let Some(next_ticket) = last else { return (shared, Vec::new(), Vec::new()) };
        let mut sequence = self.sequence();
        if sequence.finished.is_empty() {
            drop(sequence);
            return (shared, Vec::new(), Vec::new());
        }
        let left = mem::take(&mut sequence.finished);
        sequence.up = next_ticket;
        sequence.is_concluding = false;
        drop(sequence);
        drop(shared);
        // Nothing is taken meanwhile: what has stopped the conclusion lasts until this executor
        // gives back its place.
        let jobs = left.into_values().map(Ran::into_job).collect();
        let mut shared = self.lock();
        let (too_late, give_way) = shared.board.recall(jobs);
        (shared, too_late, give_way)
    }
}
