//! Shards: executors of an actor's messages that have inboxes of their own, themselves actors of
//! the pool (`odeon_core`, `messaging/shards.rs`).
//!
//! A shard takes a place at the board once for many messages and handles each as it comes out of
//! the inbox. What cannot be handled so it brings to the board, and while that is there also what
//! comes behind it: what is to run alone, waits for a change, has met others too often, or is part
//! of a transaction of several actors; and messages that take long.
//!
//! Reads that come one behind the other share a snapshot. So they are put aside until something
//! else comes, or nothing does: a snapshot is begun after the last of them has arrived, and has in
//! it whatever its sender may have been told before.

use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, contained, drop_quietly, quietly};
use crate::executor::attempt::Handled;
use crate::executor::board::How;
use crate::executor::dispatcher::TOGETHER;
use crate::executor::engine::{
    Engine, Executor, KeptPlace, Scratch, ShardEntry, ShardPlace, how_in_place, shared_by_batch,
};
use crate::executor::enlistment::Enlistment;
use crate::executor::job::{Job, JobKind};
use odeon_core::extend::{self, Behavior, Companion, Lane, NoInner, Pause, wake};
use odeon_core::{Access, ActorRef, Context};
use odeon_sync::interruption;
use std::collections::VecDeque;
use std::sync::Arc;

/// TUNE: reads that share a snapshot, at most: as many as a batch has.
const READS: usize = 32;

/// See the module.
pub(crate) struct Shard<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    number: u8,
    /// Whether the actor knows of it.
    has_joined: bool,
    pause: Pause,
    place: Option<ShardPlace<A>>,
    /// Its place, while it is idle.
    kept: Option<KeptPlace<A>>,
    /// Reads that are to share a snapshot, in the present place.
    reads: VecDeque<Job<A::Msg>>,
    /// What has been taken from the inbox without a place for it.
    taken: VecDeque<Job<A::Msg>>,
    /// Whether that is to be brought to the board.
    brings: bool,
    /// Whether it has had another place in this turn.
    has_renewed: bool,
    /// Whether it is about to go idle and will not be woken when the board has less waiting.
    rests_unrelieved: bool,
    scratch: Scratch<A::Msg>,
}

impl<A: SpeculativeActor> Shard<A> {
    pub(crate) fn new(engine: Arc<Engine<A>>, number: u8) -> Self {
        Self {
            engine,
            number,
            has_joined: false,
            pause: Pause::default(),
            place: None,
            kept: None,
            reads: VecDeque::new(),
            taken: VecDeque::new(),
            brings: false,
            has_renewed: false,
            rests_unrelieved: false,
            scratch: Scratch::new(),
        }
    }

    /// Has a message handled, if there is a place for it. Reads that were put aside come before it,
    /// or it is one itself.
    ///
    /// # Errors
    /// The job, if there is none.
    #[inline(always)]
    fn handle_at_once(&mut self, job: Job<A::Msg>) -> Result<(), Job<A::Msg>> {
        let Some(place) = &mut self.place else { return Err(job) };
        if !self.engine.goes_on_in(place) || job.kind == JobKind::Alone {
            return Err(job);
        }
        if place.how == How::Logged && job.access == Access::Snapshot {
            if place.left == self.reads.len() {
                return Err(job);
            }
            self.reads.push_back(job);
            if self.reads.len() == READS {
                self.read();
            }
            return Ok(());
        }
        debug_assert!(self.reads.is_empty());
        place.left -= 1;
        let attempt = self.engine.attempt_in_place(&place.me, how_in_place(place.how, job.kind));
        let handled = attempt.of_message(&place.state, &job, &mut self.scratch.outbox);
        self.handled(handled, job);
        Ok(())
    }

    #[inline(always)]
    fn handled(&mut self, handled: Option<Handled>, job: Job<A::Msg>) {
        let Some(place) = &mut self.place else { return };
        match self.engine.after_attempt(&place.me, &place.state, handled, job) {
            Some(committed) => place.committed += committed,
            None => {
                // Whoever goes on with it counts it, and what follows comes behind it.
                place.left += 1;
                self.leave(None);
            }
        }
    }

    /// Has the reads handled that have been put aside.
    #[cold]
    #[inline(never)]
    fn read(&mut self) {
        let mut snapshot = None;
        while let Some(place) = self.place.as_mut().filter(|place| self.engine.goes_on_in(place)) {
            let Some(job) = self.reads.pop_front() else { break };
            place.left -= 1;
            let attempt = self.engine.attempt_in_place(&place.me, How::Reading);
            let handled = match shared_by_batch(&mut snapshot) {
                Ok(moment) => {
                    attempt.on_snapshot(moment, &place.state, &job, &mut self.scratch.outbox)
                }
                Err(panic) => Some(Handled::Failed(panic)),
            };
            self.handled(handled, job);
        }
        drop_quietly(snapshot);
        self.put_back_reads();
    }

