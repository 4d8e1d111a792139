//! One message: its attempts, until one has committed or the message is given up.

use crate::actor::context::{Me, SpeculativeContext, Wants};
use crate::actor::outcome::{HandlerError, TxResult};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, contained, drop_quietly, failure_of, first_of, forget};
use crate::executor::board::How;
use crate::executor::exit::{Closed, Exit};
use crate::executor::handling::discard;
use crate::executor::job::Job;
use crate::report::tally::AttemptTally;
use odeon_core::extend::{Outbox, as_sender, drop_failed};
use odeon_core::{Access, Message};
use odeon_stm::staged::{Attempted, FinishedHere, RolledBack, attempt_here};
use odeon_stm::{Cause, Mode, Tx};
use odeon_sync::{Backoff, interruption};
use std::mem::needs_drop;

mod admission;
mod ahead;
mod finished;
mod on_snapshot;
mod straight;

pub(crate) use admission::admit_and_handle;
pub(crate) use ahead::Ahead;
use finished::Finished;

/// How a message has ended.
pub(crate) enum Handled {
    Committed,
    /// It has committed, and asked for the end of the actor.
    Last,
    /// Its handler panicked, or gave it up; or it has committed, and then a user's code panicked.
    Failed(Panic),
    /// It has committed and asked for the end of the actor, and then a user's code panicked.
    FailedLast(Panic),
    /// Not handled: too many attempts met conflicts, and the next one should run alone.
    Contended,
    /// Not handled: something has to happen before another attempt.
    Waits(RolledBack),
    /// As before: its guard has to open.
    Refused(RolledBack),
    /// Not handled: it is to be part of a coordinated transaction.
    Joins,
    /// Not handled: the actor has ended.
    TooLate,
}

/// TUNE: attempts of one message beside others, before it runs alone.
const ATTEMPTS: u32 = 8;

/// Why an exclusive message fails whose attempt was rolled back: it must not run twice.
const NOT_ALONE: &str = "the attempt of an exclusive message was rolled back: somebody else writes the actor's variables";
pub(crate) const WAITS: &str =
    "a message with snapshot, relaxed or exclusive access does not wait for a change";
const JOINS: &str = "a message with exclusive access cannot be part of a coordinated transaction";
pub(crate) const WRITES: &str = "a message with snapshot or relaxed access writes nothing";

/// A first attempt that was made elsewhere.
pub(crate) struct First<F> {
    pub(crate) ended: std::thread::Result<Attempted<F, (), HandlerError>>,
    /// What the handler wants besides effects.
    pub(crate) wants: Wants,
}

/// What an attempt calls.
pub(crate) enum Calls<'a, A: SpeculativeActor> {
    Start(&'a A),
    /// For this message, which has waited in this mailbox.
    Handler(&'a A, &'a A::Msg, u8),
}

impl<A: SpeculativeActor> Clone for Calls<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: SpeculativeActor> Copy for Calls<'_, A> {}

impl<'a, A: SpeculativeActor> Calls<'a, A> {
    /// The message, unless it is the start, and its mailbox.
    fn message(self) -> (&'a [A::Msg], u8) {
        match self {
            Self::Start(_) => (&[], 0),
            Self::Handler(_, message, mailbox) => (std::slice::from_ref(message), mailbox),
        }
    }

    fn now<'t>(self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, A>) -> TxResult
    where
        'a: 't,
    {
        match self {
            Self::Start(state) => state.started(tx, ctx),
            Self::Handler(state, message, _) => admit_and_handle(state, message, tx, ctx),
        }
    }
}

