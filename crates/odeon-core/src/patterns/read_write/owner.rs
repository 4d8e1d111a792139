//! What the actor's own turn does: handles messages as they come, or gathers them, shares reads,
//! and is alone for writes.
//!
//! That it may touch the state follows from the rules of `phase.rs`: it reads in any turn; it
//! writes while its phase is not open, or when the phase tells it that it is alone. The functions
//! of [`Actor`](crate::Actor) are safe, and anybody who has a context can call them, in any order.
//! So nothing here relies on the order in which the core does: `is_open` and the phase are asked
//! each time.

use std::panic::resume_unwind;

use odeon_sync::thread;

use super::context::{ReadContext, WriteContext};
use super::phase::OwnerLook;
use super::reader::ReaderActor;
use super::shared::wake_reader;
use super::waiting::NextAccess;
use super::{ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting};
use crate::lifecycle::spawn;
use crate::process::outbox;
use crate::process::piped::Continuation;
use crate::turn::behavior::{Behavior, NoInner};
use crate::turn::context::Context;
use crate::turn::sequential::laned;

/// Readers in a theater that is driven from outside, where the number of workers says nothing.
const READERS_WHERE_DRIVEN: usize = 2;

impl<A: ReadWriteActor> ReadWriting<A> {
    /// Who handles what is known once the actor has a place.
    fn settle_in(&mut self, ctx: &Context<'_, Self>) {
        let header = &ctx.cell().header;
        self.is_serial = header.pinned().is_some() || !header.vtable.defers;
        let theater = ctx.theater();
        let readers = match self.sharing {
            ReadSharing::Never => 0,
            _ if theater.is_driven_from_outside() => READERS_WHERE_DRIVEN,
            ReadSharing::WhenItPays => theater.config.workers - 1,
            ReadSharing::Always => (theater.config.workers - 1).max(1),
        };
        self.most_readers = if self.is_serial { 0 } else { readers };
        self.gathers = self.most_readers > 0 && self.sharing == ReadSharing::Always;
        self.settle();
    }

    /// Finds out which messages are handled as they come.
    fn settle(&mut self) {
        let is_free = !self.is_open && self.waiting.is_empty();
        self.rests = is_free && self.miscounted == 0;
        let is_short = is_free && !self.gathers;
        (self.has_direct_reads, self.has_direct_writes) = match self.policy {
            _ if self.is_serial => (!self.is_open, !self.is_open),
            ReadWritePolicy::ArrivalOrder => (is_short, is_free),
            ReadWritePolicy::ReadersFirst => {
                let is_free = !self.is_open && !self.waiting.has_reads();
                (is_free && !self.gathers, false)
            }
            ReadWritePolicy::WritersFirst => (false, !self.is_open && !self.waiting.has_writes()),
        };
    }

    /// Does something alone with the state.
    ///
    /// # Panics
    /// If it is being read, or may be at any moment: the core gives no such turns.
    #[inline(always)]
    pub(super) fn alone(
        &mut self,
        ctx: &mut Context<'_, Self>,
        work: impl FnOnce(&mut A, &mut WriteContext<'_, A>),
    ) {
        let mut inner = WriteContext::new(ctx.cell());
        self.with_state_alone(|state| {
            work(state.as_mut().expect("a turn has a state"), &mut inner);
        });
        if inner.wants_stop() {
            ctx.stop();
        }
    }

    /// As [`alone`](Self::alone), with the place of the state.
    #[inline(always)]
    fn with_state_alone<R>(&mut self, work: impl FnOnce(&mut Option<A>) -> R) -> R {
        assert!(
            self.is_alone(),
            "the state is being read: only the core gives turns to an actor with readers"
        );
        // SAFETY: the phase is not open, or has just said that nobody reads and nobody begins to.
        // It stays so: only who has this `&mut self` shares reads or lets the phase go on, and it
        // is borrowed until `work` is over.
        unsafe { self.shared.with_state(work) }
    }

    /// Whether nobody reads the state, and nobody begins to until this actor's own turn lets them.
    fn is_alone(&self) -> bool {
        !self.is_open || !self.is_abandoned && self.shared.phase.is_alone()
    }

    #[inline(always)]
    fn write_here(&mut self, write: A::Write, ctx: &mut Context<'_, Self>) {
        self.alone(ctx, |state, ctx| state.write(write, ctx));
    }

    /// Handles a read while nobody else does.
    #[inline(always)]
    fn read_here(&mut self, read: A::Read, ctx: &mut Context<'_, Self>) {
        if self.pace.is_sampled() {
            return self.timed(ctx, |this, ctx| this.read_plainly(read, ctx));
        }
        self.read_plainly(read, ctx);
    }

    #[inline(always)]
    fn read_plainly(&mut self, read: A::Read, ctx: &mut Context<'_, Self>) {
        let mut inner = ReadContext::new(ctx.cell());
        // SAFETY: the owner in its turn.
        let state = unsafe { self.shared.state() }.expect("a turn has a state");
        state.read(read, &mut inner);
        if inner.wants_stop() {
            ctx.stop();
        }
    }

    /// Handles a read while others may be under way: they come first, whatever it comes to.
    fn read_beside(&mut self, read: A::Read, ctx: &mut Context<'_, Self>) {
        let work = |this: &mut Self, ctx: &mut Context<'_, Self>| {
            // SAFETY: the owner in its turn.
            let outcome = unsafe { this.shared.read(ctx.cell(), read) };
            if !outcome.is_plain() {
                this.shared.phase.note(outcome);
            }
        };
        if self.pace.is_sampled() { self.timed(ctx, work) } else { work(self, ctx) }
    }

