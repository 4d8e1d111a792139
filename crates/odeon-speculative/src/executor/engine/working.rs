//! What an executor does: takes a batch, has it handled, gives back its place, and goes on with the
//! next one.
//!
//! One message in five files: `dispatcher.rs` (from the inbox) → `board.rs` (its lane, who takes
//! it) → **`engine/working.rs`** → `attempt.rs` (the transaction) → `exit.rs` (its effects).

use super::shards::waiting_at_look;
use super::{Engine, EngineState, Scratch, runners};
use crate::actor::context::Me;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{contained, drop_quietly};
use crate::executor::attempt::{Attempt, Handled};
use crate::executor::board::How;
use crate::executor::enlistment::GivesWay;
use crate::executor::job::{Job, JobKind};
use odeon_core::extend::{self, Lane, wake};
use odeon_core::{Access, ActorRef, Message};
use odeon_stm::staged::SharedSnapshot;
use odeon_sync::MutexGuard;
use std::collections::VecDeque;
use std::mem::{self, needs_drop};
use std::sync::Arc;
use std::time::Duration;

/// TUNE: the width from which on the actor's own turn brings messages only, while there are some
/// for each executor. Measured with 16 (decision 038); where it begins to pay is guessed.
pub(crate) const WIDE: usize = 4;

/// Who executes.
#[derive(Debug)]
pub(crate) enum Executor {
    /// The actor's own turn.
    Turn,
    /// A runner, by its number.
    Runner(usize),
    /// A caller, with its own message.
    Caller,
    /// A shard, with what it has brought and others have.
    Shard,
}

impl Executor {
    /// Batches that it takes at once, without a look at its inbox.
    ///
    /// TUNE: to give back a batch and take the next one is one way through the lock; the actor's
    /// own turn has an inbox to look at. Batches of wide actors are longer: a runner's go takes no
    /// more than 80 us in any case.
    fn batches(&self, width: usize) -> usize {
        match self {
            Self::Turn | Self::Shard => 2,
            Self::Caller => 1,
            Self::Runner(_) => (4 * WIDE / width).clamp(1, 4),
        }
    }
}

impl<A: SpeculativeActor> Engine<A> {
    /// Takes batches and has them handled; `false`: there is nothing to take.
    pub(crate) fn work(
        self: &Arc<Self>,
        executor: &Executor,
        scratch: &mut Scratch<A::Msg>,
    ) -> bool {
        let mut shared = self.lock();
        if matches!(executor, Executor::Turn | Executor::Shard) && has_better_to_do(&shared) {
            self.leave_to_runners(shared);
            return false;
        }
        if shared.board.next_visit() {
            shared = match self.see_to_next_visit(shared) {
                Ok(()) => return true,
                Err(shared) => shared,
            };
        }
        let EngineState { board, runners, pace, .. } = &mut *shared;
        let Some(mut how) = board.take(&mut scratch.batch, pace.batch(board.width())) else {
            if let Executor::Runner(number) = executor {
                runners.rest(*number);
            }
            return false;
        };
        let (rested, width) = (runners.next(board), board.width());
        let mut state = shared.state.clone().expect("nothing is taken after the end");
        let me = shared.keeps.clone().expect("kept while jobs are outstanding");
        self.unlock(shared);
        runners::wake_runner(rested);
        let mut begun = self.clock.now();
        for left in (0..executor.batches(width)).rev() {
            begun = self.handle_batch(&state, &me, how, begun, scratch);
            match self.finish(executor, &me, state, how, left > 0, scratch) {
                Some(next) => (how, state) = next,
                None => break,
            }
        }
        true
    }

    /// A runner that is awake looks at the board again; the width may have been raised after the
    /// last job was brought, when there was none.
    #[cold]
    fn leave_to_runners(self: &Arc<Self>, mut shared: MutexGuard<'_, EngineState<A>>) {
        if let Some(me) = shared.keeps.clone() {
            self.fill(&me, &mut shared);
        }
        let EngineState { board, runners, .. } = &mut *shared;
        let rested = runners.next(board);
        self.unlock(shared);
        runners::wake_runner(rested);
    }

