//! Callers that give turns, under random schedules: against workers, each other, failures and the
//! end of the theater. A call without an answer shows as a deadlock. Run by `ci/shuttle.sh`.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use odeon_sync::schedules::check_with_priorities;
use odeon_sync::thread;
use odeon_testkit::silent_panic;
use shuttle::future::block_on;

const LONG: Duration = Duration::from_secs(3600);

/// What tests and handlers count in.
#[derive(Default)]
struct Counts {
    /// Whether a handler runs.
    runs: AtomicBool,
    begun: AtomicUsize,
    handled: AtomicUsize,
}

impl Counts {
    /// One of two handlers at once would see the other one.
    fn alone<R>(&self, work: impl FnOnce() -> R) -> R {
        assert!(!self.runs.swap(true, Ordering::SeqCst), "two handlers at once");
        self.begun.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        let done = work();
        self.runs.store(false, Ordering::SeqCst);
        done
    }
}

struct Called {
    counts: Arc<Counts>,
    /// Sent a note for each question.
    other: Option<ActorRef<Said>>,
}

enum Said {
    Note,
    Question(Reply<usize>),
    /// Fails.
    Trap(Reply<usize>),
}
impl Message for Said {}

impl Actor for Called {
    type Msg = Said;
    fn handle(&mut self, said: Said, _: &mut Context<'_, Self>) {
        let counts = self.counts.clone();
        counts.alone(|| match said {
            Said::Note => _ = counts.handled.fetch_add(1, Ordering::SeqCst),
            Said::Question(reply) => {
                if let Some(other) = &self.other {
                    let _ = other.send(Said::Note);
                }
                reply.send(counts.handled.fetch_add(1, Ordering::SeqCst));
            }
            Said::Trap(_reply) => {
                counts.runs.store(false, Ordering::SeqCst);
                silent_panic("a trap");
            }
        });
    }
}

fn theater() -> Theater {
    Theater::builder().workers(2).build().unwrap()
}

/// Sends and calls of several threads, which a worker and the callers handle by turns.
#[test]
fn s42_calls_beside_sends_are_answered_and_nothing_is_lost() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let counts = Arc::<Counts>::default();
        let actor = theater.spawn(Called { counts: counts.clone(), other: None });
        let threads: Vec<_> = (0..3)
            .map(|number| {
                let actor = actor.clone();
                thread::spawn(move || {
                    for _ in 0..2 {
                        if number > 0 {
                            actor.send(Said::Note).unwrap();
                        }
                        if number < 2 {
                            let before = block_on(actor.call(Said::Question)).unwrap();
                            assert!(before >= number, "a call comes after what was sent before");
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let report = theater.shutdown(LONG);
        assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
        assert_eq!(counts.handled.load(Ordering::SeqCst), 8);
    });
}

/// A drain waits for the turn that a caller gives, and for what that sends.
#[test]
fn s42_a_drain_waits_for_callers_and_what_they_send() {
    check_with_priorities(2_000, || {
        let theater = Theater::builder().workers(1).build().unwrap();
        let (counts, notes) = (Arc::<Counts>::default(), Arc::<Counts>::default());
        let other = theater.spawn(Called { counts: notes.clone(), other: None });
        let actor = theater.spawn(Called { counts: counts.clone(), other: Some(other) });
        // The first one may meet the actor's start, and then a worker handles it, and sleeps.
        let caller = thread::spawn(move || {
            [0, 40].map(|steps| {
                (0..steps).for_each(|_| thread::yield_now());
                block_on(actor.call(Said::Question))
            })
        });
        while counts.begun.load(Ordering::SeqCst) < 2 {
            thread::yield_now();
        }
        let report = theater.shutdown(LONG);
        assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
        assert_eq!(caller.join().unwrap(), [Ok(0), Ok(1)]);
        assert_eq!(notes.handled.load(Ordering::SeqCst), 2, "what it has sent");
    });
}

/// Every call ends, by an answer or an error, whenever the theater ends.
#[test]
fn s42_callers_meet_the_end_of_the_theater() {
    check_with_priorities(3_000, || {
        let theater = theater();
        let counts = Arc::<Counts>::default();
        let actor = theater.spawn(Called { counts: counts.clone(), other: None });
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let actor = actor.clone();
                let calls =
                    move || (0..2).filter(|_| block_on(actor.call(Said::Question)).is_ok()).count();
                thread::spawn(calls)
            })
            .collect();
        let report = theater.shutdown(Duration::ZERO);
        assert_eq!(report.stuck, 0);
        // A question that is kept in the report keeps its caller waiting.
        drop(report);
        let answered: usize = callers.into_iter().map(|caller| caller.join().unwrap()).sum();
        assert_eq!(counts.handled.load(Ordering::SeqCst), answered);
    });
}

/// A failure in a caller's turn restarts the actor, beside another caller.
#[test]
fn s42_a_failure_in_a_callers_turn_is_the_actors() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let counts = Arc::<Counts>::default();
        let made = counts.clone();
        let actor = theater
            .actor()
            .supervised(Supervision::new().restarts(5, Duration::MAX))
            .spawn(move || Called { counts: made.clone(), other: None });
        let failing = thread::spawn({
            let actor = actor.clone();
            move || {
                let failed = block_on(actor.call(Said::Trap));
                assert!(matches!(failed, Err(AskError::Failed(_))), "{failed:?}");
            }
        });
        block_on(actor.call(Said::Question)).unwrap();
        failing.join().unwrap();
        block_on(actor.call(Said::Question)).unwrap();
        assert_eq!(theater.shutdown(LONG).stuck, 0);
        assert_eq!(counts.handled.load(Ordering::SeqCst), 2);
    });
}
