//! The end of a theater, in phases; each names what holds after it.
//!
//! 1. *Drain*: no message is waiting and no turn runs, or the deadline has passed.
//! 2. *Stop*: every live actor has been told to end, and new ones end at once; all have ended, or
//!    the grace period has passed.
//! 3. *End of the threads*: no thread of the theater runs, except those of stuck actors.
//! 4. *Dismantling*: unless something is stuck, actors that never got to their end are ended here.

use std::time::{Duration, Instant};

use odeon_sync::atomic::Ordering;

use super::Theater;
use crate::cell::signal;
use crate::current;
use crate::dead_letter::DeadLetter;
use crate::mailbox::label;
use crate::scheduler::home::Home;

/// How long after the deadline the message that an actor is handling may still take.
const GRACE: Duration = Duration::from_secs(1);

/// What a [`Theater::shutdown`] came to.
#[derive(Debug)]
#[must_use = "the report holds the messages that were not handled"]
pub struct StopReport {
    /// Whether all messages that could be handled had been before the deadline. Messages in closed
    /// mailboxes cannot; they are among the leftovers.
    pub drained: bool,
    /// The messages that were not handled.
    pub leftovers: Vec<DeadLetter>,
    /// Actors that could not be ended because a thread did not come back from a message in time.
    /// They and the theater's threads are left as they are.
    pub stuck: usize,
}

impl Theater {
    /// `drain`: how long to wait for messages under way; `None` to stop at once.
    pub(super) fn stop(&self, drain: Option<Duration>) -> StopReport {
        let on_own_thread = current::here().home.get() != Home::NOWHERE;
        if !self.shared.is_stopping() && drain.is_some() {
            *self.shared.leftovers.lock().expect("nothing panics under this lock") =
                Some(Vec::new());
        }
        let deadline = Instant::now() + drain.unwrap_or_default();
        // A theater dropped by one of its own actors cannot wait for that actor.
        let may_wait = !on_own_thread;
        let drained = may_wait && drain.is_some() && self.wait_until(deadline, || self.is_quiet());
        self.shared.set_stopping();
        self.stop_all_actors();
        // A theater whose stage is driven from outside has no thread that could end its actors.
        if may_wait && self.pool.is_some() {
            self.wait_until(deadline + GRACE, || self.shared.registry.len() == 0);
        }
        let returned = self.end_threads(on_own_thread);
        if returned {
            self.dismantle();
        }
        let stuck = self.shared.registry.len();
        let leftovers =
            self.shared.leftovers.lock().expect("nothing panics under this lock").take();
        StopReport { drained, leftovers: leftovers.unwrap_or_default(), stuck }
    }

    fn stop_all_actors(&self) {
        self.shared.registry.for_each(|cell| {
            // SAFETY: actors in the registry are alive, and the lock keeps them there.
            unsafe {
                // ORDERING: Release: as in `ActorRef::stop`.
                cell.as_ref().signals.fetch_or(signal::STOP, Ordering::Release);
                (cell.as_ref().vtable.signal)(cell, label::WAKE);
            }
        });
    }

    /// Whether there was a moment at which no turn ran and no message waited.
    ///
    /// Two looks at every stage: if each slept at both and has not slept anew in between, all slept
    /// at every moment between the two.
    fn is_quiet(&self) -> bool {
        let look = || {
            let pinned = self.pinned.lock().expect("nothing panics under this lock");
            let pool = self.pool.iter().map(|pool| pool.all_sleep());
            pool.chain(pinned.iter().map(|stage| stage.is_asleep())).collect::<Vec<_>>()
        };
        let first = look();
        first.iter().all(|&(asleep, _)| asleep) && first == look()
    }

    /// Waits until `condition` holds; `false` if `deadline` comes first. Woken by stages that fall
    /// asleep and actors that end.
    fn wait_until(&self, deadline: Instant, condition: impl Fn() -> bool) -> bool {
        // ORDERING: SeqCst: the partner is `TheaterShared::tell_watcher`.
        self.shared.watched.store(true, Ordering::SeqCst);
        let (count, signal) = &self.shared.changed;
        loop {
            let seen = *count.lock().expect("nothing panics under this lock");
            if condition() {
                return true;
            }
            let mut guard = count.lock().expect("nothing panics under this lock");
            while *guard == seen {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                guard = signal.wait_timeout(guard, left).expect("nothing panics under this lock").0;
            }
        }
    }

    /// Tells all threads to return, and waits for them; `false` if one does not come back.
    fn end_threads(&self, on_own_thread: bool) -> bool {
        if let Some(pool) = &self.pool {
            pool.end();
        }
        for stage in &*self.pinned.lock().expect("nothing panics under this lock") {
            stage.end();
        }
        let threads = std::mem::take(&mut *self.threads.lock().expect("nothing panics here"));
        let returned = !on_own_thread
            && self.wait_until(Instant::now() + GRACE, || self.shared.running_threads() == 0);
        if returned {
            for thread in threads {
                // A stage's thread catches the panics of actors; its own would have aborted.
                let _ = thread.join();
            }
        }
        returned
    }

    /// Ends the actors that no thread will end any more: those of a theater whose stage is driven
    /// from outside, and those that were created too late for a turn.
    fn dismantle(&self) {
        while let Some(cell) = self.shared.registry.any() {
            // SAFETY: no thread of the theater is left, so the actor is ours; it leaves the
            // registry by ending, so it is found once.
            unsafe { (cell.as_ref().vtable.end)(cell) }
        }
    }
}