    /// Has a batch handled that was begun at `begun`; answers when it was over.
    pub(super) fn handle_batch(
        self: &Arc<Self>,
        state: &Arc<A>,
        me: &ActorRef<A::Msg>,
        how: How,
        begun: Duration,
        scratch: &mut Scratch<A::Msg>,
    ) -> Duration {
        let attempt = Attempt { exit: &self.exit, tally: &self.tally, me: Me::Beside(me), how };
        let (mut handled, mut messages) = (0, scratch.batch.len());
        if let How::InOrder(first) = how {
            messages = self.handle_in_order(state, me, &attempt, first, scratch);
        }
        let mut snapshot = None;
        while let Some(mut job) = scratch.batch.pop_front() {
            let lane = job.lane;
            let outcome = match (how, job.access) {
                (How::Reading, Access::Snapshot) => match shared_by_batch(&mut snapshot) {
                    Ok(moment) => attempt.on_snapshot(moment, state, &job, &mut scratch.outbox),
                    Err(panic) => Some(Handled::Failed(panic)),
                },
                _ => attempt.of_message(state, &job, &mut scratch.outbox),
            };
            let has_guard = A::Msg::MAILBOXES > 1;
            let is_refused = has_guard && matches!(outcome, Some(Handled::Refused(_)));
            if has_guard && job.is_scout && !is_refused {
                job.is_scout = false;
                self.parking.passed(self, job.mailbox);
            }
            let is_well = matches!(outcome, None | Some(Handled::Committed));
            let mut followers = Followers { batch: &mut scratch.batch, of: lane };
            if !is_well {
                messages -= followers.wait_again(&mut scratch.unfollowed);
            }
            let Some(outcome) = outcome else {
                match drop_handled(job) {
                    Ok(()) => handled += 1,
                    Err(panic) => {
                        self.tally.failed_when_dropped::<A::Msg>();
                        messages -= followers.wait_again(&mut scratch.unfollowed);
                        self.fail(panic);
                    }
                }
                scratch.over += 1;
                scratch.left.extend(followers.lane_that_is_left());
                continue;
            };
            if !outcome.is_open() {
                let well = self.over(outcome, job);
                if well == 0 {
                    messages -= followers.wait_again(&mut scratch.unfollowed);
                }
                handled += well;
                scratch.over += 1;
                scratch.left.extend(followers.lane_that_is_left());
                continue;
            }
            match outcome {
                Handled::Contended => {
                    scratch.back.push(Job { kind: JobKind::Alone, ..job });
                    continue;
                }
                Handled::Joins => {
                    let enlistment = Some(self.enlist());
                    scratch.back.push(Job { enlistment, ..job });
                    continue;
                }
                Handled::Waits(rolled_back) | Handled::Refused(rolled_back) => {
                    let mut shared = self.lock();
                    let unfollowed = shared.board.unfollow(&mut scratch.unfollowed);
                    let give_way = shared.board.park(job.lane);
                    drop(shared);
                    let too_late = unfollowed.err().into_iter().flatten();
                    too_late.for_each(|message| extend::dead_letter(me, message));
                    give_way.into_iter().for_each(GivesWay::now);
                    let parked = self.parking.park(self, job, rolled_back, is_refused);
                    if let Err(message) = parked {
                        self.lock().board.unpark_too_late();
                        extend::dead_letter(me, message);
                    } else if !self.is_state(state) {
                        // It may wait for a change of a state that was gone before it had parked.
                        // Otherwise who makes the actor anew finds it there.
                        self.parking.wake_all(self);
                    }
                    continue;
                }
                _ => {
                    extend::dead_letter(me, job.message);
                    scratch.over += 1;
                    scratch.left.extend(lane);
                }
            }
        }
        drop_quietly(snapshot);
        extend::note_handled(messages as u32);
        let now = self.clock.now();
        scratch.messages = messages;
        scratch.committed += handled;
        scratch.took = now.saturating_sub(begun);
        now
    }

    /// A message is over; answers whether it was handled.
    pub(super) fn over(&self, outcome: Handled, job: Job<A::Msg>) -> u64 {
        if outcome.is_failure() {
            self.is_about_to_fail();
        }
        match outcome.and_drop(job, &self.tally) {
            Handled::Last => {
                self.stop();
                1
            }
            Handled::FailedLast(panic) => {
                self.stop();
                self.fail(panic);
                0
            }
            Handled::Failed(panic) => {
                self.fail(panic);
                0
            }
            _ => 1,
        }
    }