    /// The reads that were put aside wait for another place.
    fn put_back_reads(&mut self) {
        while let Some(job) = self.reads.pop_back() {
            self.taken.push_front(job);
        }
    }

    /// Gives the place back. `in_inbox`: how many messages wait there, if that is known.
    fn leave(&mut self, in_inbox: Option<usize>) {
        if let Some(place) = self.place.take() {
            self.engine.finish_shard(self.number, place, in_inbox);
        }
    }

    /// Goes on in the place that it has kept, if that was not taken back.
    fn resume(&mut self, ctx: &Context<'_, Self>) {
        // Held back, it is not to have a place.
        if extend::is_held(ctx) {
            return;
        }
        debug_assert!(self.place.is_none(), "it has none while it keeps one");
        let Some(me) = extend::served(ctx) else { return };
        let Some(kept) = self.kept.take() else { return };
        self.place = self.engine.resume_place(kept, me);
    }

    /// Goes idle with its place, if it may.
    fn keeps_place(&mut self) -> bool {
        if self.place.is_none() {
            return false;
        }
        self.kept = self.engine.keep_place(self.number, &mut self.place);
        self.place.is_none()
    }

    #[cold]
    #[inline(never)]
    fn take_slowly(&mut self, job: Job<A::Msg>, ctx: &mut Context<'_, Self>) {
        self.taken.push_back(job);
        if !self.brings {
            self.handle_taken(ctx);
        }
        if self.brings && self.taken.len() >= TOGETHER {
            self.bring(ctx);
            // As the actor's own turn does, so that something is done while more comes.
            if self.engine.is_enough_brought() && !extend::is_held(ctx) {
                self.engine.work(&Executor::Shard, &mut self.scratch);
            }
        }
    }

    /// Has handled what has been taken, as far as there is a place for it.
    fn handle_taken(&mut self, ctx: &mut Context<'_, Self>) {
        // Held back, it is not to wait for a place, nor to have one.
        while !extend::is_held(ctx) {
            let Some(next) = self.taken.front() else { return };
            if !self.reads.is_empty() && !is_read(next) {
                self.read();
                continue;
            }
            if next.kind == JobKind::Alone || next.enlistment.is_some() {
                self.leave(None);
                self.brings = true;
                return;
            }
            let Some(job) = self.taken.pop_front() else { return };
            let Err(job) = self.handle_at_once(job) else { continue };
            self.taken.push_front(job);
            if !self.reads.is_empty() {
                self.read();
                continue;
            }
            if self.kept.is_some() {
                self.resume(ctx);
                if self.place.is_some() {
                    continue;
                }
            }
            let Some(me) = self.served(ctx) else { return ctx.stop() };
            let looks = (&self.pause, extend::waiting_about(ctx));
            let before = self.place.take();
            let had_place = before.is_some();
            match self.engine.begin_shard(self.number, &me, looks, before) {
                ShardEntry::Placed(place) => {
                    self.has_renewed = had_place;
                    self.place = Some(place);
                }
                ShardEntry::Waits => return extend::pause(ctx, &self.pause),
                ShardEntry::Brings => {
                    self.brings = true;
                    return;
                }
                ShardEntry::TooLate => return ctx.stop(),
            }
        }
    }

    fn bring(&mut self, ctx: &mut Context<'_, Self>) {
        if let Some(me) = self.served(ctx) {
            self.engine.add(&mut self.taken, || me);
            self.engine.look_if_due(extend::waiting_about(ctx));
            // Taken back, if it had one.
            self.kept = self.kept.take().and_then(|kept| self.engine.look_at_kept(kept));
        }
        if !self.taken.is_empty() {
            // The actor has ended.
            ctx.stop();
        }
    }

    /// The actor, if it has not ended.
    fn served(&self, ctx: &Context<'_, Self>) -> Option<ActorRef<A::Msg>> {
        match &self.place {
            Some(place) => Some(place.me.clone()),
            None => extend::served(ctx),
        }
    }

    /// `None`: its access cannot be told, and it has failed.
    #[inline(always)]
    fn job(&self, message: A::Msg, lane: Lane, ctx: &Context<'_, Self>) -> Option<Job<A::Msg>> {
        match contained(|| A::access(&message)) {
            Ok(access) => Some(Job::new(message, access, Some(lane))),
            Err(panic) => {
                self.fail(panic, message, ctx);
                None
            }
        }
    }

