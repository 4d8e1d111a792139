//! S28: coordinated transactions never wait for each other in a circle, nor for themselves.

use crate::support::{Common, Do, Lab, ask, result, walk};
use odeon_core::{Actor, Context, Message, Theater};
use odeon_speculative::{Access, Coordinate, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_testkit::{Deterministic, for_seeds};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

fn every_processing() -> [(&'static str, Processing); 4] {
    [
        ("sequential", Processing::sequential()),
        ("concurrent", Processing::concurrent().width(2)),
        ("non-blocking", Processing::sequential().non_blocking()),
        ("combined", Processing::concurrent().non_blocking().width(2)),
    ]
}

fn labs(theater: &Theater, count: usize, processing: &Processing) -> Vec<SpeculativeRef<Do>> {
    let lab = |_| Lab::new(&Arc::new(Common::default()));
    (0..count).map(|number| theater.spawn_speculative(lab(number), processing.clone())).collect()
}

fn add(var: usize, n: i64) -> Do {
    Do::update(move |lab, tx, _| lab.add(tx, var, n))
}

/// A sender: an actor that calls what it gets.
struct Caller;

type Deed = dyn FnOnce(&Context<'_, Caller>) + Send;
struct Call(Box<Deed>);
impl Message for Call {}

impl Actor for Caller {
    type Msg = Call;
    fn handle(&mut self, Call(call): Call, ctx: &mut Context<'_, Self>) {
        call(ctx);
    }
}

/// The messages of one handler to one actor stand behind each other there, and are of one
/// transaction.
#[test]
fn s28_a_handler_joins_several_messages_to_one_actor() {
    for (name, processing) in every_processing() {
        for to_itself in [false, true] {
            let run = Deterministic::new(1);
            let labs = labs(run.theater(), 2, &processing);
            let to = labs[usize::from(!to_itself)].actor_ref();
            let seen = to.clone();
            let answer = ask(
                &labs[0],
                Do::update(move |lab, tx, ctx| {
                    for _ in 0..5 {
                        ctx.join(&to, add(0, 1));
                    }
                    lab.add(tx, 1, 1)
                }),
            );
            run.run_steps(2_000);
            assert!(run.is_idle(), "{name}: it goes round in circles");
            assert_eq!(answer.wait(), Ok(1), "{name}");
            let sum = ask(&seen, Do::look(0));
            run.run_until_idle();
            assert_eq!(sum.wait(), Ok(5), "{name}");
        }
    }
}

/// The lane of what is joined is halted by a first message of the same transaction.
#[test]
fn s28_what_an_actor_joins_to_its_own_transaction_does_not_wait_for_the_outcome() {
    for (name, processing) in every_processing() {
        for between in [false, true] {
            let run = Deterministic::new(1);
            let labs = labs(run.theater(), 2, &processing);
            let (me, other) = (labs[0].actor_ref(), labs[1].actor_ref());
            let (tell, told) = channel();
            let begin = Do::update(move |_, _, ctx| {
                let (third, tell) = (other.clone(), tell.clone());
                let outcome = ctx.coordinate(|co| {
                    co.send(&other, add(0, 1));
                    co.send(
                        &me,
                        Do::update(move |lab, tx, ctx| {
                            ctx.join(&third, add(0, 10));
                            lab.add(tx, 0, 1)
                        }),
                    );
                });
                if between {
                    other.send(add(0, 100)).unwrap();
                }
                tell.send(outcome).unwrap();
                Ok(0)
            });
            labs[0].send(begin).unwrap();
            run.run_steps(2_000);
            assert!(run.is_idle(), "{name}: it goes round in circles");
            let sums: Vec<_> = labs.iter().map(|lab| ask(lab, Do::look(0))).collect();
            run.run_until_idle();
            assert!(told.try_iter().last().is_some(), "{name}");
            let sums: Vec<_> = sums.into_iter().map(|sum| sum.wait()).collect();
            assert_eq!(sums, [Ok(1), Ok(if between { 111 } else { 11 })], "{name}");
        }
    }
}

/// Transactions that go from actor to actor, exclusive messages in their way, and ways of
/// processing that change.
#[test]
fn s28_nobody_waits_for_ever_beside_exclusive_messages_and_changes_of_the_processing() {
    const LABS: usize = 4;
    const ROUNDS: usize = 12;
    for_seeds(1_000, |seed| {
        let run = Deterministic::new(seed);
        let processings = every_processing();
        let labs = labs(run.theater(), LABS, &processings[seed as usize % 4].1);
        let callers: Vec<_> = (0..6).map(|_| run.theater().spawn(Caller)).collect();
        let (tell, told) = channel();
        for round in 0..ROUNDS {
            for (number, caller) in callers.iter().enumerate() {
                let mut way: Vec<_> = labs.iter().map(|lab| lab.actor_ref()).collect();
                way.rotate_left((round * 7 + number * 3 + seed as usize) % LABS);
                let tell = tell.clone();
                let call = move |ctx: &Context<'_, Caller>| {
                    if number == 0 {
                        let alone = Do::with(Access::Exclusive, |lab, tx, _| lab.add(tx, 1, 1));
                        return way[0].send(alone).unwrap();
                    }
                    let outcome = ctx.coordinate(|co| {
                        let first = way[0].clone();
                        if number < 3 {
                            co.send(&first, add(0, 2));
                            co.send(&way[number], add(0, 3));
                        } else {
                            co.send(&first, walk(way));
                        }
                    });
                    tell.send(outcome).unwrap();
                };
                caller.send(Call(Box::new(call))).unwrap();
            }
            for step in 0..6 {
                run.run_steps(5);
                if seed % 3 > 0 {
                    let lab = &labs[step % LABS];
                    lab.set_processing(processings[(step + round + seed as usize) % 4].1.clone());
                }
            }
        }
        run.run_steps(2_000_000);
        assert!(run.is_idle(), "seed {seed}: it goes round in circles");
        let outcomes: Vec<_> = told.try_iter().collect();
        assert_eq!(outcomes.len(), 5 * ROUNDS);
        for outcome in outcomes {
            // Longer than nothing, for what has been answered.
            let ended = outcome.wait_timeout(Duration::from_millis(10));
            assert_eq!(ended, Some(Ok(())), "seed {seed}: nobody goes on");
        }
        let sums: Vec<_> = labs.iter().map(|lab| ask(lab, Do::look(0))).collect();
        run.run_until_idle();
        let sum: i64 = sums.into_iter().map(|sum| sum.wait().unwrap()).sum();
        assert_eq!(sum as usize, 5 * ROUNDS * (LABS + 1), "seed {seed}");
    });
}

/// As above, with threads, which find boards busy.
#[test]
fn s28_nobody_waits_for_ever_on_several_threads() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let labs = labs(&theater, 4, &Processing::concurrent().width(2));
    std::thread::scope(|scope| {
        for sender in 0..4_usize {
            let (labs, theater) = (&labs, &theater);
            scope.spawn(move || {
                for round in 0..150 {
                    let mut way: Vec<_> = labs.iter().map(|lab| lab.actor_ref()).collect();
                    way.rotate_left((round + sender) % 4);
                    let first = way[0].clone();
                    if sender == 0 {
                        let alone = Do::with(Access::Exclusive, |lab, tx, _| lab.add(tx, 1, 1));
                        result(&first, alone).unwrap();
                    } else {
                        theater.coordinate(|co| co.send(&first, walk(way))).wait().unwrap();
                    }
                }
            });
        }
    });
    let sum: i64 = labs.iter().map(|lab| result(lab, Do::look(0)).unwrap()).sum();
    assert_eq!(sum, 3 * 150 * 5);
}
