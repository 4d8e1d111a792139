//! What closures want done after the end of their attempt.

use crate::words::contained::lose;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

type Act = Box<dyn FnOnce() + Send>;

/// See the module; each list in the order in which it was made.
#[derive(Default)]
pub(crate) struct Hooks {
    on_commit: Vec<Act>,
    on_rollback: Vec<OnRollback>,
    /// What undone parts wanted done after a commit.
    never: Vec<Act>,
}

struct OnRollback {
    act: Act,
    /// Whether it belongs to a part that was undone, so that it is called also if the attempt
    /// commits.
    is_undone: bool,
}

/// How many hooks of each kind there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HookCount {
    on_commit: usize,
    on_rollback: usize,
}

/// How the attempt has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Committed,
    RolledBack,
}

impl Hooks {
    pub(crate) fn on_commit(&mut self, act: Act) {
        self.on_commit.push(act);
    }

    pub(crate) fn on_rollback(&mut self, act: Act) {
        self.on_rollback.push(OnRollback { act, is_undone: false });
    }

    pub(crate) fn count(&self) -> HookCount {
        HookCount { on_commit: self.on_commit.len(), on_rollback: self.on_rollback.len() }
    }

    /// The part that began at `count` was undone. Nothing is dropped here: the attempt goes on, and
    /// drops are anybody's code.
    pub(crate) fn undo(&mut self, count: HookCount) {
        self.never.extend(self.on_commit.drain(count.on_commit..));
        self.on_rollback[count.on_rollback..].iter_mut().for_each(|hook| hook.is_undone = true);
    }
}

/// Calls each hook that is for this end once, in order, and drops the others. To be called outside
/// of any transaction. One that panics does not keep the others from being called; the first panic
/// goes on after the last of them, unless this thread panics already.
#[cold]
pub(crate) fn call(hooks: Hooks, ended: Ended) {
    let Hooks { on_commit, on_rollback, never } = hooks;
    let is_committed = ended == Ended::Committed;
    let on_rollback =
        on_rollback.into_iter().map(|hook| (hook.is_undone || !is_committed, hook.act));
    let on_commit = on_commit.into_iter().map(|act| (is_committed, act));
    let never = never.into_iter().map(|act| (false, act));
    let mut panic = None;
    for (is_due, act) in on_rollback.chain(on_commit).chain(never) {
        let ended = catch_unwind(AssertUnwindSafe(|| if is_due { act() } else { drop(act) }));
        match ended {
            Err(first) if panic.is_none() => panic = Some(first),
            Err(other) => lose(other),
            Ok(()) => {}
        }
    }
    match panic {
        Some(panic) if std::thread::panicking() => lose(panic),
        Some(panic) => resume_unwind(panic),
        None => {}
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.count(), f)
    }
}
