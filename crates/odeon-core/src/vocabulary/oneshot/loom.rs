//! Exhaustive models of the two sides: who waits is woken, who gives up races with nothing, and
//! every value is dropped once.

use std::pin::Pin;
use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use odeon_sync::thread;

use super::{NoValue, Receiver, channel};

/// Counts how many of it are there.
struct Value(StdArc<AtomicU32>);

impl Value {
    fn new(alive: &StdArc<AtomicU32>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self(alive.clone())
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Woken(AtomicU32);

impl Wake for Woken {
    fn wake(self: StdArc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll<T>(receiver: &mut Receiver<T>, waker: &Waker) -> Poll<Result<T, NoValue>> {
    Pin::new(receiver).poll(&mut Context::from_waker(waker))
}

#[test]
fn a_thread_that_waits_gets_the_value() {
    loom::model(|| {
        let (sender, receiver) = channel();
        let other = thread::spawn(move || sender.send(7).is_ok());
        assert_eq!(receiver.wait(), Ok(7));
        assert!(other.join().unwrap());
    });
}

#[test]
fn a_thread_that_waits_learns_that_no_value_comes() {
    loom::model(|| {
        let (sender, receiver) = channel::<u32>();
        let other = thread::spawn(move || drop(sender));
        assert_eq!(receiver.wait(), Err(NoValue));
        other.join().unwrap();
    });
}

#[test]
fn a_future_is_woken_or_has_the_value() {
    loom::model(|| {
        let (sender, mut receiver) = channel();
        let woken = StdArc::new(Woken(AtomicU32::new(0)));
        let waker = Waker::from(woken.clone());
        let other = thread::spawn(move || sender.send(7).is_ok());
        let first = poll(&mut receiver, &waker);
        assert!(other.join().unwrap());
        let woken = woken.0.load(Ordering::SeqCst);
        if first.is_pending() {
            assert_eq!((poll(&mut receiver, &waker), woken), (Poll::Ready(Ok(7)), 1));
        } else {
            assert_eq!((first, woken), (Poll::Ready(Ok(7)), 0));
        }
    });
}

#[test]
fn a_future_that_gives_up_races_with_the_value() {
    loom::model(|| {
        let alive = StdArc::default();
        let (sender, mut receiver) = channel();
        let value = Value::new(&alive);
        let other = thread::spawn(move || drop(sender.send(value)));
        let _ = poll(&mut receiver, Waker::noop());
        drop(receiver);
        other.join().unwrap();
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn a_future_that_gives_up_races_with_a_sender_that_does() {
    loom::model(|| {
        let (sender, mut receiver) = channel::<u32>();
        let other = thread::spawn(move || drop(sender));
        let _ = poll(&mut receiver, Waker::noop());
        drop(receiver);
        other.join().unwrap();
    });
}
