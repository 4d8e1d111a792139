//! The actor's own turn: takes messages from the inbox, handles them itself while one at a time is
//! enough, and otherwise brings them to the board and works there beside the runners.

use crate::actor::context::{Me, SpeculativeContext, Wants};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, contained, quietly};
use crate::executor::attempt::{Attempt, First, Handled, admit_and_handle};
use crate::executor::board::How;
use crate::executor::engine::{Attention, Engine, Executor, LOOK_EVERY, Scratch, WIDE};
use crate::executor::enlistment::Enlistment;
use crate::executor::handling::{Effects, HandledMessage};
use crate::executor::job::Job;
use crate::processing::Ordering;
use odeon_core::extend::{self, Behavior, Companion, Lane, NoInner, Place};
use odeon_core::{Access, ActorRef, Bound, Context, Message};
use odeon_stm::Mode;
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_sync::{interruption, thread};
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::slice;
use std::sync::Arc;

/// What the core knows as the actor.
pub(crate) struct Dispatcher<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    state: Arc<A>,
    ordering: Ordering,
    /// Taken from the inbox, to be brought to the board together.
    taken: VecDeque<Job<A::Msg>>,
    scratch: Scratch<A::Msg>,
    /// Messages that this turn has handled itself and not counted yet.
    handled: u64,
    /// Messages until the next look at the width.
    until_look: u32,
    /// Those of its mailboxes, if any has one.
    bounds: Option<Arc<[Option<Bound>]>>,
    /// Whether callers may enter (`engine/entrance.rs`).
    is_open: bool,
    /// Whether shards take the messages, and do not yet.
    is_starting: bool,
}

/// TUNE: messages that are brought to the board together; up to [`WIDE`] times as many by wide
/// actors.
pub(crate) const TOGETHER: usize = 16;
/// The mailbox in which a message with this lane has waited. All come with lanes where there are
/// several.
#[inline(always)]
fn mailbox_of<M: Message>(lane: Option<Lane>) -> u8 {
    if M::MAILBOXES == 1 { 0 } else { lane.map_or(0, Lane::mailbox) as u8 }
}

impl<A: SpeculativeActor> Dispatcher<A> {
    pub(crate) fn new(
        engine: Arc<Engine<A>>,
        ordering: Ordering,
        bounds: Option<Arc<[Option<Bound>]>>,
    ) -> Self {
        let (state, taken) = engine.begin();
        let is_starting = engine.is_divided();
        Self {
            engine,
            state,
            ordering,
            taken,
            scratch: Scratch::new(),
            handled: 0,
            until_look: LOOK_EVERY,
            bounds,
            is_open: false,
            is_starting,
        }
    }

