//! The timers of one theater: its clock in ticks, and who fires what is due.
//!
//! A theater with threads starts one more with its first timer. It sleeps until the earliest timer
//! is due, without limit if there is none. A theater on a stage that is driven from outside has
//! none: whoever drives the stage fires its timers too.

mod pending;
pub(crate) mod repeat;
mod wheel;

use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_utils::CachePadded;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::thread::JoinHandle;

pub(crate) use wheel::TimerKey;

use pending::{Pending, TimerAction};

use crate::process::current;
use crate::process::home::Home;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::contain::contain;

/// What a timer does when it is due: quick, and without blocking, since all timers of its theater
/// share a thread. It may panic. If it is not to fire any more it is dropped, on any thread.
pub(crate) type Action = Box<dyn FnOnce() + Send>;

/// A clock that stands still is looked at this often while a timer is pending.
const STANDSTILL: Duration = Duration::from_millis(1);

/// The timers of one theater.
pub(crate) struct Timers {
    pending: Pending<Action>,
    /// Whether somebody fires timers: the thread has been started, or is not needed.
    driven: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Who fires a theater's timers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    /// A thread of its own.
    Thread,
    /// Whoever drives its stage.
    Outside,
}

impl Timers {
    pub(crate) fn new(driver: Driver) -> Self {
        Self {
            pending: Pending::new(),
            driven: AtomicBool::new(driver == Driver::Outside),
            thread: Mutex::default(),
        }
    }

    /// Drops everything pending, on this thread and containing panics; later timers are dropped at
    /// once. The thread returns.
    pub(crate) fn end(&self) {
        self.pending.end().for_each(|action| contain(|| drop(action)));
    }

    /// The thread, to be joined, if it was started.
    pub(crate) fn take_thread(&self) -> Option<JoinHandle<()>> {
        self.thread.lock().expect("nothing panics under this lock").take()
    }

    /// Fires what is due until the theater stops.
    fn run(&self, theater: &TheaterShared) {
        let here = current::here();
        here.home.set(Home::timers(self));
        let mut due = Vec::new();
        let mut seen = Duration::MAX;
        loop {
            let now = theater.now();
            match self.pending.look(last_tick_by(now), &mut due) {
                TimerAction::Look => due.drain(..).for_each(contain),
                TimerAction::Sleep(None) => self.pending.parker().park(),
                TimerAction::Sleep(Some(tick)) => {
                    let left = time_of(tick).saturating_sub(theater.now());
                    let left = if seen == now { left.max(STANDSTILL) } else { left };
                    seen = now;
                    self.pending.parker().park_timeout(left);
                }
                TimerAction::Return => break,
            }
        }
        here.home.set(Home::NOWHERE);
    }
}

impl Home {
    /// The thread of these timers.
    pub(crate) fn timers(timers: &Timers) -> Self {
        Self::at_no_stage(ptr::from_ref(timers).cast())
    }
}

/// The timers of a theater.
pub(crate) fn of(theater: &TheaterShared) -> &CachePadded<Timers> {
    // On cache lines of its own: written by whoever arms a timer.
    theater.attachments.get().expect("a theater has its timers from its building on")
}

impl TheaterShared {
    /// Has `action` run once `delay` has passed: not earlier, and hardly more than a millisecond
    /// later unless other actions take long. If the theater has stopped, or stops first, the action
    /// is dropped.
    ///
    /// # Panics
    /// If this is the first timer and the operating system refuses its thread.
    pub(crate) fn arm(self: &Arc<Self>, delay: Duration, action: Action) -> TimerKey {
        self.arm_at(self.now().saturating_add(delay), action)
    }

    /// As [`arm`](Self::arm), at a time of the theater's clock; at once if that has passed.
    pub(crate) fn arm_at(self: &Arc<Self>, deadline: Duration, action: Action) -> TimerKey {
        let timers = of(self);
        match timers.pending.arm(first_tick_after(deadline), action) {
            Ok(key) => {
                // ORDERING: Relaxed: the thread is started under a lock, which decides.
                if !timers.driven.load(Ordering::Relaxed) {
                    self.start_timer_thread(key);
                }
                key
            }
            Err(refused) => {
                drop(refused);
                TimerKey::SPENT
            }
        }
    }

    /// Drops the action of a timer that has not begun to fire; `true` if there was one, so that it
    /// will certainly not run.
    pub(crate) fn disarm(&self, key: TimerKey) -> bool {
        of(self).pending.disarm(key).is_some()
    }

    /// The time of the theater's clock at which its next timer is due, rounded up to a millisecond;
    /// `None` if none is pending.
    pub fn next_deadline(&self) -> Option<Duration> {
        of(self).pending.earliest(last_tick_by(self.now())).map(time_of)
    }

    /// Whether a timer is due.
    pub fn has_due(&self) -> bool {
        of(self).pending.has_due(last_tick_by(self.now()))
    }

    /// Fires the next timer that is due, in order of their deadlines; `false` if none is. For
    /// theaters on a stage that is driven from outside ([`theater_on_stage`]), whose timers nobody
    /// else fires.
    ///
    /// [`theater_on_stage`]: crate::extend::theater_on_stage
    pub fn fire_due(&self) -> bool {
        let due = of(self).pending.take_due(last_tick_by(self.now()));
        due.map(contain).is_some()
    }

    pub(crate) fn pending_timers(&self) -> usize {
        of(self).pending.len()
    }

    #[cold]
    fn start_timer_thread(self: &Arc<Self>, first: TimerKey) {
        let mut thread = of(self).thread.lock().expect("nothing panics under this lock");
        // ORDERING: Relaxed, here and below: only changed under the lock.
        if of(self).driven.load(Ordering::Relaxed) {
            return;
        }
        let theater = self.clone();
        let work = self.counted_thread(move || of(&theater).run(&theater));
        match self.new_thread("timer").spawn(work) {
            Ok(started) => {
                *thread = Some(started);
                of(self).driven.store(true, Ordering::Relaxed);
            }
            Err(error) => {
                drop(thread);
                self.uncount_thread();
                self.disarm(first);
                panic!("the thread for timers could not be started: {error}");
            }
        }
    }
}

/// Ticks are milliseconds of the theater's clock. The first one at which nobody can say that the
/// time is not yet there.
fn first_tick_after(time: Duration) -> u64 {
    ticks(time, time.subsec_nanos().div_ceil(1_000_000))
}

/// The last tick that has come.
fn last_tick_by(time: Duration) -> u64 {
    ticks(time, time.subsec_millis())
}

fn ticks(time: Duration, of_second: u32) -> u64 {
    time.as_secs().saturating_mul(1000).saturating_add(of_second.into())
}

fn time_of(tick: u64) -> Duration {
    Duration::from_millis(tick)
}