    #[cold]
    fn timed(
        &mut self,
        ctx: &mut Context<'_, Self>,
        work: impl FnOnce(&mut Self, &mut Context<'_, Self>),
    ) {
        self.pace.rearm();
        let begun = ctx.theater().now();
        work(self, ctx);
        self.pace.note(ctx.theater().now().saturating_sub(begun));
        if self.most_readers > 0 && self.sharing == ReadSharing::WhenItPays {
            self.gathers = self.pace.is_long(self.gathers);
            self.settle();
        }
    }

    /// A message that is not handled just as it comes.
    #[inline(never)]
    fn arrives(&mut self, message: ReadWrite<A::Read, A::Write>, ctx: &mut Context<'_, Self>) {
        assert!(!self.is_abandoned, "an actor that has ended gets no message");
        let message = match message {
            // Somebody follows the message: deferred it would be out of sight.
            ReadWrite::Read(read)
                if self.policy == ReadWritePolicy::ArrivalOrder
                    && outbox::is_followed()
                    && self.waiting.is_empty()
                    && !(self.is_open && self.shared.phase.is_held_up()) =>
            {
                return if self.is_open {
                    self.read_beside(read, ctx);
                } else {
                    self.read_here(read, ctx);
                };
            }
            message => message,
        };
        let recalls = self.is_open
            && self.policy == ReadWritePolicy::WritersFirst
            && matches!(message, ReadWrite::Write(_));
        let are_many = self.waiting.put(self.policy, message);
        self.miscounted += 1;
        if recalls {
            let Self { shared, waiting, .. } = self;
            shared.phase.recall(|read| waiting.put_back(read));
        }
        if are_many && self.step(ctx) {
            self.miscounted -= 1;
        } else {
            self.settle();
        }
    }

    /// Goes on with what waits, or with what is shared. `false`: there is nothing to do.
    fn step(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        if self.is_abandoned {
            return false;
        }
        let went_on = self.try_step(ctx);
        self.settle();
        went_on
    }

    fn try_step(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        if self.is_open {
            if self.waiting.joining(self.policy) > 0 {
                self.share(ctx);
            }
            if let Some(went_on) = self.look(ctx) {
                return went_on;
            }
        }
        match self.waiting.next(self.policy) {
            NextAccess::Nothing => false,
            NextAccess::Write(write) => {
                self.write_here(write, ctx);
                true
            }
            NextAccess::Reads(reads) if self.shares(reads) => {
                self.is_open = true;
                self.share(ctx);
                self.look(ctx).unwrap_or(true)
            }
            NextAccess::Reads(_) => {
                let read = self.waiting.next_read().expect("at least one");
                self.read_here(read, ctx);
                true
            }
        }
    }

    /// Whether so many reads are worth a reader.
    fn shares(&self, reads: usize) -> bool {
        self.gathers
            && reads > 1
            && (self.sharing == ReadSharing::Always || self.pace.is_worth_a_reader(reads))
    }

    /// Has the reads that may go first join the phase.
    fn share(&mut self, ctx: &Context<'_, Self>) {
        let Self { shared, waiting, .. } = self;
        let reads = std::iter::from_fn(|| waiting.next_read());
        let (batch, most) = (self.pace.batch(), self.most_readers);
        let woken = shared.phase.share(reads, batch, most, || ctx.actor_ref());
        for number in woken.makes {
            let reader = ReaderActor::new(shared.clone(), number);
            shared.phase.add_reader(spawn::working_for(&ctx.cell().header, reader));
        }
        wake_reader(woken.reader);
    }

    /// Looks what is to be done in the phase. `None`: it is over.
    fn look(&mut self, ctx: &mut Context<'_, Self>) -> Option<bool> {
        let (look, wakes_reader) = self.shared.phase.look(!self.waiting.is_empty());
        wake_reader(wakes_reader);
        match look {
            OwnerLook::Read(read) => self.read_beside(read, ctx),
            OwnerLook::Busy => return Some(false),
            OwnerLook::Failed(panic) => resume_unwind(panic),
            OwnerLook::Stop => ctx.stop(),
            OwnerLook::Recalled(reads) => {
                reads.into_iter().rev().for_each(|read| self.waiting.put_back(read));
                self.is_open = false;
                return None;
            }
            OwnerLook::Alone => {
                self.is_open = false;
                return None;
            }
        }
        Some(true)
    }
}

impl<A: ReadWriteActor> Behavior for ReadWriting<A> {
    type Msg = ReadWrite<A::Read, A::Write>;
    type Inner = NoInner<Self::Msg>;
    const DEFERS: bool = true;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.settle_in(ctx);
        // Nothing is begun before the start. What was shared with the state before waits for this
        // one: the phase is paused.
        self.alone(ctx, |state, ctx| state.started(ctx));
    }

