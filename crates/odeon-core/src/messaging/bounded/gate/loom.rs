//! Exhaustive models of one gate with one place: it is had by one at a time, and whoever waits gets
//! it.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use odeon_sync::thread;

use super::{AWAITED, Entered, Gate, GateOutcome, GateWaiter, Place};
use crate::vocabulary::oneshot;

/// A gate whose only place is taken.
fn full_gate() -> Gate {
    let gate = Gate::new(1);
    assert_eq!(gate.enter(), GateOutcome::Place);
    gate
}

fn line_up(gate: &Gate) -> (u64, oneshot::Receiver<Place>) {
    let (tell, told) = oneshot::channel();
    (gate.line_up(GateWaiter::Future(tell)), told)
}

/// As a sender: takes a place, or waits for one.
fn enter_or_line_up(gate: &Gate) -> Option<oneshot::Receiver<Place>> {
    match gate.enter() {
        GateOutcome::Place => None,
        GateOutcome::Full | GateOutcome::Closed => Some(line_up(gate).1),
    }
}

/// What whoever waits has been told by this time; a place is filled.
fn told(wait: &mut oneshot::Receiver<Place>) -> Poll<Option<()>> {
    let told = Pin::new(wait).poll(&mut Context::from_waker(Waker::noop()));
    told.map(|told| told.ok().map(Place::fill))
}

/// `true`: the sender has a place, and leaves its message.
fn has_place(wait: &mut Option<oneshot::Receiver<Place>>) -> bool {
    match wait {
        None => true,
        Some(wait) => matches!(told(wait), Poll::Ready(Some(()))),
    }
}

fn check_nobody_waits(gate: &Gate, taken: usize) {
    assert_eq!(gate.taken(), taken);
    assert_eq!(gate.word() & AWAITED, 0);
    assert!(gate.lock().waiting.is_empty());
}

#[test]
fn one_of_two_senders_gets_the_place_that_is_freed_and_then_the_other() {
    loom::model(|| {
        let gate = full_gate();
        let [other, owner] = [(); 2].map(|()| gate.clone());
        let other = thread::spawn(move || enter_or_line_up(&other));
        let owner = thread::spawn(move || owner.leave());
        let mut waits = [enter_or_line_up(&gate), other.join().unwrap()];
        owner.join().unwrap();
        let first = waits.each_mut().map(has_place);
        assert_eq!(first.iter().filter(|has| **has).count(), 1);
        gate.leave();
        let second = waits.each_mut().map(|wait| wait.is_some() && has_place(wait));
        assert_eq!(second.iter().filter(|has| **has).count(), 1);
        check_nobody_waits(&gate, 1);
    });
}

#[test]
fn a_place_whose_future_gives_up_is_free() {
    loom::model(|| {
        let gate = full_gate();
        let owner = gate.clone();
        let owner = thread::spawn(move || owner.leave());
        let (key, told) = line_up(&gate);
        drop(told);
        drop(Entered { gate: &gate, key });
        owner.join().unwrap();
        check_nobody_waits(&gate, 0);
    });
}

#[test]
fn nobody_waits_at_a_gate_that_is_closed() {
    loom::model(|| {
        let gate = full_gate();
        let (owner, other) = (gate.clone(), gate.clone());
        let owner = thread::spawn(move || {
            owner.leave();
            owner.close();
        });
        let other = thread::spawn(move || enter_or_line_up(&other));
        let waits = [enter_or_line_up(&gate), other.join().unwrap()];
        owner.join().unwrap();
        for mut wait in waits.into_iter().flatten() {
            assert!(told(&mut wait).is_ready());
        }
        assert_eq!(gate.enter(), GateOutcome::Closed);
        assert!(gate.lock().waiting.is_empty());
    });
}
