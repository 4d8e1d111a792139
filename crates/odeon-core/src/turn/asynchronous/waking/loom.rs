//! Exhaustive model: wakers against a poll, against the step to idle, and against each other. The
//! future is complete when it has seen what every waker did before it woke.

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, Mutex, thread};

use super::WakeFlag;
use crate::mailbox::{Inbox, InboxOwner, Pushed, WentIdle, label};

struct WakingModel {
    inbox: Inbox<()>,
    flag: WakeFlag,
    owner: Mutex<Option<InboxOwner<()>>>,
    /// What the future waits for.
    done: [AtomicBool; 2],
    complete: Mutex<bool>,
    signals: Mutex<usize>,
}

/// As `wake_by_ref`.
fn wake(shared: &WakingModel, waker: usize) {
    // ORDERING: Relaxed: the wake-up is to make it visible.
    shared.done[waker].store(true, Ordering::Relaxed);
    if shared.flag.raise() {
        *shared.signals.lock().unwrap() += 1;
        if shared.inbox.push_signal(label::WAKE) == Pushed::WakeOwner {
            turn(shared);
        }
    }
}

/// As a turn with a pending future and no messages.
fn turn(shared: &WakingModel) {
    let mut owner = shared.owner.lock().unwrap().take().expect("woken twice");
    loop {
        // SAFETY: we hold the owner's side of this inbox.
        while let Some((label, _)) = unsafe { owner.pop(&shared.inbox) } {
            assert_eq!(label, label::WAKE);
            if shared.flag.take() {
                // ORDERING: Relaxed: as above.
                let complete = shared.done.iter().all(|done| done.load(Ordering::Relaxed));
                *shared.complete.lock().unwrap() |= complete;
            }
        }
        // The place must hold the owner again before another thread can be woken.
        let mut place = shared.owner.lock().unwrap();
        // SAFETY: as above.
        if unsafe { InboxOwner::go_idle(&mut owner, &shared.inbox) } == WentIdle::Yes {
            *place = Some(owner);
            return;
        }
        drop(place);
        thread::yield_now();
    }
}

#[test]
fn no_wake_up_is_lost_and_each_raise_leaves_one_signal() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (inbox, owner) = Inbox::new();
        let shared = Arc::new(WakingModel {
            inbox,
            flag: WakeFlag::new(),
            owner: Mutex::new(Some(owner)),
            done: [AtomicBool::new(false), AtomicBool::new(false)],
            complete: Mutex::new(false),
            signals: Mutex::new(0),
        });
        let other = thread::spawn({
            let shared = shared.clone();
            move || wake(&shared, 0)
        });
        wake(&shared, 1);
        other.join().unwrap();
        assert!(*shared.complete.lock().unwrap());
        assert!((1..=2).contains(&*shared.signals.lock().unwrap()));
    });
}
