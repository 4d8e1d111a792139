//! Asynchronous actors under random schedules: wake-ups against the step to idle, against a stop
//! and against the end of the theater. A lost wake-up shows as a deadlock. Run by `ci/shuttle.sh`.
//!
//! Nothing here may block except through `odeon-sync`, hence a bell of its own.

use std::pin::Pin;
use std::sync::Arc as StdArc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex, thread};
use odeon_testkit::{DropTracker, Ledger, Ticket, Tracked};

const LONG: Duration = Duration::from_secs(3600);

/// Waits per actor: more of them than random schedules need to meet any one of the races.
const ROUNDS: usize = 4;

/// Counts to a number; a model thread waits for it.
#[derive(Default)]
struct Gate {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    fn wait_for(&self, target: u64) {
        let mut count = self.count.lock().unwrap();
        while *count < target {
            count = self.changed.wait(count).unwrap();
        }
    }
}

/// Has to be rung some times. Rung only when somebody begins to wait: earlier rings would not meet
/// the actor.
#[derive(Clone)]
struct Bell(StdArc<Rings>);

struct Rings {
    left: Mutex<(u32, Option<Waker>)>,
    awaited: Gate,
}

impl Bell {
    fn new(times: u32) -> Self {
        Self(StdArc::new(Rings { left: Mutex::new((times, None)), awaited: Gate::default() }))
    }

    fn ring_when_awaited(&self) {
        self.0.awaited.wait_for(1);
        let waker = {
            let mut state = self.0.left.lock().unwrap();
            state.0 -= 1;
            // Kept, so that each ring wakes, and one waker outlives its actor.
            state.1.clone()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Future for Bell {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        self.0.awaited.pass();
        let mut state = self.0.left.lock().unwrap();
        state.1 = Some(cx.waker().clone());
        if state.0 == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

struct Waiter {
    gate: StdArc<Gate>,
    bells: Vec<Bell>,
    next: u32,
    _state: Tracked<()>,
}

impl Waiter {
    fn new(gate: &StdArc<Gate>, bells: &[Bell], states: &DropTracker) -> Self {
        Self { gate: gate.clone(), bells: bells.to_vec(), next: 0, _state: states.track(()) }
    }
}

impl Drop for Waiter {
    /// A ringer must not wait for a bell that nobody will wait for.
    fn drop(&mut self) {
        self.bells.iter().for_each(|bell| bell.0.awaited.pass());
    }
}

struct Numbered(u32, Ticket);
impl Message for Numbered {}
impl odeon_testkit::Counted for Numbered {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.1)
    }
}

impl AsyncActor for Waiter {
    type Msg = Numbered;
    async fn handle(&mut self, msg: Numbered, _ctx: &mut AsyncContext<'_, Self>) {
        let Numbered(n, ticket) = msg;
        assert_eq!(n, self.next, "reordered");
        self.next += 1;
        ticket.handled();
        if let Some(bell) = self.bells.get(n as usize) {
            bell.clone().await;
        }
        self.gate.pass();
    }
}

/// Two threads ring, a third sends, while actors of the pool and of a pinned stage go to sleep
/// between any two of these.
#[test]
fn s13_no_wake_up_of_a_future_is_lost() {
    check(2_000, || {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (gate, ledger, states) =
            (StdArc::new(Gate::default()), Ledger::new(), DropTracker::new());
        let stage = theater.pinned("stage").unwrap();
        let bells: Vec<_> = (0..2 * ROUNDS).map(|_| Bell::new(2)).collect();
        let (half, other_half) = bells.split_at(ROUNDS);
        let actors = [
            theater.spawn(Waiter::new(&gate, half, &states)),
            theater.actor().on(&stage).spawn(Waiter::new(&gate, other_half, &states)),
        ];
        // Each bell is rung by two threads.
        let ringers: Vec<_> = [half, other_half, half, other_half]
            .map(|bells| {
                let bells = bells.to_vec();
                thread::spawn(move || bells.iter().for_each(Bell::ring_when_awaited))
            })
            .into();
        for actor in &actors {
            (0..=ROUNDS)
                .for_each(|n| assert!(ledger.send(actor, |ticket| Numbered(n as u32, ticket))));
        }
        gate.wait_for(2 * (ROUNDS as u64 + 1));
        ringers.into_iter().for_each(|ringer| ringer.join().unwrap());
        ledger.check();
        assert_eq!(theater.shutdown(LONG).stuck, 0);
        drop(actors);
        states.check();
    });
}

/// Rings, a stop, the last references and the end of the theater at once: every message is handled
/// or left over, every state is dropped, and late wake-ups find nobody.
#[test]
fn s13_wake_ups_race_with_the_end() {
    check(2_000, || {
        let (gate, ledger, states) =
            (StdArc::new(Gate::default()), Ledger::new(), DropTracker::new());
        let hook = ledger.dead_letter_hook::<Numbered>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let bells = [Bell::new(1), Bell::new(1)];
        let actors = [
            theater.spawn(Waiter::new(&gate, &bells[..1], &states)),
            theater.actor().on(&stage).spawn(Waiter::new(&gate, &bells[1..], &states)),
        ];
        for actor in &actors {
            for n in 0..2 {
                ledger.send(actor, |ticket| Numbered(n, ticket));
            }
        }
        let ringer = thread::spawn({
            let bells = bells.clone();
            move || bells.iter().for_each(Bell::ring_when_awaited)
        });
        let stopper = thread::spawn({
            let actors = actors.clone();
            move || actors.iter().for_each(ActorRef::stop)
        });
        drop(actors);
        let report = theater.shutdown(Duration::ZERO);
        assert_eq!(report.stuck, 0);
        ringer.join().unwrap();
        stopper.join().unwrap();
        ledger.take_leftovers::<Numbered>(report);
        assert_eq!(ledger.check().sent, 4);
        states.check();
        drop((bells, stage));
    });
}
