//! The end of a theater, in phases; each names what holds after it.
//!
//! 1. *Drain*: no message is waiting, no turn runs and no handler waits, or the deadline has
//!    passed. Pending timers and pipes are not waited for.
//! 2. *Farewells*: the theater has left the networks that it had joined, or a moment has passed.
//! 3. *Stop*: all timers have been dropped; every live actor has been told to end, and new ones end
//!    at once; all have ended, or the grace period has passed.
//! 4. *End of the threads*: no thread of the theater runs, except those of stuck actors. One that
//!    comes back later ends the actors that wait there for a turn.
//! 5. *Dismantling*: unless something is stuck, actors that never got to their end are ended here;
//!    but not those of stages that are not the theater's (`scheduler/foreign.rs`).

use std::ptr::NonNull;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use odeon_sync::atomic::Ordering;

use super::TheaterParts;
use crate::mailbox::label;
use crate::process::cell::{Header, signal};
use crate::process::current;
use crate::process::home::Home;
use crate::runtime::farewells::Farewells;
use crate::runtime::naming::Naming;
use crate::scheduler::pool::PoolShared;
use crate::scheduler::timers;
use crate::vocabulary::dead_letter::{DeadLetter, DeadLetterCounts};

/// How long after the deadline the message that an actor is handling may still take.
const GRACE: Duration = Duration::from_secs(1);

/// TUNE: ms, guessed 2026-11: how long farewells may take. Some round trips, and a packet that is
/// lost and sent again; little beside what a shutdown may take otherwise.
const FAREWELL: Duration = Duration::from_millis(300);

/// Longer than anybody waits: what a deadline is that no clock can tell.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

fn moment_after(delay: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(delay).unwrap_or_else(|| now + FOR_EVER)
}

/// What a [`Theater::shutdown`](crate::Theater::shutdown) came to.
#[derive(Debug)]
#[must_use = "the report holds the messages that were not handled"]
pub struct StopReport {
    /// Whether there was a moment before the deadline at which no message could be handled any
    /// more, and no asynchronous handler waited: `false` if one was cut off. Messages in closed
    /// mailboxes, and those sent later from outside or by `stopped`, are among the leftovers all
    /// the same.
    pub drained: bool,
    /// The messages that were not handled.
    pub leftovers: Vec<DeadLetter>,
    /// Actors that could not be ended because a thread did not come back from a message in time.
    /// They are left to that thread: if it comes back it ends those that wait for a turn there, and
    /// then itself. Among them are those on a stage that is not the theater's, which have not been
    /// given a turn in time.
    pub stuck: usize,
    /// How many messages were not handled in the whole life of the theater, by reason; among them
    /// the leftovers.
    pub dead_letters: DeadLetterCounts,
}

impl TheaterParts {
    /// Stops without draining and without a report. On a stage's thread this happens in the
    /// background: the thread may be one that has to end first, and the actors beside it should not
    /// wait.
    pub(super) fn stop_unattended(self: &Arc<Self>) {
        if current::here().home.get() == Home::NOWHERE {
            let _ = self.stop(None);
            return;
        }
        if self.shared.is_stopping() {
            return;
        }
        let parts = self.clone();
        let reaper = thread::Builder::new()
            .name("odeon-shutdown".into())
            .spawn(move || drop(parts.stop(None)));
        if reaper.is_err() {
            // Without a thread to wait on, telling everybody to end must do.
            self.tell_to_end();
        }
    }

    /// Stops because of a failure that came up to the root, in the turn of an actor.
    pub(super) fn stop_for_failure(self: &Arc<Self>) {
        if self.shared.is_driven_from_outside() {
            // Nobody may end the actors here: whoever drives the stage has tasks of theirs. They
            // end in the turns that these are for.
            self.tell_to_end();
        } else {
            self.stop_unattended();
        }
    }

    fn tell_to_end(&self) {
        self.shared.set_stopping();
        self.stop_all_actors();
        // Last: it releases actors that pause before a restart, which are to find that they have to
        // end.
        timers::of(&self.shared).end();
    }

    /// Whether the present thread belongs to one of this theater's stages or to its timers.
    pub(super) fn is_own_thread(&self) -> bool {
        let here = current::here().home.get();
        let stages = self.pinned.lock().expect("nothing panics under this lock");
        let is_of_pool = |pool: &Arc<PoolShared>| {
            here == Home::submitting(&**pool) || here == Home::callers(pool)
        };
        self.pool.as_ref().is_some_and(is_of_pool)
            || here == Home::timers(timers::of(&self.shared))
            || stages.iter().any(|stage| here == Home::pinned(stage))
    }

