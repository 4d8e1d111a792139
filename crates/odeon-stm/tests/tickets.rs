//! Tickets call no code of others under their lock: a waker may do anything when it is dropped.

use odeon_stm::{Ticket, Tickets};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::task::{Wake, Waker};
use std::thread;
use std::time::Duration;

/// What an executor has of a task: dropped with the last waker, and with it the ticket that the
/// task holds.
struct Task(#[expect(dead_code, reason = "dropped")] Ticket);

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}

fn ends(act: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        act();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(10)).expect("it ends, and does not panic");
}

#[test]
fn a_waker_that_owns_another_ticket_is_dropped_with_the_ticket_it_waits_for() {
    ends(|| {
        let tickets = Tickets::new();
        let (first, second, third) = (tickets.issue(), tickets.issue(), tickets.issue());
        second.wake(Waker::from(Arc::new(Task(third))));
        drop(second);
        first.pass();
        assert!(tickets.issue().is_up());
    });
}

#[test]
fn a_waker_that_owns_another_ticket_is_replaced() {
    ends(|| {
        let tickets = Tickets::new();
        let (first, second, third) = (tickets.issue(), tickets.issue(), tickets.issue());
        second.wake(Waker::from(Arc::new(Task(third))));
        second.wake(Waker::noop().clone());
        first.pass();
        second.pass();
        assert!(tickets.issue().is_up());
    });
}

struct Bomb;

impl Wake for Bomb {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in the drop of a waker");
    }
}

#[test]
fn a_waker_that_panics_when_it_is_dropped_leaves_the_sequence_usable() {
    let tickets = Tickets::new();
    let (first, second) = (tickets.issue(), tickets.issue());
    second.wake(Waker::from(Arc::new(Bomb)));
    let replaced = AssertUnwindSafe(|| second.wake(Waker::noop().clone()));
    assert!(catch_unwind(replaced).is_err(), "the panic goes to who replaces the waker");
    second.wake(Waker::from(Arc::new(Bomb)));
    assert!(catch_unwind(AssertUnwindSafe(|| second.pass())).is_err());
    assert!(first.is_up());
    first.pass();
    assert!(tickets.issue().is_up());
}
