//! Exhaustive model of waiting against relief: nobody waits when the pressure is gone.

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, thread};

use super::{Waiter, Waiters};

struct Receiver {
    waiters: Waiters,
    pressed: AtomicBool,
}

fn wait(receiver: &Receiver) -> oneshot::Receiver<()> {
    let (relieved, wait) = oneshot::channel();
    // ORDERING: Relaxed, here and below: the list's lock must be enough.
    receiver.waiters.enter(Waiter::Future(relieved), || receiver.pressed.load(Ordering::Relaxed));
    wait
}

#[test]
fn two_that_wait_and_a_relief() {
    loom::model(|| {
        let receiver =
            Arc::new(Receiver { waiters: Waiters::default(), pressed: AtomicBool::new(true) });
        let other = {
            let receiver = receiver.clone();
            thread::spawn(move || wait(&receiver))
        };
        let owner = {
            let receiver = receiver.clone();
            thread::spawn(move || {
                receiver.pressed.store(false, Ordering::Relaxed);
                receiver.waiters.release();
            })
        };
        let waits = [wait(&receiver), other.join().unwrap()];
        owner.join().unwrap();
        for wait in waits {
            assert_eq!(wait.try_recv(), Err(oneshot::TryRecvError::Disconnected));
        }
    });
}
