//! What an actor's own turn and its readers have in common: the state, and the phase that says who
//! may use it how.

use std::panic::{AssertUnwindSafe, catch_unwind};

use odeon_sync::UnsafeCell;

use super::context::ReadContext;
use super::phase::{Finished, Phase, ReadOutcome};
use super::{ReadWrite, ReadWriteActor};
use crate::extend;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::lane::Lane;
use crate::messaging::send;
use crate::process::cell::MessageCell;
use crate::process::submit::Origin;
use crate::process::unanswered;
use crate::turn::sequential::laned;
use crate::vocabulary::contain::contain;

/// The address of an actor of type `A`.
pub(super) type Me<A> =
    ActorRef<ReadWrite<<A as ReadWriteActor>::Read, <A as ReadWriteActor>::Write>>;

/// The cell of an actor of type `A`, as senders know it.
pub(super) type SenderCell<A> =
    MessageCell<ReadWrite<<A as ReadWriteActor>::Read, <A as ReadWriteActor>::Write>>;

/// See the module.
pub(super) struct SharedActor<A: ReadWriteActor> {
    /// `None`: the actor is about to be made anew, or has ended.
    state: UnsafeCell<Option<A>>,
    pub(super) phase: Phase<A::Read, Me<A>, ActorRef<()>>,
}

// SAFETY: the phase has it that the state is only written by one thread while nobody reads it
// (rules 2 and 3 there). It goes from thread to thread (`A: Send`) and is read by several at once
// (`A: Sync`); reads are sent.
unsafe impl<A: ReadWriteActor> Sync for SharedActor<A> {}
// SAFETY: as above.
unsafe impl<A: ReadWriteActor> Send for SharedActor<A> {}

/// TUNE: batches that a reader handles in one step of its turn, so that its budget is looked at.
const BATCHES: u32 = 4;

impl<A: ReadWriteActor> SharedActor<A> {
    pub(super) fn new(actor: A) -> Self {
        Self { state: UnsafeCell::new(Some(actor)), phase: Phase::default() }
    }

    /// The state, to be read.
    ///
    /// # Safety
    /// The caller is the owner in its turn, or a reader that is under way, as long as the reference
    /// lives.
    #[inline(always)]
    pub(super) unsafe fn state(&self) -> Option<&A> {
        // SAFETY: by contract nobody writes (rules 2 and 3).
        self.state.with(|state| unsafe { (*state).as_ref() })
    }

    /// Does something with the state, or takes or puts it.
    ///
    /// # Safety
    /// The caller is the owner in its turn and alone (rule 3), or ends the state (rule 6).
    #[inline(always)]
    pub(super) unsafe fn with_state<R>(&self, work: impl FnOnce(&mut Option<A>) -> R) -> R {
        // SAFETY: by contract nobody else reads or writes.
        self.state.with_mut(|state| work(unsafe { &mut *state }))
    }

    /// A reader handles reads. `false`: there is nothing to take.
    pub(super) fn work(&self, number: usize, batch: &mut Vec<A::Read>) -> bool {
        let Some((me, wakes_reader)) = self.phase.begin(number, batch) else { return false };
        wake_reader(wakes_reader);
        // The step itself is counted by the budget.
        laned::correct_handled(-1);
        // What the reads send comes from their actor.
        Lane::of_actor(&me.cell().header).lend_during(|| {
            for left in (0..BATCHES).rev() {
                let outcome = self.handle(me.cell(), batch);
                let finished = self.phase.finish(batch, outcome, left > 0);
                if !self.see_to(&me, finished) {
                    break;
                }
            }
        });
        true
    }

    /// A reader handles a batch, up to the first read that fails or wants the actor to stop, and as
    /// long as reads may begin.
    fn handle(&self, cell: &SenderCell<A>, batch: &mut Vec<A::Read>) -> ReadOutcome {
        let mut left = std::mem::take(batch).into_iter();
        let (mut handled, mut outcome) = (0, ReadOutcome::default());
        while outcome.is_plain() && !self.phase.is_held_up() {
            if cell.header.is_told_to_end() {
                // The owner may be in the middle of a read, and have this still to see (rule 7).
                outcome.wants_stop = true;
                break;
            }
            let Some(read) = left.next() else { break };
            handled += 1;
            // SAFETY: this reader is under way.
            outcome = unsafe { self.read(cell, read) };
        }
        batch.extend(left);
        laned::correct_handled(handled);
        outcome
    }

    /// Handles one read, while others may be under way.
    ///
    /// # Safety
    /// As [`state`](Self::state).
    pub(super) unsafe fn read(&self, cell: &SenderCell<A>, read: A::Read) -> ReadOutcome {
        let mut ctx = ReadContext::new(cell);
        let failure = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: by contract.
            let state = unsafe { self.state() }.expect("reads are shared with a state");
            state.read(read, &mut ctx);
        }))
        .err();
        if let Some(panic) = &failure {
            // The actor fails with it later, maybe on another thread.
            let _ = unanswered::failed(&**panic);
        }
        ReadOutcome { failure, wants_stop: ctx.wants_stop() }
    }

    /// A reader has finished a batch; answers whether it has another one.
    fn see_to(&self, me: &Me<A>, finished: Finished<A::Read, Me<A>, ActorRef<()>>) -> bool {
        let Finished { has_next, wakes_reader, wakes_owner, requests, ends_state, too_late, over } =
            finished;
        wake_reader(wakes_reader);
        too_late.into_iter().for_each(|read| extend::dead_letter(me, ReadWrite::Read(read)));
        if ends_state {
            // SAFETY: rule 6.
            unsafe { self.with_state(end) };
        }
        (0..requests).for_each(|_| me.erased().look_at_requests());
        if wakes_owner {
            extend::wake(me);
        }
        drop(over);
        has_next
    }
}

/// The end of a state that its actor has left behind.
fn end<A: ReadWriteActor>(state: &mut Option<A>) {
    let Some(mut state) = state.take() else { return };
    contain(move || state.stopped());
}

/// Gives a reader a turn, where another worker finds it.
pub(super) fn wake_reader(reader: Option<ActorRef<()>>) {
    if let Some(reader) = reader {
        send::wake_from(reader.cell(), Origin::Beside);
    }
}
