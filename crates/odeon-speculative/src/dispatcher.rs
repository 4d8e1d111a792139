//! The actor's own turn: takes messages from the inbox, handles them itself while one at a time is enough, and
//! otherwise brings them to the board and works there beside the runners.

use crate::access::Access;
use crate::attempt::{Attempt, Handled};
use crate::board::How;
use crate::context::{Me, SpeculativeContext};
use crate::engine::{Attention, Engine, Executor, Scratch};
use crate::handling::{Effects, Handling};
use crate::job::Job;
use crate::processing::Ordering;
use crate::speculative_actor::SpeculativeActor;
use odeon_core::extend::Lane;
use odeon_core::{Actor, Context};
use odeon_stm::Mode;
use odeon_stm::staged::{Attempted, attempt_here};
use std::panic::resume_unwind;
use std::slice;
use std::sync::Arc;

/// What the core knows as the actor.
pub(crate) struct Dispatcher<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    state: Arc<A>,
    ordering: Ordering,
    /// Taken from the inbox, to be brought to the board together.
    taken: Vec<Job<A::Msg>>,
    scratch: Scratch<A::Msg>,
    /// Messages that this turn has handled itself and not counted yet.
    handled: u64,
    /// Messages until the next look at the width.
    until_look: u32,
}

/// TUNE: messages between two looks at the width: a look reads the clock.
const LOOK_EVERY: u32 = 64;
/// TUNE: messages that are brought to the board together.
const TOGETHER: usize = 8;
/// TUNE: waiting jobs beyond which the actor's own turn works instead of bringing more.
const ENOUGH: usize = 64;
/// TUNE: jobs that wait while the actor is idle, below which it wants a turn, to let senders go on.
const RELIEVED_BELOW: usize = 256;

impl<A: SpeculativeActor> Dispatcher<A> {
    pub(crate) fn new(engine: Arc<Engine<A>>, ordering: Ordering) -> Self {
        let state = engine.state();
        Self {
            engine,
            state,
            ordering,
            taken: Vec::new(),
            scratch: Scratch::new(),
            handled: 0,
            until_look: LOOK_EVERY,
        }
    }

