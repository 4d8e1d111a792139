//! One message: its attempts, until one has committed or the message is given up.

use crate::access::Access;
use crate::board::How;
use crate::context::{Me, SpeculativeContext};
use crate::exit::{Closed, Exit};
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
        let message = std::slice::from_ref(&job.message);
        let handled =
            self.until_decided(message, job.access == Access::Snapshot, outbox, |tx, ctx| {
                state.handle(&message[0], tx, ctx)
            });
        match handled {
            Handled::Waits(_) | Handled::Contended if job.access == Access::Exclusive => {
                Handled::Failed(Box::new(NOT_ALONE))
            }
            handled => handled,
        }
    }

    /// Has the actor's state started.
    pub(crate) fn of_start(&self, state: &'a A, outbox: &mut Outbox) -> Handled {
        self.until_decided(&[], false, outbox, |tx, ctx| state.started(tx, ctx))
    }

    fn until_decided(
        &self,
        message: &'a [A::Msg],
        is_read: bool,
        outbox: &mut Outbox,
        handler: impl for<'t> Fn(&mut Tx<'t, 'a>, &mut SpeculativeContext<'a, A>) -> TxResult,
    ) -> Handled {
        let mut mode = match self.how {
            How::Logged => Mode::Logged,
            How::Direct | How::Alone => Mode::Direct,
            How::Snapshot => Mode::Snapshot,
        };
        let mut backoff = Backoff::new();
        for _ in 0..ATTEMPTS {
            let mut ctx = SpeculativeContext::new(self.me, message);
            let attempt = || attempt_here(mode, |tx| handler(tx, &mut ctx));
            let ended = catch_unwind(AssertUnwindSafe(|| outbox.hold_during(attempt)));
            let ended = self.decide(ended, ctx.wants_stop(), is_read, outbox);
            if !outbox.is_empty() {
                // A destructor of what was to be sent may panic; nothing of that concerns the actor.
                let _ = catch_unwind(AssertUnwindSafe(|| outbox.discard()));
            }
            match ended {
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
    fn decide(
        &self,
        ended: std::thread::Result<Attempted<FinishedHere<'a>, (), HandlerError>>,
        is_last: bool,
        is_read: bool,
        outbox: &mut Outbox,
    ) -> Result<Handled, RolledBack> {
        match ended {
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
        }
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
