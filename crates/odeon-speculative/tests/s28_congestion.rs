//! S17 with S28: who begins coordinated transactions faster than they are decided is held back, and
//! nobody is who is waited for.

use crate::support::{Common, Do, Lab, ask, result};
use odeon_core::{Actor, ActorRef, Context, Message, Theater};
use odeon_speculative::{Coordinate, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_testkit::{Deterministic, for_seeds};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// About 1,024 wait for each other, and as many in each inbox on their way; and what is begun in
/// one turn.
const LIMIT: usize = 4_096;

fn labs(theater: &Theater, count: usize, processing: &Processing) -> Vec<SpeculativeRef<Do>> {
    let lab = |_| Lab::new(&Arc::new(Common::default()));
    (0..count).map(|number| theater.spawn_speculative(lab(number), processing.clone())).collect()
}

fn commits(lab: &SpeculativeRef<Do>) -> usize {
    lab.speculation().commits as usize
}

/// Adds one here and, as part of the same transaction, there.
fn step(there: ActorRef<Do>, tell: Option<ActorRef<Go>>) -> Do {
    Do::update(move |lab, tx, ctx| {
        ctx.join(&there, Do::increment(0));
        if let Some(to) = &tell {
            (0..8).for_each(|_| to.send(Go::Told).unwrap());
        }
        lab.add(tx, 0, 1)
    })
}

/// Begins transactions as fast as it can.
struct Flood {
    labs: Vec<ActorRef<Do>>,
    left: usize,
    at_once: usize,
    /// Whether each transaction tells of itself.
    is_told: bool,
    begun: Arc<AtomicUsize>,
}

enum Go {
    On,
    Told,
}
impl Message for Go {}

impl Actor for Flood {
    type Msg = Go;
    fn handle(&mut self, message: Go, ctx: &mut Context<'_, Self>) {
        if self.left == 0 || matches!(message, Go::Told) {
            return;
        }
        for _ in 0..self.at_once {
            let tell = self.is_told.then(|| ctx.actor_ref());
            let work = step(self.labs[1].clone(), tell);
            drop(ctx.coordinate(|co| co.send(&self.labs[0], work)));
        }
        self.left -= 1;
        self.begun.fetch_add(self.at_once, SeqCst);
        ctx.actor_ref().send(Go::On).unwrap();
    }
}

fn processings() -> [Processing; 2] {
    [Processing::sequential(), Processing::concurrent().non_blocking().width(2)]
}

#[test]
fn s17_an_actor_that_floods_with_transactions_is_held_back() {
    for processing in processings() {
        let run = Deterministic::new(3);
        let labs = labs(run.theater(), 2, &processing);
        let begun = Arc::new(AtomicUsize::new(0));
        let flood = Flood {
            labs: labs.iter().map(|lab| lab.actor_ref()).collect(),
            left: 20_000,
            at_once: 1,
            is_told: false,
            begun: begun.clone(),
        };
        let flood = run.theater().spawn(flood);
        flood.send(Go::On).unwrap();
        let mut most = 0;
        while run.run_steps(50) > 0 {
            most = most.max(begun.load(SeqCst) - commits(&labs[1]));
        }
        assert!(most < LIMIT, "{most} were under way, {processing:?}");
        assert_eq!((begun.load(SeqCst), commits(&labs[1])), (20_000, 20_000));
    }
}

#[test]
fn s17_threads_that_flood_with_transactions_are_held_back() {
    const EACH: usize = 15_000;
    for processing in processings() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let labs = labs(&theater, 2, &processing);
        let [begun, most] = [const { AtomicUsize::new(0) }; 2];
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..EACH {
                        let work = step(labs[1].actor_ref(), None);
                        drop(theater.coordinate(|co| co.send(&labs[0], work)));
                        let begun = begun.fetch_add(1, SeqCst) + 1;
                        most.fetch_max(begun.saturating_sub(commits(&labs[1])), SeqCst);
                    }
                });
            }
        });
        while result(&labs[1], Do::look(0)).unwrap() < 2 * EACH as i64 {
            thread::yield_now();
        }
        assert!(most.load(SeqCst) < LIMIT, "{most:?} were under way, {processing:?}");
    }
}

/// Who begins the transactions has too much waiting itself, and who takes part waits for its
/// relief.
#[test]
fn s17_who_floods_with_transactions_is_not_held_back_by_those_that_it_holds_back() {
    for_seeds(12, |seed| {
        let run = Deterministic::new(seed);
        let labs = labs(run.theater(), 2, &processings()[seed as usize % 2]);
        let begun = Arc::new(AtomicUsize::new(0));
        let flood = Flood {
            labs: labs.iter().map(|lab| lab.actor_ref()).collect(),
            left: 40,
            at_once: 100,
            is_told: true,
            begun: begun.clone(),
        };
        let flood = run.theater().spawn(flood);
        flood.send(Go::On).unwrap();
        run.run_until_idle();
        assert_eq!((begun.load(SeqCst), commits(&labs[1])), (4_000, 4_000), "seed {seed}");
    });
}

fn take() -> Do {
    Do::update(|lab, tx, _| {
        if lab.vars[0].get(tx)? == 0 {
            tx.retry()?;
        }
        lab.add(tx, 0, -1)
    })
}

#[test]
fn s17_transactions_that_wait_for_a_change_are_no_pressure() {
    const TAKERS: usize = 3_000;
    for processing in processings() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let labs = labs(&theater, 2, &processing);
        thread::scope(|scope| {
            let takers = scope.spawn(|| {
                for _ in 0..TAKERS {
                    drop(theater.coordinate(|co| {
                        co.send(&labs[0], take());
                        co.send(&labs[1], Do::increment(1));
                    }));
                }
            });
            takers.join().unwrap();
            scope.spawn(|| (0..TAKERS).for_each(|_| labs[0].send(Do::increment(0)).unwrap()));
        });
        while result(&labs[1], Do::look(1)).unwrap() < TAKERS as i64 {
            thread::yield_now();
        }
    }
}

/// Whoever brings the change has to wait in the middle of its transaction.
#[test]
fn s28_who_waits_for_a_change_does_not_keep_others_from_bringing_it() {
    for processing in processings() {
        let run = Deterministic::new(7);
        let labs = labs(run.theater(), 2, &processing);
        let waiting = run.theater().coordinate(|co| {
            co.send(
                &labs[0],
                Do::update(|lab, tx, _| match lab.vars[0].get(tx)? {
                    0..10 => Ok(tx.retry()?),
                    sum => Ok(sum),
                }),
            );
        });
        run.run_until_idle();
        let bring = || {
            for _ in 0..10 {
                drop(ask(&labs[0], step(labs[1].actor_ref(), None)));
            }
        };
        // From a sender whose messages do not wait behind the transaction.
        thread::scope(|scope| _ = scope.spawn(bring));
        run.run_until_idle();
        assert_eq!(waiting.wait_timeout(Duration::from_millis(10)), Some(Ok(())));
    }
}