    /// `drain`: how long to wait for messages under way; `None` to stop at once. Not on a thread of
    /// this theater, which would wait for itself.
    pub(super) fn stop(&self, drain: Option<Duration>) -> StopReport {
        if drain.is_some() {
            *self.shared.leftovers.lock().expect("nothing panics under this lock") =
                Some(Vec::new());
        }
        // This thread waits, and may be one that would have polled them.
        self.pool.iter().for_each(PoolShared::take_over);
        let deadline = moment_after(drain.unwrap_or_default());
        let drained = drain.is_some() && self.drain(deadline);
        let farewells = Instant::now();
        // Nobody else brings on what a theater without threads would wait for.
        Farewells::of(&self.shared).say(if self.pool.is_some() {
            FAREWELL
        } else {
            Duration::ZERO
        });
        let last_moment = Instant::now().min(deadline + farewells.elapsed()) + GRACE;
        let me = thread::current().id();
        if self.ender.set(me).is_ok() {
            self.end(last_moment);
        } else if self.ender.get() != Some(&me) {
            // A failure at the root and its owner may both end a theater; what is ended by two at
            // once would be ended twice. The other one takes as long as this would, at most.
            self.wait_until(last_moment + GRACE, || self.has_ended());
        }
        let stuck = self.shared.registry.len();
        // They are of the shutdown that asked for them.
        let leftovers = drain.and_then(|_| {
            self.shared.leftovers.lock().expect("nothing panics under this lock").take()
        });
        let dead_letters = self.shared.dead_letter_counts();
        StopReport { drained, leftovers: leftovers.unwrap_or_default(), stuck, dead_letters }
    }

    /// Phase 1; `false` if there was no quiet moment before the deadline, or before somebody else
    /// stopped the theater.
    fn drain(&self, deadline: Instant) -> bool {
        self.wait_until(deadline, || self.shared.is_stopping() || self.is_quiet())
            && !self.shared.is_stopping()
    }

    /// Phases 3 to 5, once.
    fn end(&self, last_moment: Instant) {
        self.tell_to_end();
        // A theater whose stage is driven from outside has no thread that could end its actors.
        if self.pool.is_some() {
            self.wait_until(last_moment, || self.shared.registry.len() == 0);
        }
        if self.end_threads(last_moment) {
            self.dismantle();
        }
        Naming::of(&self.shared).clear(&self.shared);
        // ORDERING: Release: whoever waits for the end sees all of it (Acquire in `has_ended`).
        self.ended.store(true, Ordering::Release);
        self.shared.tell_shutdown();
    }

    fn has_ended(&self) -> bool {
        // ORDERING: Acquire: as above.
        self.ended.load(Ordering::Acquire)
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

    /// Whether there was a moment at which no turn ran, no message waited and no handler did.
    ///
    /// Two looks at every stage: if each slept at both and has not slept anew in between, all slept
    /// at every moment between the two. What handlers were at in between they were at all the time:
    /// only turns change it.
    fn is_quiet(&self) -> bool {
        let look = || {
            let pinned = self.pinned.lock().expect("nothing panics under this lock");
            let pool = self.pool.iter().map(|pool| pool.all_sleep());
            pool.chain(pinned.iter().map(|stage| stage.is_asleep())).collect::<Vec<_>>()
        };
        let first = look();
        let asleep = first.iter().all(|&(asleep, _)| asleep);
        asleep && self.shared.parked() == 0 && !self.any_handler_waits() && first == look()
    }

    /// Whether an asynchronous handler waits, and may go on. In a theater that is driven from
    /// outside none does while its driver waits here.
    fn any_handler_waits(&self) -> bool {
        // SAFETY: actors in the registry are alive, and the lock keeps them there.
        let waits = |cell: NonNull<Header>| unsafe { (cell.as_ref().vtable.is_waiting)(cell) };
        self.pool.is_some() && self.shared.registry.any_is(waits)
    }

    /// Waits until `condition` holds; `false` if `deadline` comes first. Woken by stages that fall
    /// asleep and actors that end.
    fn wait_until(&self, deadline: Instant, condition: impl Fn() -> bool) -> bool {
        // ORDERING: SeqCst: the partner is `TheaterShared::tell_shutdown`.
        self.shared.shutdown_waits.store(true, Ordering::SeqCst);
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
    fn end_threads(&self, last_moment: Instant) -> bool {
        self.shared.wait_no_longer();
        if let Some(pool) = &self.pool {
            pool.end();
        }
        for stage in &*self.pinned.lock().expect("nothing panics under this lock") {
            stage.end();
        }
        let threads = std::mem::take(&mut *self.threads.lock().expect("nothing panics here"));
        // However late it is, threads that are only told now get a moment to return.
        let last_moment = last_moment.max(Instant::now() + GRACE / 10);
        let have_no_callers = || self.pool.as_ref().is_none_or(|pool| pool.has_no_callers());
        let have_returned = || self.shared.running_threads() == 0 && have_no_callers();
        let returned = self.wait_until(last_moment, have_returned);
        if returned {
            let of_pool = self.pool.iter().flat_map(|pool| pool.take_threads());
            let of_timers = timers::of(&self.shared).take_thread();
            for thread in threads.into_iter().chain(of_pool).chain(of_timers) {
                // A stage's thread catches the panics of actors; its own would have aborted.
                let _ = thread.join();
            }
        }
        returned
    }

    /// Ends the actors that no thread will end any more: those of a theater whose stage is driven
    /// from outside, and those that were created too late for a turn.
    fn dismantle(&self) {
        while let Some(cell) = self.shared.registry.find(|header| self.gives_turns_to(header)) {
            // SAFETY: only threads of the theater give turns to such an actor, and none is left, so
            // it is ours (who drives a stage from outside has promised that it gives none:
            // `theater_on_stage`); it leaves the registry by ending, so it is found once.
            unsafe { (cell.as_ref().vtable.end)(cell) }
        }
    }

    /// Whether the actor is on a stage of this theater, and not on one that the theater does not
    /// know (`scheduler/foreign.rs`).
    fn gives_turns_to(&self, actor: &Header) -> bool {
        actor.pinned().is_some() || Arc::ptr_eq(&actor.stage, &self.default_stage)
    }
}
