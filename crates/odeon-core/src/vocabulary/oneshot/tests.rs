use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::task::Wake;
use std::thread;

use super::*;

struct Woken(AtomicU32);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn poll<T>(receiver: &mut Receiver<T>, waker: &Waker) -> Poll<Result<T, NoValue>> {
    Pin::new(receiver).poll(&mut Context::from_waker(waker))
}

#[test]
fn what_is_sent_is_received_once() {
    let (sender, receiver) = channel();
    assert!(!sender.is_closed());
    sender.send(7).unwrap();
    assert_eq!((receiver.wait(), receiver.wait()), (Ok(7), Err(NoValue)));
}

#[test]
fn what_nobody_receives_comes_back() {
    let (sender, receiver) = channel();
    drop(receiver);
    assert!(sender.is_closed());
    assert_eq!(sender.send("value"), Err("value"));
}

#[test]
fn a_value_that_is_not_received_is_dropped_with_the_receiver() {
    let (sender, receiver) = channel();
    let value = Arc::new(());
    sender.send(value.clone()).unwrap();
    drop(receiver);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn the_last_waker_is_woken_once() {
    let [first, second] = [(); 2].map(|()| Arc::new(Woken(AtomicU32::new(0))));
    let (sender, mut receiver) = channel();
    for woken in [&first, &second] {
        assert!(poll(&mut receiver, &Waker::from(woken.clone())).is_pending());
    }
    assert_eq!(Arc::strong_count(&first), 1, "its waker is gone");
    sender.send(1).unwrap();
    assert_eq!((first.0.load(SeqCst), second.0.load(SeqCst)), (0, 1));
    assert_eq!(poll(&mut receiver, Waker::noop()), Poll::Ready(Ok(1)));
}

#[test]
fn who_has_waited_as_a_future_may_wait_as_a_thread() {
    let (sender, mut receiver) = channel();
    assert!(poll(&mut receiver, Waker::noop()).is_pending());
    assert_eq!(receiver.wait_timeout(Duration::from_millis(1)), Err(InVain::Timeout));
    let sends = thread::spawn(move || sender.send(3));
    assert_eq!(receiver.wait_timeout(Duration::MAX), Ok(3));
    sends.join().unwrap().unwrap();
    assert_eq!(receiver.wait_timeout(Duration::ZERO), Err(InVain::NoValue));
}

/// A waker that panics, and counts how often it did.
struct Panics(AtomicU32);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
        std::panic::resume_unwind(Box::new("a waker"));
    }
}

#[test]
fn a_waker_that_panics_is_the_receivers_trouble_alone() {
    let panics = Arc::new(Panics(AtomicU32::new(0)));
    let (sender, mut receiver) = channel();
    assert!(poll(&mut receiver, &Waker::from(panics.clone())).is_pending());
    sender.send(7).unwrap();
    assert_eq!(poll(&mut receiver, Waker::noop()), Poll::Ready(Ok(7)));

    // Dropped while its thread unwinds: a second panic would end the process.
    let (sender, mut receiver) = channel::<u32>();
    assert!(poll(&mut receiver, &Waker::from(panics.clone())).is_pending());
    let unwound = thread::spawn(move || {
        let _sender = sender;
        std::panic::resume_unwind(Box::new("the sender"));
    });
    assert!(unwound.join().is_err());
    assert_eq!(poll(&mut receiver, Waker::noop()), Poll::Ready(Err(NoValue)));
    assert_eq!(panics.0.load(SeqCst), 2);
}

/// The race of decision 030, for the address sanitizer; and no value is left.
#[test]
fn a_future_is_dropped_while_the_value_comes() {
    let value = Arc::new(());
    let (ends, sent) = mpsc::channel::<Sender<Arc<()>>>();
    let answer = value.clone();
    let answers = thread::spawn(move || sent.iter().for_each(|end| drop(end.send(answer.clone()))));
    for _ in 0..20_000 {
        let (sender, mut receiver) = channel();
        ends.send(sender).unwrap();
        let _ = poll(&mut receiver, Waker::noop());
    }
    drop(ends);
    answers.join().unwrap();
    assert_eq!(Arc::strong_count(&value), 1);
}
