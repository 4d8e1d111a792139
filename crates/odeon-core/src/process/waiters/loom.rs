//! Exhaustive models of waiting against relief and against giving up: nobody waits when the
//! pressure is gone, and who has given up is left nowhere.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, thread};

use super::Waiters;
use crate::vocabulary::oneshot;

struct ModelReceiver {
    waiters: Waiters,
    pressed: AtomicBool,
}

fn wait(receiver: &ModelReceiver) -> (u64, oneshot::Receiver<()>) {
    let (relieved, wait) = oneshot::channel();
    // ORDERING: Relaxed, here and below: the list's lock must be enough.
    let is_pressed = || receiver.pressed.load(Ordering::Relaxed);
    (receiver.waiters.enter(Box::new(relieved), is_pressed), wait)
}

fn pressed() -> Arc<ModelReceiver> {
    Arc::new(ModelReceiver { waiters: Waiters::default(), pressed: AtomicBool::new(true) })
}

fn relieve(receiver: &ModelReceiver) {
    receiver.pressed.store(false, Ordering::Relaxed);
    receiver.waiters.release();
}

fn check_is_let_go(mut wait: oneshot::Receiver<()>) {
    let told = Pin::new(&mut wait).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(told, Poll::Ready(Err(oneshot::NoValue)));
}

#[test]
fn two_that_wait_and_a_relief() {
    loom::model(|| {
        let receiver = pressed();
        let [other, owner] = [(); 2].map(|()| receiver.clone());
        let other = thread::spawn(move || wait(&other));
        let owner = thread::spawn(move || relieve(&owner));
        let waits = [wait(&receiver), other.join().unwrap()];
        owner.join().unwrap();
        waits.into_iter().for_each(|(_, wait)| check_is_let_go(wait));
        assert!(receiver.waiters.is_empty());
    });
}

#[test]
fn one_that_gives_up_while_another_is_relieved() {
    loom::model(|| {
        let receiver = pressed();
        let [other, owner] = [(); 2].map(|()| receiver.clone());
        let other = thread::spawn(move || {
            let (key, wait) = wait(&other);
            drop(wait);
            other.waiters.leave(key);
        });
        let owner = thread::spawn(move || relieve(&owner));
        let (_, wait) = wait(&receiver);
        other.join().unwrap();
        owner.join().unwrap();
        check_is_let_go(wait);
        assert!(receiver.waiters.is_empty());
    });
}

#[test]
fn who_gives_up_is_not_left_where_there_is_no_relief() {
    loom::model(|| {
        let receiver = pressed();
        let other = receiver.clone();
        let other = thread::spawn(move || {
            let (key, _wait) = wait(&other);
            other.waiters.leave(key);
        });
        let (key, _wait) = wait(&receiver);
        other.join().unwrap();
        receiver.waiters.leave(key);
        assert!(receiver.waiters.is_empty());
    });
}
