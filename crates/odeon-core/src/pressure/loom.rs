//! Exhaustive model of waiting against relief: nobody waits when the pressure is gone.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, thread};

use super::{Waiter, Waiters};
use crate::oneshot;

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
        for mut wait in waits {
            let told = Pin::new(&mut wait).poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(told, Poll::Ready(Err(oneshot::NoValue)));
        }
    });
}