    // One copy of it, into which everything is inlined that is done for each message.
    #[inline(never)]
    fn take(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.look();
        }
        let is_narrow = self.engine.width() == 1;
        if is_narrow && self.taken.is_empty() && !self.engine.has_outstanding() {
            self.handle_here(message, lane, ctx);
        } else {
            self.put_aside(message, lane, ctx);
        }
    }

    #[inline(never)]
    fn put_aside(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        self.note(message, lane);
        if self.taken.len() >= TOGETHER {
            self.bring(ctx);
            if self.engine.waiting() >= ENOUGH {
                self.work(ctx);
            }
        }
    }

    fn note(&mut self, message: A::Msg, lane: Option<Lane>) {
        let lane = lane.filter(|_| self.ordering == Ordering::PerSender);
        let access = A::access(&message);
        self.taken.push(Job::new(message, access, lane));
    }

    /// Nothing is outstanding, and only this turn brings more: the message has the actor to itself.
    #[inline(always)]
    fn handle_here(&mut self, message: A::Msg, lane: Option<Lane>, ctx: &mut Context<'_, Self>) {
        let Self { engine, state, scratch, .. } = self;
        let handling = Handling::new(message, &engine.tally);
        let rarely = 'handled: {
            let message = handling.message();
            let me = Me::Turn(ctx);
            let mut context = SpeculativeContext::new(me, slice::from_ref(message));
            let effects = Effects(&mut scratch.outbox);
            let mut otherwise = None;
            let finished = effects.0.hold_during(|| {
                let ended =
                    attempt_here(Mode::Direct, |tx| state.handle(message, tx, &mut context));
                match ended {
                    Attempted::Finished(finished, ()) => Some(finished),
                    other => {
                        otherwise = Some(other);
                        None
                    }
                }
            });
            let is_last = context.wants_stop();
            let has_more = is_last || !effects.0.is_empty();
            let may_write = || A::access(message) != Access::Snapshot;
            let first = match finished {
                Some(finished) if !has_more && (!finished.has_written() || may_write()) => {
                    match finished.commit_if_simple() {
                        Ok(()) => break 'handled None,
                        Err(finished) => Attempted::Finished(finished, ()),
                    }
                }
                Some(finished) => Attempted::Finished(finished, ()),
                None => otherwise.expect("an attempt ends in one way"),
            };
            let (exit, tally) = (&engine.exit, &engine.tally);
            let attempt = Attempt { exit, tally, me, how: How::Alone };
            Some(attempt.after_first(first, is_last, state, message, effects.0))
        };
        match rarely {
            None => {
                self.handled += 1;
                drop(handling.over());
            }
            Some(handled) => {
                let message = handling.over();
                self.handled_rarely(handled, message, lane, ctx);
            }
        }
    }

    #[cold]
    fn handled_rarely(
        &mut self,
        handled: Handled,
        message: A::Msg,
        lane: Option<Lane>,
        ctx: &mut Context<'_, Self>,
    ) {
        match handled {
            Handled::Committed => self.handled += 1,
            Handled::Last => {
                self.handled += 1;
                ctx.stop();
            }
            Handled::Failed(panic) => {
                self.engine.tally.failed();
                drop(message);
                resume_unwind(panic)
            }
            // The board knows how to go on with it.
            Handled::Contended | Handled::Waits(_) | Handled::TooLate => {
                self.note(message, lane);
                self.bring(ctx);
            }
        }
    }

    #[cold]
    fn look(&mut self) {
        self.until_look = LOOK_EVERY;
        self.count();
        self.engine.adapt();
    }

    fn count(&mut self) {
        if self.handled > 0 {
            self.engine.tally.committed(std::mem::take(&mut self.handled));
        }
    }

    fn bring(&mut self, ctx: &Context<'_, Self>) {
        self.engine.add(&mut self.taken, || ctx.actor_ref());
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

impl<A: SpeculativeActor> Actor for Dispatcher<A> {
    type Msg = A::Msg;
    const LANED: bool = true;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let Self { engine, state, scratch, .. } = self;
        let attempt = Attempt {
            exit: &engine.exit,
            tally: &engine.tally,
            me: Me::Turn(ctx),
            how: How::Alone,
        };
        match attempt.of_start(state, &mut scratch.outbox) {
            Handled::Committed => {}
            Handled::Last => ctx.stop(),
            Handled::Failed(panic) => resume_unwind(panic),
            Handled::Contended | Handled::Waits(_) | Handled::TooLate => {
                panic!("an actor cannot wait, or meet a conflict, in its start")
            }
        }
    }

    fn handle(&mut self, message: A::Msg, ctx: &mut Context<'_, Self>) {
        self.take(message, None, ctx);
    }

    fn __take_laned(&mut self, message: A::Msg, lane: Lane, ctx: &mut Context<'_, Self>) {
        self.take(message, Some(lane), ctx);
    }

    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        if !self.taken.is_empty() {
            self.bring(ctx);
        }
        self.count();
        let went_on =
            (self.engine.has_outstanding() || self.engine.needs_attention()) && self.work(ctx);
        if !went_on && self.engine.waiting() >= RELIEVED_BELOW {
            self.engine.wake_below(RELIEVED_BELOW);
        }
        if !went_on && !self.engine.has_outstanding() {
            self.engine.rests();
        }
        went_on
    }

    fn __aside(&self) -> usize {
        self.taken.len() + self.engine.waiting()
    }

    fn __give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        self.count();
        self.engine.close(take);
        self.taken.drain(..).for_each(|job| take(job.message));
    }

    fn stopped(&mut self) {
        self.state.stopped();
    }
}
