//! S17 whether an actor is under pressure, and when it no longer is.

use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use odeon_core::*;

/// Waits for the test before its first message.
struct Gated(Option<Receiver<()>>);

impl Actor for Gated {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        if let Some(gate) = self.0.take() {
            gate.recv().unwrap();
        }
    }
}

#[test]
fn s17_readiness_is_known_and_can_be_waited_for() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for pinned in [false, true] {
        let (open, gate) = channel();
        let gated = Gated(Some(gate));
        let actor = match pinned {
            false => theater.spawn(gated),
            true => theater.actor().on(&stage).spawn(gated),
        };
        let mut cx = TaskContext::from_waker(Waker::noop());
        assert!(!actor.is_under_pressure());
        assert_eq!(pin!(actor.relieved()).poll(&mut cx), Poll::Ready(()));
        while !actor.is_under_pressure() {
            // Not `Stopped`; another sender may just be making room.
            let _ = actor.try_send(());
        }
        let mut relieved = pin!(actor.relieved());
        assert_eq!(relieved.as_mut().poll(&mut cx), Poll::Pending);
        open.send(()).unwrap();
        let since = Instant::now();
        while relieved.as_mut().poll(&mut cx).is_pending() {
            assert!(since.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
        assert!(!actor.is_under_pressure());
        actor.stop();
    }
}