    /// A message has failed before it could be handled.
    #[cold]
    fn fail(&self, panic: Panic, message: A::Msg, ctx: &Context<'_, Self>) {
        self.engine.tally.failed(&message);
        // The first panic is the one that counts.
        quietly(|| extend::drop_failed(&*panic, || drop(message)));
        self.engine.fail(panic);
        // Whoever gives back a place has the actor look.
        if self.place.is_none() {
            self.served(ctx).iter().for_each(wake);
        }
    }
}

/// Whether a message can share a snapshot with others.
#[inline(always)]
fn is_read<M>(job: &Job<M>) -> bool {
    job.access == Access::Snapshot && job.enlistment.is_none()
}

impl<A: SpeculativeActor> Behavior for Shard<A> {
    type Msg = A::Msg;
    type Inner = NoInner<A::Msg>;
    const LANED: bool = true;
    const SERVES: bool = true;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.has_joined = self.engine.join_shard(self.number, ctx.actor_ref());
        if !self.has_joined {
            ctx.stop();
        }
    }

    fn handle(&mut self, _: A::Msg, _: &mut Context<'_, Self>) {
        unreachable!("messages come to shards with lanes");
    }

    fn take_laned(&mut self, message: A::Msg, lane: Lane, ctx: &mut Context<'_, Self>) {
        let Some(job) = self.job(message, lane, ctx) else { return };
        if self.kept.is_some() {
            self.resume(ctx);
        }
        if self.taken.is_empty() && (self.reads.is_empty() || is_read(&job)) {
            match self.handle_at_once(job) {
                Ok(()) => {}
                Err(job) => self.take_slowly(job, ctx),
            }
        } else {
            self.take_slowly(job, ctx);
        }
    }

    fn take_accompanied(
        &mut self,
        message: A::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        let enlistment =
            companion.downcast::<Enlistment>().expect("messages come with nothing else");
        let Some(job) = self.job(message, lane, ctx) else { return };
        self.take_slowly(Job { enlistment: Some(enlistment), ..job }, ctx);
    }

    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        self.rests_unrelieved = false;
        self.kept = self.kept.take().and_then(|kept| self.engine.look_at_kept(kept));
        if interruption::is_watched() {
            self.engine.wander();
        }
        loop {
            if !self.reads.is_empty() {
                self.read();
            }
            if self.taken.is_empty() || self.brings {
                break;
            }
            self.handle_taken(ctx);
            if !self.taken.is_empty() && !self.brings {
                // It is held back, or pauses, or ends.
                return true;
            }
        }
        if self.taken.is_empty() && self.keeps_place() {
            // It is woken for messages alone.
            (self.has_renewed, self.rests_unrelieved) = (false, true);
            return false;
        }
        self.leave(Some(0));
        if !self.taken.is_empty() {
            self.bring(ctx);
        }
        (self.brings, self.has_renewed) = (false, false);
        if self.engine.has_outstanding() && self.engine.work(&Executor::Shard, &mut self.scratch) {
            return true;
        }
        self.rests_unrelieved = !self.engine.shard_rests(self.number);
        false
    }

    fn turn_ends(&mut self, goes_idle: bool) {
        if goes_idle && !self.reads.is_empty() {
            self.read();
        }
        self.put_back_reads();
        self.leave(None);
        (self.brings, self.has_renewed) = (false, false);
        if goes_idle && self.engine.has_outstanding() {
            // What it has brought is for others.
            self.engine.with_board(|_| ());
        }
        self.rests_unrelieved = goes_idle && !self.engine.shard_rests(self.number);
    }

    fn extends_turn(&self) -> bool {
        let has_more = self.place.as_ref().is_some_and(|place| self.engine.goes_on_in(place));
        has_more && !self.has_renewed
    }

    fn deferred(&self) -> usize {
        self.taken.len() + self.reads.len()
    }

    fn pressing(&self) -> usize {
        let on_board = if self.rests_unrelieved { 0 } else { self.engine.pressing() };
        self.deferred() + on_board
    }

    fn give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        self.put_back_reads();
        self.leave(None);
        drop_quietly(self.kept.take());
        // One that has never started has another one in its place, maybe.
        if self.has_joined {
            self.engine.forget_shard(self.number);
        }
        for Job { message, enlistment, .. } in std::mem::take(&mut self.taken) {
            drop(enlistment);
            take(message);
        }
    }
}