    /// Gives back the place of a batch that has been handled. If the executor `goes_on`, it takes
    /// the next one at once, if there is one.
    pub(super) fn finish(
        self: &Arc<Self>,
        executor: &Executor,
        me: &ActorRef<A::Msg>,
        state: Arc<A>,
        how: How,
        goes_on: bool,
        scratch: &mut Scratch<A::Msg>,
    ) -> Option<(How, Arc<A>)> {
        let (mut shared, mut too_late, give_way) = self.recall(how, self.lock());
        // The own turn of an actor without shards looks by itself.
        shared.until_look = shared.until_look.saturating_sub(scratch.messages as u32);
        let waiting = if self.is_divided() { waiting_at_look(&mut shared, 0) } else { None };
        let EngineState { board, runners, state: kept, pace, committed, .. } = &mut *shared;
        pace.note(scratch.took, scratch.messages);
        *committed += mem::take(&mut scratch.committed);
        board.finish(how);
        if let Err(messages) = board.unfollow(&mut scratch.unfollowed) {
            too_late.extend(messages);
        }
        board.finish_jobs(mem::take(&mut scratch.over), scratch.left.drain(..));
        for job in scratch.back.drain(..) {
            if let Err(message) = board.put_back(job) {
                too_late.push(message);
            }
        }
        // Long messages leave time for others to look at what they wait for; and nothing new begins
        // on a state that is gone.
        let is_kept = kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, &state));
        let may_take = goes_on && is_kept && !pace.is_long() && !board.next_visit();
        let most = pace.batch(board.width());
        let next = if may_take { board.take(&mut scratch.batch, most) } else { None };
        // Who does not look again itself has another one do it. A shard may be held back.
        let may_leave = next.is_none() && matches!(executor, Executor::Caller | Executor::Shard);
        let rested = if next.is_some() || may_leave { runners.next(board) } else { None };
        let is_left = may_leave && rested.is_none() && board.has_next();
        let is_due = is_left || board.needs_attention() && !board.is_running();
        // Who rests holds no state. Not the last reference to it under the lock: its destructor is
        // a user's code.
        let mut state = Some(state);
        if next.is_none() && is_kept {
            state = None;
        }
        self.unlock(shared);
        runners::wake_runner(rested);
        // The actor's own turn looks again by itself.
        if is_due && !matches!(executor, Executor::Turn) {
            wake(me);
        }
        if !give_way.is_empty() {
            give_way.into_iter().for_each(GivesWay::now);
        }
        if !too_late.is_empty() {
            too_late.into_iter().for_each(|message| extend::dead_letter(me, message));
        }
        if next.is_none() {
            drop_quietly(state.take());
        }
        if let Some(waiting) = waiting {
            self.adapt(waiting);
        }
        next.zip(state)
    }
}

/// Whether the actor's own turn is to look at its inbox meanwhile: the next message may take long,
/// or many executors wait for what it brings.
fn has_better_to_do<A: SpeculativeActor>(EngineState { board, pace, .. }: &EngineState<A>) -> bool {
    let is_wide = board.width() >= WIDE && board.pressing() >= board.width();
    board.width() > 1 && pace.is_long() || is_wide
}

/// The jobs of a batch that follow one of a lane.
struct Followers<'a, M> {
    batch: &'a mut VecDeque<Job<M>>,
    of: Option<Lane>,
}

impl<M> Followers<'_, M> {
    fn are_there(&self) -> bool {
        self.of.is_some() && self.batch.front().is_some_and(|next| next.lane == self.of)
    }

    /// The job before them is not over, or has not ended well: they come after that has been seen
    /// to. Answers how many they are.
    #[cold]
    fn wait_again(&mut self, unfollowed: &mut Vec<Job<M>>) -> usize {
        let before = unfollowed.len();
        while self.are_there() {
            unfollowed.extend(self.batch.pop_front());
        }
        unfollowed.len() - before
    }

    /// The lane whose place is free when the job before them is over, if none of them has it.
    fn lane_that_is_left(&self) -> Option<Lane> {
        if self.are_there() { None } else { self.of }
    }
}

/// Drops a message that has been handled.
///
/// # Errors
/// The panic of its destructor.
#[inline(always)]
pub(super) fn drop_handled<M>(job: Job<M>) -> std::thread::Result<()> {
    if needs_drop::<M>() { contained(move || drop(job)) } else { Ok(()) }
}

/// The moment that the messages of a batch share, begun with the first one that reads it.
///
/// # Errors
/// The panic that says that there are too many attempts: the message fails with that, as with one
/// of its own.
pub(crate) fn shared_by_batch(
    snapshot: &mut Option<SharedSnapshot>,
) -> std::thread::Result<&mut SharedSnapshot> {
    match snapshot {
        Some(snapshot) => Ok(snapshot),
        None => contained(SharedSnapshot::begin).map(|begun| snapshot.insert(begun)),
    }
}
