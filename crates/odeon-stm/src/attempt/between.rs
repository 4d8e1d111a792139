//! Between two attempts of a transaction: what to wait for, and when to run alone.

use crate::attempt::thread_cache::wake_outside;
use crate::attempt::{Attempt, Mode, Stopped};
use crate::domain::wakeup::{Awaits, VariableWait};
use crate::words::abort::Cause;
use crate::words::version_word::VariableHolder;
use odeon_sync::{Backoff, Parker, interruption};
use std::sync::Arc;
use std::task::{Wake, Waker};

/// TUNE: rollbacks by conflicts after which a transaction runs alone. Guessed: with this many in a
/// row the variables are contended beyond what waiting mends.
pub(crate) const ROLLBACKS_UNTIL_IRREVOCABLE: u32 = 16;

/// TUNE: steps of the longest pause after a rollback by a conflict; the later ones yield the
/// processor.
const LONGEST_PAUSE: u32 = 10;

/// Whether `attempt`, which has not been rolled back yet, would wait for ever.
pub(crate) fn waits_for_nothing(attempt: &Attempt) -> bool {
    let retries = attempt.stopped.is_some_and(|stopped| stopped.cause == Cause::Retry);
    retries && attempt.mode == Mode::Logged && attempt.all_reads().next().is_none()
}

/// What to say of it, when everything is in order again.
pub(crate) const WAITS_FOR_NOTHING: &str =
    "a retry of a transaction that has read nothing would wait for ever";

/// Why an attempt has ended without a commit, and the event to wait for before another one, if it
/// is not just a conflict.
#[derive(Debug)]
pub(crate) struct AttemptVerdict {
    pub(crate) cause: Cause,
    /// The label of the variable at which it happened.
    pub(crate) label: Option<&'static str>,
    pub(crate) event: Option<VariableWait<'static>>,
}

/// Rolls `attempt` back and ends it. What there is to wait for is entered before, while the
/// attempt's variables are safe to use and its logs are there.
pub(crate) fn roll_back(attempt: &mut Attempt, otherwise: Cause) -> AttemptVerdict {
    let stopped = stopped(attempt, otherwise);
    let event = event(attempt, stopped);
    let label = attempt.roll_back(stopped);
    attempt.end();
    AttemptVerdict { cause: stopped.cause, label, event }
}

/// As [`roll_back`], of a step of `attempt` only: that goes on, and the caller undoes the step.
pub(crate) fn step_back(attempt: &mut Attempt, otherwise: Cause) -> AttemptVerdict {
    let stopped = stopped(attempt, otherwise);
    let event = event(attempt, stopped);
    let label = attempt.count(stopped);
    attempt.stopped = None;
    AttemptVerdict { cause: stopped.cause, label, event }
}

fn stopped(attempt: &Attempt, otherwise: Cause) -> Stopped {
    let mut stopped = attempt.stopped.unwrap_or(Stopped { cause: otherwise, cell: None });
    if stopped.cause == Cause::Retry && attempt.mode != Mode::Logged {
        stopped.cause = Cause::CannotWait;
    }
    stopped
}

fn event(attempt: &Attempt, stopped: Stopped) -> Option<VariableWait<'static>> {
    let awaits = if stopped.cause == Cause::Retry { Awaits::Change } else { Awaits::Release };
    let mut wait = VariableWait::new(&attempt.domain.waits, awaits, wake_outside);
    match stopped.cause {
        Cause::Retry => {
            for (cell, read) in attempt.all_reads() {
                wait.on_change(cell, |word| {
                    // Until the attempt itself lets go of it, if it holds it.
                    attempt.has_taken(word) || attempt.is_unchanged(read, word)
                });
            }
        }
        Cause::Prepared => on_prepared(attempt, stopped, &mut wait),
        Cause::Irrevocable => attempt.domain.gate.wait(&mut wait),
        _ => return None,
    }
    Some(wait)
}

/// Enters `wait` for the outcome of the prepared attempt that has `stopped` this one.
fn on_prepared(attempt: &Attempt, stopped: Stopped, wait: &mut VariableWait<'_>) {
    let cell = stopped.cell.expect("a prepared attempt is met at a variable");
    // SAFETY: the stopped attempt has not ended, so the cell lives (see `Read`).
    let cell = unsafe { &*cell };
    // Who protects it too waits until it is the only one.
    let own = u64::from(attempt.protected.is_known_to_hold(cell));
    wait.on_change(cell, |word| match word.held() {
        VariableHolder::PreparedWrite => true,
        VariableHolder::PreparedRead => word.protectors() > own,
        VariableHolder::Free | VariableHolder::Committing => false,
    });
}

/// Sees to it that nobody but `attempt`, which has not begun, commits.
pub(crate) fn close_gate(attempt: &Attempt) {
    let (domain, slot) = (attempt.domain, attempt.slot.number());
    while !domain.gate.close(slot) {
        let mut wait = VariableWait::new(&domain.waits, Awaits::Release, wake_outside);
        domain.gate.wait(&mut wait);
        sleep_until(&wait);
    }
}

/// Blocks the thread until the event of `wait` has happened.
pub(crate) fn sleep_until(wait: &VariableWait<'_>) {
    if interruption::wait_until(|| wait.is_over()) {
        return;
    }
    let sleeper = Arc::new(Sleeper::default());
    wait.set_waker(Waker::from(sleeper.clone()));
    while !wait.is_over() {
        sleeper.0.park();
    }
}

/// A sleeping thread.
#[derive(Debug, Default)]
struct Sleeper(Parker);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits after the transaction was rolled back by conflicts for the `rollbacks`th time.
pub(crate) fn pause(rollbacks: u32) {
    let mut backoff = Backoff::new();
    for _ in 0..rollbacks.min(LONGEST_PAUSE) {
        backoff.wait();
    }
}
