//! S28: coordinated transactions of several theaters in one process.

use crate::support::{Common, Do, Lab, ask, walk};
use odeon_core::ActorRef;
use odeon_speculative::{Coordinate, Delivery, Outcome, Processing, SpawnSpeculative};
use odeon_stm::atomically;
use odeon_testkit::{Deterministic, for_seeds};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

fn lab(run: &Deterministic, processing: &Processing) -> ActorRef<Do> {
    let lab = Lab::new(&Arc::new(Common::default()));
    run.theater().spawn_speculative(lab, processing.clone()).actor_ref()
}

fn labs(run: &Deterministic, count: usize, processing: &Processing) -> Vec<ActorRef<Do>> {
    (0..count).map(|_| lab(run, processing)).collect()
}

fn begin_walk(of: &Deterministic, mut way: Vec<ActorRef<Do>>) -> Outcome {
    let first = way.pop().unwrap();
    of.theater().coordinate(|co| co.send(&first, walk(way)))
}

/// Longer than nothing, for what has been answered.
fn is_committed(outcome: Outcome) -> bool {
    outcome.wait_timeout(Duration::from_millis(10)) == Some(Ok(()))
}

/// A message whose first attempts are all overtaken, so that its transaction has precedence in the
/// end; then it waits for a delivery.
fn overtaken(to: ActorRef<Do>, carry: Sender<Delivery>) -> Do {
    let attempts = AtomicUsize::new(0);
    Do::update(move |lab, tx, ctx| {
        let sum = lab.add(tx, 0, 1)?;
        if attempts.fetch_add(1, Ordering::SeqCst) < 8 {
            let overtake = || atomically(|tx| lab.vars[0].update(tx, |n| n + 1));
            thread::scope(|scope| _ = scope.spawn(overtake));
        }
        let carry = carry.clone();
        ctx.join_via(&to, Do::increment(0), move |delivery| carry.send(delivery).unwrap());
        Ok(sum)
    })
}

#[test]
fn s28_who_has_precedence_in_one_theater_is_in_nobodys_way_in_another_one() {
    for processing in [Processing::concurrent().width(2), Processing::sequential().non_blocking()] {
        let (one, other) = (Deterministic::new(1), Deterministic::new(2));
        let (carry, carried) = channel();
        let [first, second] = [lab(&one, &processing), lab(&one, &processing)];
        let waiting = one.theater().coordinate(|co| co.send(&first, overtaken(second, carry)));
        for _ in 0..8 {
            one.run_until_idle();
            // Void, since its round has been rolled back.
            drop(carried.try_iter().take(8).collect::<Vec<_>>());
        }
        let way = labs(&other, 3, &processing);
        let outcomes: Vec<_> = (0..6).map(|_| begin_walk(&other, way.clone())).collect();
        other.run_until_idle();
        assert!(outcomes.into_iter().all(is_committed));
        // In its own theater it is: who has to wait there waits for its end.
        let own = begin_walk(&one, labs(&one, 3, &processing));
        one.run_until_idle();
        assert_eq!(own.wait_timeout(Duration::ZERO), None, "it has precedence");
        drop((waiting, carried));
    }
}

/// Transactions that visit actors of two theaters, each of which gives precedence to its own ones.
#[test]
fn s28_nobody_waits_for_ever_across_theaters() {
    const ROUNDS: usize = 10;
    for_seeds(300, |seed| {
        let runs = [Deterministic::new(seed), Deterministic::new(seed ^ 0xFACE)];
        let processing = match seed % 3 {
            0 => Processing::sequential(),
            1 => Processing::concurrent().width(2),
            _ => Processing::concurrent().non_blocking().width(2),
        };
        let of_each = runs.each_ref().map(|run| labs(run, 3, &processing));
        let mut outcomes = Vec::new();
        let mut visits = 0;
        for round in 0..ROUNDS {
            for from in 0..6 {
                let [here, there] = [&of_each[from % 2], &of_each[(from + 1) % 2]];
                let mut way = here.clone();
                way.rotate_left((from + round) % 3);
                if (from / 2 + round + seed as usize) % 3 > 0 {
                    way.extend(there.iter().cloned());
                    way.rotate_left((round * 5 + from) % 6);
                }
                visits += way.len();
                outcomes.push(begin_walk(&runs[from % 2], way));
            }
            for _ in 0..4 {
                runs.iter().for_each(|run| _ = run.run_steps(7));
            }
        }
        let mut steps = 0;
        while runs.iter().any(|run| !run.is_idle()) {
            steps += runs.iter().map(|run| run.run_steps(50)).sum::<usize>();
            assert!(steps < 1_000_000, "seed {seed}: it goes round in circles");
        }
        assert!(outcomes.into_iter().all(is_committed), "seed {seed}: nobody goes on");
        let sums: Vec<_> = of_each.iter().flatten().map(|lab| ask(lab, Do::look(0))).collect();
        runs.iter().for_each(|run| _ = run.run_until_idle());
        let sum: i64 = sums.into_iter().map(|sum| sum.wait().unwrap()).sum();
        assert_eq!(sum as usize, visits, "seed {seed}");
    });
}
