//! S43 under random schedules: workers that are tasks of a runtime which loses no wake-up but may
//! end at any time. A wake-up that the theater loses shows as a deadlock. Run by `ci/shuttle.sh`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc as StdArc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::Duration;

use odeon_core::extend::{WorkerTask, workers_as_tasks};
use odeon_core::*;
use odeon_sync::schedules::check_with_priorities;
use odeon_sync::{Parker, thread};
use odeon_testkit::Ledger;

use crate::shuttle_theater::{Gate, Numbered, Taker, outside_sends_wake};

struct Parked(Parker);

impl Wake for Parked {
    fn wake(self: StdArc<Self>) {
        self.0.unpark();
    }
}

/// Polls a worker until it is over, or so many times.
fn poll(worker: WorkerTask, polls: usize) {
    let thread = StdArc::new(Parked(Parker::new()));
    let waker = Waker::from(thread.clone());
    let mut worker = pin!(worker);
    for _ in 0..polls {
        match worker.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            Poll::Ready(()) => return,
            Poll::Pending => thread.0.park(),
        }
    }
}

/// A theater with two workers on a runtime that ends after so many polls of each.
fn theater(builder: TheaterBuilder, polls: usize) -> Theater {
    let spawn = move |worker| drop(thread::spawn(move || poll(worker, polls)));
    workers_as_tasks(builder.workers(2), spawn).build().unwrap()
}

#[test]
fn s43_s7_outside_sends_wake_tasks() {
    check_with_priorities(2_000, || outside_sends_wake(theater(Theater::builder(), usize::MAX)));
}

#[test]
fn s43_s7_threads_take_over_when_the_runtime_ends() {
    for polls in 0..3 {
        check_with_priorities(1_000, move || {
            outside_sends_wake(theater(Theater::builder(), polls))
        });
    }
}

#[test]
fn s43_s4_a_shutdown_under_fire_accounts_for_every_message() {
    check_with_priorities(2_000, || {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Numbered>();
        let theater = theater(Theater::builder().on_dead_letter(hook), usize::MAX);
        let gate = StdArc::new(Gate::default());
        let actor = theater.spawn(Taker::new(&gate));
        let sender = thread::spawn({
            let ledger = ledger.clone();
            move || {
                for n in 0..4 {
                    ledger.send(&actor, |ticket| Numbered(n, ticket));
                }
            }
        });
        let report = theater.shutdown(Duration::ZERO);
        assert_eq!(report.stuck, 0);
        sender.join().unwrap();
        ledger.take_leftovers::<Numbered>(report);
        assert_eq!(ledger.check().sent, 4);
    });
}