    // One copy of it, into which everything is inlined that is done for each message.
    #[inline(never)]
    fn take(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.look(ctx);
        }
        let is_narrow = self.engine.width() == 1;
        if is_narrow && self.is_open {
            self.set_open(false);
        }
        debug_assert!(!self.engine.is_divided(), "messages come to its shards");
        if is_narrow && self.taken.is_empty() && !self.engine.has_outstanding() {
            self.handle_here(message, lane, ctx);
        } else {
            self.put_aside(message, lane, ctx);
        }
    }

    #[inline(never)]
    fn put_aside(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        let place = self.place(lane, ctx);
        let access = match contained(|| A::access(&message)) {
            Ok(access) => access,
            Err(panic) => return self.fail_beside(panic, message, ctx),
        };
        let job = self.job(message, access, lane);
        self.taken.push_back(Job { place, ..job });
        if self.is_to_bring() {
            self.bring_and_work(ctx);
        }
    }

    /// A message of a coordinated transaction.
    #[cold]
    fn take_visit(
        &mut self,
        message: A::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        let enlistment =
            companion.downcast::<Enlistment>().expect("messages come with nothing else");
        let place = self.place(Some(lane), ctx);
        let access = match contained(|| A::access(&message)) {
            Ok(access) => access,
            Err(panic) => return self.fail_beside(panic, message, ctx),
        };
        let job = self.job(message, access, Some(lane));
        self.taken.push_back(Job { enlistment: Some(enlistment), place, ..job });
        if self.is_to_bring() {
            self.bring_and_work(ctx);
        }
    }

    /// Whether it has taken as many messages as it brings together.
    fn is_to_bring(&self) -> bool {
        self.taken.len() >= TOGETHER * self.engine.width().clamp(1, WIDE)
    }

    fn bring_and_work(&mut self, ctx: &mut Context<'_, Self>) {
        self.bring(ctx);
        if self.engine.is_enough_brought() || self.engine.needs_attention() {
            self.work(ctx);
        }
    }

    fn job(&self, message: A::Msg, access: Access, lane: Option<Lane>) -> Job<A::Msg> {
        let mailbox = mailbox_of::<A::Msg>(lane);
        let lane = lane.filter(|_| self.ordering != Ordering::Unordered);
        Job { mailbox, ..Job::new(message, access, lane) }
    }

    /// The place of a message that has been taken, if its mailbox has a bound.
    #[inline(always)]
    fn place(&self, lane: Option<Lane>, ctx: &Context<'_, Self>) -> Option<Place> {
        self.bounds.as_ref()?;
        extend::place_taken(ctx, mailbox_of::<A::Msg>(lane).into())
    }

    /// Nothing is outstanding, and only this turn brings more: the message has the actor to itself.
    #[inline(always)]
    fn handle_here(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        let place = self.place(lane, ctx);
        let Self { engine, state, scratch, .. } = self;
        let handling = HandledMessage::new(message, &engine.tally);
        let mailbox = mailbox_of::<A::Msg>(lane);
        let access = A::access(handling.message());
        let rarely = 'handled: {
            let message = handling.message();
            let me = Me::Turn(ctx);
            let mut context = SpeculativeContext::new(me, slice::from_ref(message), mailbox);
            let mut effects = Effects(&mut scratch.outbox);
            let mut otherwise = None;
            let finished = effects.0.hold_during(|| {
                let ended = attempt_here(Mode::Direct, |tx| {
                    admit_and_handle::<A>(state, message, tx, &mut context)
                });
                match ended {
                    Attempted::Finished(finished, ()) => Some(finished),
                    other => {
                        otherwise = Some(other);
                        None
                    }
                }
            });
            let wants = context.wants();
            let has_more = wants != Wants::Nothing || engine.exit.is_closing();
            let otherwise = match finished {
                Some(finished)
                    if !has_more && (!finished.has_written() || !access.only_reads()) =>
                {
                    effects.are_to_happen();
                    match finished.commit_if_simple() {
                        Ok(()) => None,
                        Err(finished) if finished.has_hooks() => {
                            Some(Attempted::Finished(finished, ()))
                        }
                        Err(finished) => finished.commit().err().map(Attempted::RolledBack),
                    }
                }
                Some(finished) => Some(Attempted::Finished(finished, ())),
                None => Some(otherwise.expect("an attempt ends in one way")),
            };
            let Some(ended) = otherwise else {
                // Not through the exit: nobody else commits, or has effects under way, while
                // nothing is outstanding.
                effects.happen();
                break 'handled None;
            };
            let (exit, tally) = (&engine.exit, &engine.tally);
            let attempt = Attempt { exit, tally, me, how: How::Alone };
            let first = Some(First { ended: Ok(ended), wants });
            Some(attempt.after_first(first, state, message, access, mailbox, effects.0))
        };
        match rarely {
            None => {
                handling.committed();
                self.handled += 1;
            }
            Some(handled) => {
                let message = handling.over();
                let job = Job { place, ..self.job(message, access, lane) };
                self.handled_rarely(handled, job, ctx);
            }
        }
    }

    #[cold]
    fn handled_rarely(&mut self, handled: Handled, job: Job<A::Msg>, ctx: &mut Context<'_, Self>) {
        if handled.is_open() {
            // The board knows how to go on with it.
            let joins = matches!(handled, Handled::Joins);
            let enlistment = joins.then(|| self.engine.enlist());
            self.taken.push_back(Job { enlistment, ..job });
            self.bring(ctx);
            return;
        }
        match handled.and_drop(job, &self.engine.tally) {
            Handled::Last => {
                self.handled += 1;
                ctx.stop();
            }
            Handled::Failed(panic) => self.fail(panic),
            Handled::FailedLast(panic) => {
                self.engine.stop();
                self.fail(panic)
            }
            _ => self.handled += 1,
        }
    }

    /// A message has failed before it could be brought to the board, while others run: these come
    /// first.
    #[cold]
    fn fail_beside(&mut self, panic: Panic, message: A::Msg, ctx: &Context<'_, Self>) {
        self.engine.tally.failed(&message);
        // The first panic is the one that counts.
        quietly(|| extend::drop_failed(&*panic, || drop(message)));
        self.bring(ctx);
        self.engine.fail(panic);
    }

    #[cold]
    fn fail(&mut self, panic: Panic) -> ! {
        self.count();
        resume_unwind(panic)
    }

    #[cold]
    fn look(&mut self, ctx: &Context<'_, Self>) {
        self.until_look = LOOK_EVERY;
        self.count();
        self.engine.adapt(self.taken.len() + extend::waiting_about(ctx));
    }

    #[cold]
    fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open;
        self.engine.set_open(is_open);
    }

    /// Shards take messages from here on.
    fn has_started(&mut self) {
        if std::mem::take(&mut self.is_starting) {
            self.engine.set_starting(false);
            self.set_open(true);
        }
    }

    fn count(&mut self) {
        if self.handled > 0 {
            extend::note_handled(self.handled as u32);
            self.engine.tally.committed(std::mem::take(&mut self.handled));
        }
    }

    fn bring(&mut self, ctx: &Context<'_, Self>) {
        self.engine.add(&mut self.taken, || ctx.actor_ref());
    }

    /// As `bring`, also what no batch is full of.
    pub(crate) fn bring_taken(&mut self, me: impl FnOnce() -> ActorRef<A::Msg>) {
        self.count();
        if !self.taken.is_empty() {
            self.engine.add(&mut self.taken, me);
        }
    }

    /// `false`: there is nothing to do.
    fn work(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        if self.engine.needs_attention() {
            match self.engine.attend() {
                // What has failed beside is a failure of the actor.
                Some(Attention::Failure(panic)) => resume_unwind(panic),
                Some(Attention::Stop) => ctx.stop(),
                None => {}
            }
        }
        self.engine.work(&Executor::Turn, &mut self.scratch)
    }
}