/// The circumstances of an attempt.
pub(crate) struct Attempt<'a, A: SpeculativeActor> {
    pub(crate) exit: &'a Exit,
    pub(crate) tally: &'a AttemptTally,
    pub(crate) me: Me<'a, A>,
    pub(crate) how: How,
}

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Has the handler called for a message until that is decided; if `first` is there, this is the
    /// first attempt.
    #[cold]
    #[inline(never)]
    pub(crate) fn after_first(
        &self,
        first: Option<First<FinishedHere<'a>>>,
        state: &'a A,
        message: &'a A::Msg,
        access: Access,
        mailbox: u8,
        outbox: &mut Outbox,
    ) -> Handled {
        self.until_decided(first, Calls::Handler(state, message, mailbox), access, outbox)
    }

    /// Has the actor's state started.
    pub(crate) fn of_start(&self, state: &'a A, outbox: &mut Outbox) -> Handled {
        self.until_decided(None, Calls::Start(state), Access::Update, outbox)
    }

    /// The mode of a message's first attempt.
    #[inline(always)]
    fn first_mode(&self, access: Access) -> Mode {
        match self.how {
            How::Logged | How::InOrder(_) => Mode::Logged,
            How::Direct | How::Alone => Mode::Direct,
            How::Reading => beside_others(access),
        }
    }

    fn until_decided(
        &self,
        mut first: Option<First<FinishedHere<'a>>>,
        calls: Calls<'a, A>,
        access: Access,
        outbox: &mut Outbox,
    ) -> Handled {
        let (message, mailbox) = calls.message();
        let mut mode = self.first_mode(access);
        let mut backoff = Backoff::new();
        for _ in 0..ATTEMPTS {
            let (ended, wants) = match first.take() {
                Some(first) => (first.ended, first.wants),
                None => {
                    let mut ctx = SpeculativeContext::new(self.me, message, mailbox);
                    let attempt = || attempt_here(mode, |tx| calls.now(tx, &mut ctx));
                    let ended = contained(|| outbox.hold_during(attempt));
                    (ended, ctx.wants())
                }
            };
            let ended = self.decide(ended, wants, access, outbox);
            discard(outbox);
            match ended {
                Ok(handled) => return handled,
                Err(_) if wants == Wants::Admission && mode != Mode::Logged => {
                    if let Some(handled) = self.at_closed_guard(calls, access, outbox) {
                        return handled;
                    }
                    backoff.wait();
                }
                Err(rolled_back) => {
                    let cause = rolled_back.cause();
                    self.tally.rolled_back(&rolled_back, message);
                    if wants == Wants::Admission {
                        return Handled::Refused(rolled_back);
                    } else if access != Access::Update && cause == Cause::CannotWait {
                        return Handled::Failed(Box::new(WAITS));
                    } else if access == Access::Exclusive {
                        return Handled::Failed(Box::new(NOT_ALONE));
                    } else if cause == Cause::Prepared && access == Access::Update {
                        return Handled::Waits(rolled_back);
                    } else if mode == Mode::Direct {
                        // What else a direct attempt waits for is not known: it has no log.
                        mode = beside_others(access);
                    } else if matches!(cause, Cause::Retry | Cause::Prepared) {
                        return Handled::Waits(rolled_back);
                    } else {
                        backoff.wait();
                    }
                }
            }
        }
        Handled::Contended
    }

    /// # Errors
    /// If the attempt was rolled back, and there may be another one.
    fn decide<F: Finished>(
        &self,
        ended: std::thread::Result<Attempted<F, (), HandlerError>>,
        wants: Wants,
        access: Access,
        outbox: &mut Outbox,
    ) -> Result<Handled, RolledBack> {
        let is_last = wants == Wants::Stop;
        match ended {
            Ok(Attempted::Finished(finished, ()))
                if access.only_reads() && finished.has_written() =>
            {
                drop_quietly(finished);
                Ok(Handled::Failed(Box::new(WRITES)))
            }
            Ok(Attempted::Finished(finished, ())) if wants == Wants::Join => {
                // What it has asked to have called after a rollback is called here.
                Ok(match (access, contained(move || drop(finished))) {
                    (_, Err(panic)) => self.failed(panic),
                    (Access::Exclusive, Ok(())) => Handled::Failed(Box::new(JOINS)),
                    (_, Ok(())) => Handled::Joins,
                })
            }
            Ok(Attempted::Finished(finished, ())) => {
                let is_silent = outbox.is_empty() && !is_last && !finished.has_hooks();
                if is_silent && !self.exit.is_closing() {
                    return self.commit(finished, is_last, outbox);
                }
                // Effects: between what they tell and when they tell it others may commit.
                interruption::point();
                let mut finished = Some(finished);
                let passed = self.exit.pass(is_last, || {
                    let finished = finished.take().expect("called once");
                    self.commit(finished, is_last, outbox)
                });
                passed.unwrap_or_else(|Closed| {
                    drop_quietly(finished);
                    Ok(Handled::TooLate)
                })
            }
            Ok(Attempted::RolledBack(rolled_back)) => Err(rolled_back),
            Ok(Attempted::Failed(error)) => Ok(self.failed(failure_of(error))),
            Err(panic) => Ok(self.failed(panic)),
        }
    }

    /// What fails after the end is not handled.
    fn failed(&self, panic: Panic) -> Handled {
        let is_over =
            self.exit.is_closing() && self.exit.pass(false, || Ok::<_, Closed>(())) == Err(Closed);
        if !is_over {
            return Handled::Failed(panic);
        }
        forget(panic);
        Handled::TooLate
    }

    /// Commits and lets the effects out.
    fn commit<F: Finished>(
        &self,
        finished: F,
        is_last: bool,
        outbox: &mut Outbox,
    ) -> Result<Handled, RolledBack> {
        let after = match contained(|| finished.commit_before_hooks()) {
            Ok(committed) => committed?,
            // It was rolled back, and what it had called for that has panicked.
            Err(panic) => return Ok(Handled::Failed(panic)),
        };
        if outbox.is_empty() && !is_last && after.is_nothing() {
            return Ok(Handled::Committed);
        }
        let act = || {
            let hooks = contained(|| after.call());
            first_of(hooks, contained(|| outbox.release()))
        };
        Ok(match self.as_actor(act) {
            Ok(()) if is_last => Handled::Last,
            Ok(()) => Handled::Committed,
            Err(panic) if is_last => Handled::FailedLast(panic),
            Err(panic) => Handled::Failed(panic),
        })
    }

    /// Has effects happen, as the actor's.
    #[inline(always)]
    fn as_actor<R>(&self, effects: impl FnOnce() -> R) -> R {
        match self.me {
            Me::Turn(_) => effects(),
            Me::Beside(me) => as_sender(me, effects),
        }
    }
}

