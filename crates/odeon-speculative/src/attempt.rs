//! One message: its attempts, until one has committed or the message is given up.

use crate::access::Access;
use crate::board::How;
use crate::context::{Me, SpeculativeContext};
use crate::exit::{Closed, Exit};
use crate::handling::discard;
use crate::job::Job;
use crate::outcome::{HandlerError, TxResult};
use crate::speculative_actor::SpeculativeActor;
use crate::tally::Tally;
use odeon_core::extend::{Outbox, as_sender};
use odeon_stm::staged::{Attempted, FinishedHere, RolledBack, attempt_here};
use odeon_stm::{Cause, Mode, Tx};
use odeon_sync::Backoff;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a message has ended.
pub(crate) enum Handled {
    Committed,
    /// It has committed, and asked for the end of the actor.
    Last,
    /// Its handler panicked, or gave it up.
    Failed(Box<dyn Any + Send>),
    /// Not handled: too many attempts met conflicts, and the next one should run alone.
    Contended,
    /// Not handled: something has to happen before another attempt.
    Waits(RolledBack),
    /// Not handled: the actor has ended.
    TooLate,
}

/// TUNE: attempts of one message beside others, before it runs alone.
const ATTEMPTS: u32 = 8;

/// Why an exclusive message fails whose attempt was rolled back: it must not run twice.
const NOT_ALONE: &str = "the attempt of an exclusive message was rolled back: somebody else writes the actor's variables";
const WAITS: &str = "a message with snapshot access does not wait for a change";
const WRITES: &str = "a message with snapshot access writes nothing";

/// The circumstances of an attempt.
pub(crate) struct Attempt<'a, A: SpeculativeActor> {
    pub(crate) exit: &'a Exit,
    pub(crate) tally: &'a Tally,
    pub(crate) me: Me<'a, A>,
    pub(crate) how: How,
}

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Has the handler called for a message until that is decided.
    pub(crate) fn of_message(
        &self,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Handled {
        let handler = |tx: &mut Tx<'_, 'a>, ctx: &mut _| state.handle(&job.message, tx, ctx);
        let message = std::slice::from_ref(&job.message);
        self.until_decided(message, job.access, outbox, handler)
    }

    /// Goes on after a first, direct attempt of a message that has not simply committed.
    #[cold]
    pub(crate) fn after_first(
        &self,
        first: Attempted<FinishedHere<'a>, (), HandlerError>,
        is_last: bool,
        state: &'a A,
        message: &'a A::Msg,
        outbox: &mut Outbox,
    ) -> Handled {
        let access = A::access(message);
        let is_read = access == Access::Snapshot;
        match self.decide(Ok(first), is_last, is_read, outbox) {
            Ok(handled) => handled,
            Err(rolled_back) => {
                self.tally.rolled_back(rolled_back.cause());
                let handler = |tx: &mut Tx<'_, 'a>, ctx: &mut _| state.handle(message, tx, ctx);
                let message = std::slice::from_ref(message);
                self.until_decided_from(Mode::Logged, message, access, outbox, handler)
            }
        }
    }

    /// Has the actor's state started.
    pub(crate) fn of_start(&self, state: &'a A, outbox: &mut Outbox) -> Handled {
        self.until_decided(&[], Access::Update, outbox, |tx, ctx| state.started(tx, ctx))
    }

    fn until_decided(
        &self,
        message: &'a [A::Msg],
        access: Access,
        outbox: &mut Outbox,
        handler: impl for<'t> Fn(&mut Tx<'t, 'a>, &mut SpeculativeContext<'a, A>) -> TxResult,
    ) -> Handled {
        let mode = match self.how {
            How::Logged => Mode::Logged,
            How::Direct | How::Alone => Mode::Direct,
            How::Snapshot => Mode::Snapshot,
        };
        self.until_decided_from(mode, message, access, outbox, handler)
    }

    /// The first attempt is in this `mode`.
    fn until_decided_from(
        &self,
        mut mode: Mode,
        message: &'a [A::Msg],
        access: Access,
        outbox: &mut Outbox,
        handler: impl for<'t> Fn(&mut Tx<'t, 'a>, &mut SpeculativeContext<'a, A>) -> TxResult,
    ) -> Handled {
        let is_read = access == Access::Snapshot;
        let mut backoff = Backoff::new();
        for _ in 0..ATTEMPTS {
            let mut ctx = SpeculativeContext::new(self.me, message);
            let attempt = || attempt_here(mode, |tx| handler(tx, &mut ctx));
            let ended = catch_unwind(AssertUnwindSafe(|| outbox.hold_during(attempt)));
            match self.decide(ended, ctx.wants_stop(), is_read, outbox) {
                Ok(handled) => return handled,
                Err(rolled_back) => {
                    let cause = rolled_back.cause();
                    self.tally.rolled_back(cause);
                    // What a direct attempt waits for is not known: it has no log.
                    if mode == Mode::Direct {
                        mode = Mode::Logged;
                    } else if cause == Cause::CannotWait {
                        return Handled::Failed(Box::new(WAITS));
                    } else if matches!(cause, Cause::Retry | Cause::Prepared) {
                        return unless_exclusive(access, Handled::Waits(rolled_back));
                    } else {
                        backoff.wait();
                    }
                }
            }
        }
        unless_exclusive(access, Handled::Contended)
    }

    /// Commits, if there is something to be committed. The outbox is empty afterwards.
    ///
    /// # Errors
    /// If the attempt was rolled back, and there may be another one.
    fn decide(
        &self,
        ended: std::thread::Result<Attempted<FinishedHere<'a>, (), HandlerError>>,
        is_last: bool,
        is_read: bool,
        outbox: &mut Outbox,
    ) -> Result<Handled, RolledBack> {
        let decided = match ended {
            Ok(Attempted::Finished(finished, ())) if is_read && finished.has_written() => {
                Ok(Handled::Failed(Box::new(WRITES)))
            }
            Ok(Attempted::Finished(finished, ())) if outbox.is_empty() && !is_last => {
                finished.commit().map(|()| Handled::Committed)
            }
            Ok(Attempted::Finished(finished, ())) => {
                let passed = self.exit.pass(|is_closed| {
                    finished.commit()?;
                    *is_closed = is_last;
                    Ok(self.release(is_last, outbox))
                });
                passed.unwrap_or_else(|Closed| Ok(Handled::TooLate))
            }
            Ok(Attempted::RolledBack(rolled_back)) => Err(rolled_back),
            Ok(Attempted::Failed(failure)) => Ok(Handled::Failed(Box::new(failure.to_string()))),
            Err(panic) => Ok(Handled::Failed(panic)),
        };
        discard(outbox);
        decided
    }

    /// The attempt has committed: lets its effects out.
    fn release(&self, is_last: bool, outbox: &mut Outbox) -> Handled {
        let released = catch_unwind(AssertUnwindSafe(|| match self.me {
            Me::Turn(_) => outbox.release(),
            Me::Beside(me) => as_sender(me, || outbox.release()),
        }));
        match released {
            Ok(()) if is_last => Handled::Last,
            Ok(()) => Handled::Committed,
            // Code of a user that an effect calls.
            Err(panic) => Handled::Failed(panic),
        }
    }
}

/// An exclusive message is attempted once.
fn unless_exclusive(access: Access, handled: Handled) -> Handled {
    if access == Access::Exclusive { Handled::Failed(Box::new(NOT_ALONE)) } else { handled }
}
