//! Turns that callers give: who waits for an answer and has woken the actor runs it, instead of
//! handing it to a worker and sleeping until that is done (`messaging/ask/call.rs`).
//!
//! PROTOCOL
//! 1. A caller enters, then looks whether the pool ends. If so it leaves, and the task goes the
//!    ordinary way; otherwise it gives a turn, and leaves after its last access to an actor.
//! 2. Who ends the pool says so, then waits until nobody is within. Between the two steps of both
//!    sides stands a full fence: either the caller sees the end, or who ends sees the caller. So
//!    when nobody is within any more, nobody gives turns, and the actors that are left can be
//!    ended.
//! 3. What a caller does not finish it queues before it leaves, so a pool in which nobody is within
//!    and no queue holds a task has nothing under way.
//!
//! Callers of different threads count on different cache lines: on one of them they would pay more
//! for the counting than for the turn. Covered by `callers/loom.rs`.

use std::mem::offset_of;
use std::ptr;

use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_sync::{AbortGuard, fence_after_rmw};

use super::pool::PoolShared;
use crate::process::config::{Config, Hooks};
use crate::process::current::{self, Current};
use crate::process::home::Home;
use crate::process::submit::CallersWork;
use crate::process::task::Task;
use crate::process::turn_limits::TurnLimits;
use crate::process::unanswered;

/// TUNE: cache lines among which callers are spread.
const LINES: usize = if cfg!(any(odeon_loom, odeon_shuttle)) { 1 } else { 8 };

/// Messages in a caller's turn: its own. What others have sent meanwhile it leaves to the workers:
/// it may take long, or wait for this very caller.
const OWN: u32 = 1;

/// Who gives turns beside the workers of a pool.
pub(super) struct Callers {
    lines: [CachePadded<Line>; LINES],
    /// Whether turns may be given on threads that are not the theater's.
    are_allowed: bool,
}

/// How many callers have come and gone. What comes counts first, so it is never less.
#[derive(Default)]
struct Line {
    entered: AtomicU64,
    left: AtomicU64,
}

impl Callers {
    pub(super) fn new(config: &Config, hooks: &Hooks) -> Self {
        Self {
            lines: std::array::from_fn(|_| CachePadded::default()),
            are_allowed: config.stack_size.is_none() && !hooks.is_of_threads,
        }
    }

    /// How many have ever come, if nobody is within: two equal answers say that nobody was in
    /// between.
    pub(super) fn all_gone(&self) -> Option<u64> {
        self.lines.iter().try_fold(0, |sum, line| {
            // ORDERING: SeqCst: what who has left has done is seen; partner of the addition in
            // `Within`, behind which a shutdown that waits is looked for. In this order: if as many
            // had left before as have come after, nobody was within.
            let left = line.left.load(Ordering::SeqCst);
            let entered = line.entered.load(Ordering::Acquire);
            (entered == left).then_some(sum + entered)
        })
    }

    /// Rule 1. `None`: the pool ends.
    fn enter<'a>(&'a self, here: &Current, is_ending: impl FnOnce() -> bool) -> Option<Within<'a>> {
        let line = &self.lines[line_of(here)];
        line.entered.fetch_add(1, Ordering::AcqRel);
        // ORDERING: rule 2, before the look that `is_ending` takes; partner: the fence in
        // `PoolShared::end`.
        fence_after_rmw();
        let within = Within(line);
        (!is_ending()).then_some(within)
    }
}

/// A caller that may give turns.
struct Within<'a>(&'a Line);

impl Drop for Within<'_> {
    fn drop(&mut self) {
        // ORDERING: what the turns have done comes before; and a shutdown that waits is seen behind
        // it (`TheaterShared::tell_shutdown`).
        self.0.left.fetch_add(1, Ordering::SeqCst);
    }
}

/// The line of this thread. Its thread-local variables lie some pages from those of any other one;
/// Fibonacci hashing (Knuth, TAOCP 3, 6.4) tells them apart.
fn line_of(here: &Current) -> usize {
    let page = (ptr::from_ref(here).addr() >> 12) as u64;
    (page.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % LINES
}

impl Home {
    /// A thread that gives turns as one of these.
    pub(crate) fn callers(pool: &PoolShared) -> Self {
        // Otherwise it would be taken for a worker.
        const { assert!(offset_of!(PoolShared, callers) != 0) };
        Self::at_no_stage(ptr::from_ref(&pool.callers).cast())
    }
}

/// Does work for an actor on this thread, which belongs to no stage and waits for what comes of it.
/// `false`: it does not.
pub(super) fn work(pool: &PoolShared, work: &mut CallersWork<'_>) -> bool {
    let here = current::here();
    // ORDERING: Relaxed: rule 2, behind the fence of `enter`.
    let is_ending = || pool.ending.load(Ordering::Relaxed);
    let within = match pool.callers.are_allowed {
        true => pool.callers.enter(here, is_ending),
        false => None,
    };
    let Some(within) = within else { return false };
    // A turn catches the panics of handlers.
    let guard = AbortGuard::new("turn given by a caller");
    // The actor sends in its own name.
    let before = (here.home.replace(Home::callers(pool)), here.lane.replace(0));
    let mut left = do_one(pool, work);
    if left.is_some() && is_ending() {
        // It has been told to end, which it does in its next turn.
        let mut next = left.take();
        let last_turn =
            &mut |limits: &TurnLimits<'_>| next.take().and_then(|task| task.run(limits).1);
        if let Some(task) = do_one(pool, last_turn) {
            task.forget();
        }
    }
    if let Some(task) = left {
        pool.injector.push(task);
        pool.work_added();
    }
    here.home.set(before.0);
    here.lane.set(before.1);
    unanswered::settle();
    here.handled.set(0);
    guard.disarm();
    drop(within);
    pool.theater.tell_shutdown();
    true
}

/// What else there is to do comes back.
fn do_one(pool: &PoolShared, work: &mut CallersWork<'_>) -> Option<Task> {
    let limits = TurnLimits { messages: OWN, ..pool.theater.limits() };
    let Some(around) = &pool.theater.hooks().thread_context else { return work(&limits) };
    let (mut is_done, mut left) = (false, None);
    around(&mut || {
        left = work(&limits);
        is_done = true;
    });
    assert!(is_done, "a context must call what it is given");
    left
}

#[cfg(all(test, odeon_loom))]
mod loom;