impl<A: SpeculativeActor> Behavior for Dispatcher<A> {
    type Msg = A::Msg;
    type Inner = NoInner<A::Msg>;
    const BOUNDED: bool = true;
    const LANED: bool = true;

    fn type_name() -> &'static str {
        std::any::type_name::<A>()
    }

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.bounds.as_deref()
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if interruption::is_watched() {
            self.engine.wander();
        }
        let Self { engine, state, scratch, .. } = self;
        let attempt: Attempt<'_, A> = Attempt {
            exit: &engine.exit,
            tally: &engine.tally,
            me: Me::Turn(ctx),
            how: How::Alone,
        };
        match attempt.of_start(state, &mut scratch.outbox) {
            Handled::Committed => self.has_started(),
            Handled::Last => ctx.stop(),
            Handled::Failed(panic) | Handled::FailedLast(panic) => resume_unwind(panic),
            Handled::Contended | Handled::Waits(_) | Handled::Refused(_) | Handled::TooLate => {
                panic!("an actor cannot wait, or meet a conflict, in its start")
            }
            Handled::Joins => panic!("an actor's start is no part of a coordinated transaction"),
        }
    }

    fn handle(&mut self, message: A::Msg, ctx: &mut Context<'_, Self>) {
        self.take(message, None, ctx);
    }

    fn take_laned(&mut self, message: A::Msg, lane: Lane, ctx: &mut Context<'_, Self>) {
        self.take(message, Some(lane), ctx);
    }

    fn take_accompanied(
        &mut self,
        message: A::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        self.take_visit(message, lane, companion, ctx);
    }

    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        if interruption::is_watched() {
            self.engine.wander();
        }
        // Also if the start has failed, and the actor goes on.
        self.has_started();
        if !self.taken.is_empty() {
            self.bring(ctx);
        }
        self.count();
        let went_on = self.engine.has_outstanding() && self.work(ctx);
        if !went_on && !self.engine.has_outstanding() {
            self.engine.rests();
        }
        if !went_on && !self.is_open && self.engine.width() > 1 {
            self.set_open(true);
        }
        went_on
    }

    fn deferred(&self) -> usize {
        self.taken.len() + self.engine.waiting()
    }

    fn pressing(&self) -> usize {
        self.taken.len() + self.engine.pressing()
    }

    fn may_end(&mut self) -> bool {
        let may_end = self.engine.stop();
        if !may_end {
            // It is asked again at once: those come first for whom it waits.
            thread::yield_now();
        }
        may_end
    }

    fn give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        self.count();
        self.engine.close(take);
        for Job { message, enlistment, .. } in std::mem::take(&mut self.taken) {
            drop(enlistment);
            take(message);
        }
    }

    fn stopped(&mut self) {
        self.state.stopped();
    }
}

impl<A: SpeculativeActor> Drop for Dispatcher<A> {
    /// The actor is made anew, or has ended.
    fn drop(&mut self) {
        self.count();
        if self.engine.is_divided() {
            self.engine.set_starting(true);
        }
        self.engine.leave(&mut self.taken);
    }
}