    #[inline]
    fn handle(&mut self, message: Self::Msg, ctx: &mut Context<'_, Self>) {
        match message {
            ReadWrite::Read(read) if self.has_direct_reads => self.read_here(read, ctx),
            ReadWrite::Write(write) if self.has_direct_writes => self.write_here(write, ctx),
            message => self.arrives(message, ctx),
        }
    }

    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        continuation.run(self, ctx);
    }

    fn is_made(&self) -> bool {
        // SAFETY: the owner asks, in its turn, and has not left the state to the last reader.
        !self.is_abandoned && unsafe { self.shared.state() }.is_some()
    }

    #[inline(always)]
    fn has_deferred(&self) -> bool {
        !self.rests
    }

    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        // What has been deferred was counted by the budget, and not handled.
        laned::correct_handled(-std::mem::take(&mut self.miscounted));
        self.step(ctx)
    }

    fn deferred(&self) -> usize {
        self.waiting.len() + if self.is_open { self.shared.phase.waiting() } else { 0 }
    }

    fn may_end(&mut self) -> bool {
        let may_end = !self.is_open || self.shared.phase.stop();
        if !may_end {
            // It is asked again at once: those come first for whom it waits.
            thread::yield_now();
        }
        may_end
    }

    fn may_be_left_behind(&mut self) -> bool {
        // The last reader ends the state (rule 6 of the phase).
        true
    }

    fn may_pause(&mut self) -> bool {
        !self.is_open || self.shared.phase.pause()
    }

    fn shed(&mut self) -> bool {
        // What failed beside the failure that leads to this belongs to the state that goes.
        drop(self.shared.phase.take_failures());
        // The core has it so: a failure of a read has waited for the others, a write is alone, and
        // it has asked `may_pause` before it looked at what others request.
        if !self.is_alone() {
            return false;
        }
        let state = self.with_state_alone(Option::take);
        drop(state);
        true
    }

    fn renew(&mut self, mut new: Self) {
        let state = new.with_state_alone(Option::take);
        // Nothing has been begun since the state before was shed.
        let before = self.with_state_alone(|place| std::mem::replace(place, state));
        drop(before);
    }

    fn give_back(&mut self, take: &mut dyn FnMut(Self::Msg)) {
        // For good: whatever is asked of it later, the state is the last reader's.
        self.is_abandoned |= !self.shared.phase.close(|read| take(ReadWrite::Read(read)));
        if self.is_abandoned {
            self.is_open = true;
            (self.has_direct_reads, self.has_direct_writes) = (false, false);
        }
        self.waiting.give_back(take);
    }

    fn stopped(&mut self) {
        if self.is_abandoned {
            return;
        }
        // The actor ends, and has given back what it had: no read is under way, and none begins any
        // more.
        self.with_state_alone(|state| {
            if let Some(state) = state {
                state.stopped();
            }
        });
    }
}

impl<A: ReadWriteActor> Drop for ReadWriting<A> {
    fn drop(&mut self) {
        if self.is_abandoned || !self.shared.phase.close(drop) {
            return;
        }
        // Its readers go a little later, and are not to keep the state.
        // SAFETY: the phase has been closed while nobody read, so nobody begins to any more.
        let state = unsafe { self.shared.with_state(Option::take) };
        drop(state);
    }
}