/// How a message runs that does not have its actor to itself.
fn beside_others(access: Access) -> Mode {
    match access {
        Access::Update | Access::Exclusive => Mode::Logged,
        Access::Snapshot => Mode::Snapshot,
        Access::Relaxed => Mode::Relaxed,
    }
}

impl Handled {
    /// Whether the message is still to be dealt with.
    pub(crate) fn is_open(&self) -> bool {
        let waits = matches!(self, Self::Waits(_) | Self::Refused(_));
        waits || matches!(self, Self::Contended | Self::Joins | Self::TooLate)
    }

    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::FailedLast(_))
    }

    /// The message is over, and dropped: a panic of its destructor is one of its handler. Counts a
    /// failure.
    pub(crate) fn and_drop<M: Message>(self, job: Job<M>, tally: &AttemptTally) -> Self {
        if self.is_failure() {
            tally.failed(&job.message);
        }
        if !needs_drop::<M>() {
            return self;
        }
        let dropping = move || drop(job);
        let dropped = match &self {
            // Who has asked by a reply in it is told why there is no answer.
            Self::Failed(panic) | Self::FailedLast(panic) => {
                contained(|| drop_failed(&**panic, dropping))
            }
            _ => contained(dropping),
        };
        if dropped.is_err() && matches!(self, Self::Committed | Self::Last) {
            tally.failed_when_dropped::<M>();
        }
        match (dropped, self) {
            (Err(panic), Self::Committed) => Self::Failed(panic),
            (Err(panic), Self::Last) => Self::FailedLast(panic),
            (Err(panic), handled) => {
                forget(panic);
                handled
            }
            (Ok(()), handled) => handled,
        }
    }
}
