//! Exhaustive models: firing against cancelling, arming against falling asleep, the end against
//! all.

use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, thread};

use super::{Pending, TimerAction};
use crate::scheduler::timers::TimerKey;
use crate::scheduler::timers::repeat::Repeat;

/// The model's time stands still: what is due is due from the beginning, the rest never.
const NOW: u64 = 10;
const DUE: u64 = 5;
const NEVER: u64 = 1_000;

/// The thread of the timers as `scheduler/timers.rs` has it, until `fire` returns `false` or the
/// end.
fn run<T>(pending: &Pending<T>, mut fire: impl FnMut(T) -> bool) {
    let mut due = Vec::new();
    loop {
        match pending.look(NOW, &mut due) {
            TimerAction::Look => {
                for value in due.drain(..) {
                    if !fire(value) {
                        return;
                    }
                }
            }
            // Time does not pass: only a token ends the sleep, so a lost one is a deadlock.
            TimerAction::Sleep(_) => pending.parker().park(),
            TimerAction::Return => return,
        }
    }
}

fn timer_thread<T: Send + 'static>(
    pending: &Arc<Pending<T>>,
    fire: impl FnMut(T) -> bool + Send + 'static,
) -> thread::JoinHandle<()> {
    let pending = pending.clone();
    thread::spawn(move || run(&pending, fire))
}

#[test]
fn a_timer_that_is_due_is_never_slept_over() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        pending.arm(NEVER, 0).unwrap();
        let mut fired = 0;
        let thread = timer_thread(&pending, move |_| {
            fired += 1;
            fired < 2
        });
        let other = pending.clone();
        let armed_there = thread::spawn(move || other.arm(DUE, 1).unwrap());
        pending.arm(DUE + 1, 2).unwrap();
        armed_there.join().unwrap();
        thread.join().unwrap();
        assert_eq!(pending.len(), 1);
    });
}

/// Once a cancelled timer has lowered `look_at`, later ones must still be seen.
#[test]
fn a_cancelled_timer_hides_no_other() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let thread = timer_thread(&pending, |value| value != 2);
        let key = pending.arm(NEVER, 1).unwrap();
        assert_eq!(pending.disarm(key), Some(1));
        pending.arm(DUE, 2).unwrap();
        thread.join().unwrap();
    });
}

#[test]
fn a_timer_fires_or_is_cancelled() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let fired = Arc::new(AtomicU32::new(0));
        let key = pending.arm(DUE, ()).unwrap();
        let count = fired.clone();
        let thread = timer_thread(&pending, move |()| {
            // ORDERING: Relaxed: looked at after the thread was joined.
            count.fetch_add(1, Ordering::Relaxed);
            true
        });
        let cancelled = pending.disarm(key).is_some();
        assert_eq!(pending.end().count(), 0, "nobody armed anything else");
        thread.join().unwrap();
        let fired = fired.load(Ordering::Relaxed);
        assert!(if cancelled { fired == 0 } else { fired == 1 }, "{cancelled} {fired}");
    });
}

/// What is armed while the theater stops is fired, given back by the end, or refused; once.
#[test]
fn the_end_loses_nothing() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let fired = Arc::new(AtomicU32::new(0));
        let count = fired.clone();
        let thread = timer_thread(&pending, move |()| {
            // ORDERING: Relaxed: looked at after the thread was joined.
            count.fetch_add(1, Ordering::Relaxed);
            true
        });
        let other = pending.clone();
        let arming = thread::spawn(move || u32::from(other.arm(DUE, ()).is_err()));
        let dropped = pending.end().count() as u32;
        let refused = arming.join().unwrap();
        thread.join().unwrap();
        assert_eq!(fired.load(Ordering::Relaxed) + dropped + refused, 1);
    });
}

/// A periodic timer that is due at once, three times over: after a successful cancellation it does
/// not fire again, nor is it armed.
#[test]
fn a_periodic_timer_ends_when_it_is_cancelled() {
    type Timer = Arc<Repeat<Arc<AtomicU32>>>;
    fn go_on(pending: &Pending<Timer>, timer: &Timer, work: Arc<AtomicU32>) {
        let again = timer.clone();
        let arm = || pending.arm(DUE, again).unwrap_or(TimerKey::SPENT);
        drop(timer.go_on(work, arm));
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let pending: Arc<Pending<Timer>> = Arc::new(Pending::new());
        let fired = Arc::new(AtomicU32::new(0));
        let timer = Arc::new(Repeat::new());
        go_on(&pending, &timer, fired.clone());
        let ticking = pending.clone();
        let thread = timer_thread(&pending, move |timer: Timer| {
            let Some(work) = timer.begin() else { return true };
            // ORDERING: SeqCst: the canceller compares what it sees with what there is at the end.
            if work.fetch_add(1, Ordering::SeqCst) + 1 == 3 {
                return timer.end().is_some();
            }
            go_on(&ticking, &timer, work);
            true
        });
        let cancelled = timer.end();
        let seen = fired.load(Ordering::SeqCst);
        let waited = cancelled.is_some();
        if let Some((_, key)) = cancelled {
            pending.disarm(key);
        }
        pending.end().for_each(drop);
        thread.join().unwrap();
        let fired = fired.load(Ordering::SeqCst);
        assert!(!waited || fired == seen, "fired after it was cancelled");
        assert!(fired <= seen + 1, "cancelled while it fires, it fires no more");
    });
}
