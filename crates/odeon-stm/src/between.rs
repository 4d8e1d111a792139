//! Between two attempts of a transaction: what to wait for, and when to run alone.

use crate::abort::Cause;
use crate::attempt::{Attempt, Stopped};
use crate::version_word::Held;
use crate::wakeup::Wait;
use odeon_sync::{Backoff, Parker};
use std::sync::Arc;
use std::task::{Wake, Waker};

/// TUNE: rollbacks by conflicts after which a transaction runs alone. Guessed: with this many in a row
/// the variables are contended beyond what waiting mends.
pub(crate) const ROLLBACKS_UNTIL_IRREVOCABLE: u32 = 16;

/// TUNE: the longest wait after a rollback by a conflict, as a power of two of spins.
const LONGEST_SPIN: u32 = 10;

/// What a transaction waits for before its next attempt.
#[derive(Debug)]
pub(crate) enum Next {
    /// A while, longer after each rollback.
    AWhile,
    /// Something that somebody else will do.
    Event { wait: Wait<'static>, sleeper: Arc<Sleeper>, counts: bool },
}

/// A sleeping thread.
#[derive(Debug, Default)]
pub(crate) struct Sleeper(Parker);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What the attempt that was `stopped`, and has not ended, has to wait for.
///
/// # Panics
///
/// Panics if it asked to retry and has read nothing.
#[track_caller]
pub(crate) fn next(attempt: &Attempt, stopped: Stopped) -> Next {
    let sleeper = Arc::new(Sleeper::default());
    let new = || Wait::new(&attempt.domain.waits, Waker::from(sleeper.clone()));
    let wait = match stopped.cause {
        Cause::Retry => {
            let mut wait = new();
            on_reads(attempt, &mut wait);
            wait
        }
        Cause::Prepared => {
            let mut wait = new();
            on_prepared(stopped, &mut wait);
            wait
        }
        Cause::Irrevocable => {
            let mut wait = new();
            attempt.domain.gate.wait(&mut wait);
            wait
        }
        _ => return Next::AWhile,
    };
    // A wait for a prepared attempt or an irrevocable one is no sign that this transaction starves.
    Next::Event { wait, sleeper, counts: false }
}

/// Enters `wait` for a change of anything that `attempt` has read.
#[track_caller]
pub(crate) fn on_reads(attempt: &Attempt, wait: &mut Wait<'_>) {
    assert!(attempt.reads.len() > 0, "a retry of a transaction that has read nothing would wait for ever");
    for read in attempt.reads.as_slice() {
        wait.on_change(read.cell(), |word| attempt.is_unchanged(read.word, word));
    }
}

/// Enters `wait` for the outcome of the prepared attempt that has `stopped` another one.
pub(crate) fn on_prepared(stopped: Stopped, wait: &mut Wait<'_>) {
    let cell = stopped.cell.expect("a prepared attempt is met at a variable");
    // SAFETY: the stopped attempt has not ended, so the cell lives (see `Read`).
    let cell = unsafe { &*cell };
    wait.on_change(cell, |word| matches!(word.held(), Held::PreparedWrite | Held::PreparedRead));
}

/// Sees to it that nobody but `attempt`, which has not begun, commits.
pub(crate) fn close_gate(attempt: &Attempt) {
    let (domain, slot) = (attempt.domain, attempt.slot.number());
    while !domain.gate.close(slot) {
        let sleeper = Arc::new(Sleeper::default());
        let mut wait = Wait::new(&domain.waits, Waker::from(sleeper.clone()));
        domain.gate.wait(&mut wait);
        sleep(&wait, &sleeper);
    }
}

fn sleep(wait: &Wait<'_>, sleeper: &Sleeper) {
    while !wait.is_over() {
        sleeper.0.park();
    }
}

impl Next {
    /// Whether the rollback speaks for running alone.
    pub(crate) fn counts(&self) -> bool {
        match self {
            Self::AWhile => true,
            Self::Event { counts, .. } => *counts,
        }
    }

    /// Waits; `rollbacks` is how often in all this transaction was rolled back by conflicts.
    pub(crate) fn wait(self, rollbacks: u32) {
        match self {
            Self::AWhile => {
                let mut backoff = Backoff::new();
                for _ in 0..rollbacks.min(LONGEST_SPIN) {
                    backoff.wait();
                }
            }
            Self::Event { wait, sleeper, .. } => sleep(&wait, &sleeper),
        }
    }
}
