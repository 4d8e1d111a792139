//! S34: watches that an actor has in its state go with it, and each tells once, wherever the actor
//! is by then; by virtual time, from seeds.

use super::virtual_time::{Simulation, bad, id, ms};
use odeon_core::{Actor, ActorRef, Context, EndReason, Message, Reply, Theater, Watching};
use odeon_theater::{Conditions, Drained, MigrateError, Mobile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Works until it is told to stop, or to fail.
#[derive(Serialize, Deserialize)]
struct Worker;

#[derive(Serialize, Deserialize)]
enum Work {
    Stop,
    Fail,
}

impl Message for Work {}

impl Actor for Worker {
    type Msg = Work;

    fn handle(&mut self, work: Work, ctx: &mut Context<'_, Self>) {
        match work {
            Work::Stop => ctx.stop(),
            Work::Fail => panic!("as it was told"),
        }
    }
}

impl Mobile for Worker {
    const KIND: &'static str = "worker";
}

/// Watches workers, by number, and notes when it is told of their ends.
#[derive(Default, Serialize, Deserialize)]
struct Boss {
    watches: BTreeMap<u64, Watching<Work>>,
    /// Of whom it has been told, and why they have ended as far as is known.
    told: Vec<(u64, Option<u8>)>,
    /// Whether it keeps watches that are over.
    keeps: bool,
}

#[derive(Serialize, Deserialize)]
enum Order {
    Watch(u64, ActorRef<Work>),
    /// The same, without the watch in its state.
    WatchFromHere(u64, ActorRef<Work>),
    Lost(u64),
    Keep,
    Cancel(u64, Reply<Option<bool>>),
    /// Why those have ended that it watches, as the watches say it.
    Ended(Reply<Vec<u8>>),
    Told(Reply<Vec<(u64, Option<u8>)>>),
}

impl Message for Order {
    const MAILBOXES: usize = 2;

    fn mailbox(&self) -> usize {
        usize::from(!matches!(self, Self::Lost(_)))
    }
}

fn number_of(reason: EndReason) -> u8 {
    match reason {
        EndReason::Stopped => 0,
        EndReason::Failed => 1,
        EndReason::Shutdown => 2,
        EndReason::Unreachable => 3,
    }
}

impl Actor for Boss {
    type Msg = Order;

    fn handle(&mut self, order: Order, ctx: &mut Context<'_, Self>) {
        match order {
            Order::Watch(n, worker) => {
                self.watches.insert(n, ctx.watch_with(&worker, Order::Lost(n)));
            }
            Order::WatchFromHere(n, worker) => drop(ctx.watch_with(&worker, Order::Lost(n))),
            Order::Lost(n) => {
                self.told.push((n, self.watches.get(&n).and_then(Watching::ended).map(number_of)));
                if !self.keeps {
                    self.watches.remove(&n);
                }
            }
            Order::Keep => self.keeps = true,
            Order::Cancel(n, reply) => reply.send(self.watches.remove(&n).map(Watching::cancel)),
            Order::Ended(reply) => {
                let ended = self.watches.values().filter_map(Watching::ended);
                reply.send(ended.map(number_of).collect());
            }
            Order::Told(reply) => reply.send(self.told.clone()),
        }
    }
}

impl Mobile for Boss {
    const KIND: &'static str = "boss";
}

impl Simulation {
    fn of_bosses(seed: u64, theaters: usize) -> Self {
        Self::of(seed, theaters, |network| {
            network.register_mobile::<Boss>();
            network.register_mobile::<Worker>();
        })
    }

    fn theater(&self, place: usize) -> &Theater {
        self.places[place].run.theater()
    }

    fn boss(&self, place: usize) -> ActorRef<Order> {
        self.places[place].network.spawn_mobile(Boss::default())
    }

    /// Workers of a theater that a boss of the first one watches, by these numbers.
    fn watched(
        &mut self,
        boss: &ActorRef<Order>,
        place: usize,
        numbers: std::ops::Range<u64>,
    ) -> Vec<ActorRef<Work>> {
        let workers: Vec<_> = numbers.clone().map(|_| self.theater(place).spawn(Worker)).collect();
        for (n, worker) in numbers.zip(&workers) {
            let known = if place == 0 { worker.clone() } else { self.known_at(0, place, worker) };
            boss.send(Order::Watch(n, known)).unwrap();
        }
        self.steps(5);
        workers
    }

    /// A reference that is held in another theater, by somebody who has asked for it there.
    fn held_at(&mut self, place: usize, boss: &ActorRef<Order>) -> ActorRef<Order> {
        let held = self.known_at(place, 0, boss);
        self.steps(200);
        held
    }

    #[track_caller]
    fn told(&mut self, boss: &ActorRef<Order>) -> Vec<u64> {
        let told = boss.ask(Order::Told);
        let mut told: Vec<u64> = self.answer(told, 60).into_iter().map(|(n, _)| n).collect();
        told.sort_unstable();
        told
    }
}

#[test]
fn s34_watches_go_with_their_actor_and_outlive_the_theater_where_they_were_begun() {
    for seed in 0..10 {
        let mut simulation = Simulation::of_bosses(seed, 5);
        let boss = simulation.boss(0);
        // Of a theater that stays, of one that dies, and of that to which the boss goes.
        let stays = simulation.watched(&boss, 2, 0..4);
        let _dies = simulation.watched(&boss, 3, 4..8);
        let there = simulation.watched(&boss, 1, 8..12);
        simulation.net.set_everywhere(bad());
        simulation.migrate(&boss, 1).unwrap();
        simulation.net.set_everywhere(Conditions::GOOD);
        let boss = simulation.held_at(1, &boss);
        simulation.kill(0);
        simulation.steps(3_000);
        assert_eq!(simulation.told(&boss), [], "seed {seed}");
        stays[1].send(Work::Stop).unwrap();
        stays[2].send(Work::Fail).unwrap();
        there[3].send(Work::Fail).unwrap();
        simulation.steps(50);
        let told = boss.ask(Order::Told);
        let mut told = simulation.answer(told, 10);
        told.sort_unstable();
        assert_eq!(told, [(1, Some(0)), (2, Some(1)), (11, Some(1))], "seed {seed}");
        simulation.kill(3);
        simulation.steps(6_000);
        assert_eq!(simulation.told(&boss), [1, 2, 4, 5, 6, 7, 11], "seed {seed}");
    }
}

#[test]
fn s34_a_watch_tells_once_whenever_the_watched_one_ends() {
    // A way takes 20 ms, and a migration several of them.
    for at in 0..200 {
        let mut simulation = Simulation::of_bosses(at, 4);
        let boss = simulation.boss(0);
        let workers = [
            simulation.watched(&boss, 0, 0..2),
            simulation.watched(&boss, 1, 2..4),
            simulation.watched(&boss, 2, 4..6),
        ];
        let delay = Conditions { delay: (ms(20), ms(20)), duplication: 0.2, ..Conditions::GOOD };
        simulation.net.set_everywhere(delay);
        simulation.step();
        let asked = simulation.places[0].network.migrate(&boss, id(1));
        simulation.steps(at as usize);
        for workers in &workers {
            workers[0].send(Work::Stop).unwrap();
        }
        simulation.answer(asked, 500).unwrap();
        assert_eq!(simulation.told(&boss), [0, 2, 4], "{at}");
        for workers in &workers {
            workers[1].send(Work::Fail).unwrap();
        }
        simulation.steps(100);
        assert_eq!(simulation.told(&boss), [0, 1, 2, 3, 4, 5], "{at}");
        assert_eq!(simulation.lost(), 0, "{at}");
    }
}

#[test]
fn s34_watches_go_on_however_often_both_move() {
    for seed in 0..10 {
        let mut simulation = Simulation::of_bosses(seed, 5);
        let boss = simulation.boss(0);
        let workers: Vec<_> =
            (0..30).map(|_| simulation.places[0].network.spawn_mobile(Worker)).collect();
        for (n, worker) in (0..).zip(&workers) {
            boss.send(Order::Watch(n, worker.clone())).unwrap();
        }
        simulation.steps(5);
        simulation.net.set_everywhere(bad());
        let (mut ended, mut asked) = (0, Vec::new());
        for _ in 0..1_500 {
            let to = id(simulation.random.below(4));
            let which = simulation.random.below(workers.len());
            match simulation.random.below(40) {
                0 => asked.push(simulation.places[0].network.migrate(&boss, to)),
                1..=3 => asked.push(simulation.places[0].network.migrate(&workers[which], to)),
                4 if ended < 20 => {
                    workers[ended].send(Work::Stop).unwrap();
                    ended += 1;
                }
                _ => {}
            }
            simulation.step();
        }
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(3_000);
        let moved = asked.into_iter().filter_map(|asked| asked.wait_timeout(ms(0)).ok());
        let moved = moved.filter(|moved| moved.as_ref().is_ok_and(|moved| moved.bytes > 0)).count();
        assert!(moved >= 20 && ended == 20, "seed {seed}: {moved}, {ended}");
        assert_eq!(simulation.told(&boss), (0..20).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn s34_a_watch_is_cancelled_where_it_is() {
    let mut simulation = Simulation::of_bosses(1, 4);
    let boss = simulation.boss(0);
    let workers = simulation.watched(&boss, 2, 0..5);
    let cancel = |simulation: &mut Simulation, n| {
        let cancelled = boss.ask(|reply| Order::Cancel(n, reply));
        simulation.answer(cancelled, 20)
    };
    assert_eq!(cancel(&mut simulation, 0), Some(true));
    simulation.migrate(&boss, 1).unwrap();
    assert_eq!(cancel(&mut simulation, 1), Some(true));
    simulation.migrate(&boss, 2).unwrap();
    assert_eq!(cancel(&mut simulation, 2), Some(true));
    simulation.migrate(&boss, 0).unwrap();
    assert_eq!(cancel(&mut simulation, 3), Some(true));
    workers.iter().for_each(|worker| worker.send(Work::Stop).unwrap());
    simulation.steps(100);
    assert_eq!(simulation.told(&boss), [4]);
    assert_eq!(cancel(&mut simulation, 4), None);
}

#[test]
fn s34_where_an_actor_stays_its_watches_go_on() {
    let mut simulation = Simulation::of_bosses(1, 3);
    let boss = simulation.boss(0);
    let workers = simulation.watched(&boss, 1, 0..4);
    // That theater does not know bosses.
    assert_eq!(simulation.migrate(&boss, 2), Err(MigrateError::UnknownKind));
    workers[0].send(Work::Stop).unwrap();
    simulation.steps(20);
    assert_eq!(simulation.told(&boss), [0]);
    // The state has been read again, and its watches are those that go on.
    assert_eq!(simulation.migrate(&boss, 2), Err(MigrateError::UnknownKind));
    let cancelled = boss.ask(|reply| Order::Cancel(1, reply));
    assert_eq!(simulation.answer(cancelled, 10), Some(true));
    simulation.migrate(&boss, 1).unwrap();
    workers[1..].iter().for_each(|worker| worker.send(Work::Stop).unwrap());
    simulation.steps(50);
    assert_eq!(simulation.told(&boss), [0, 2, 3]);
    assert_eq!(simulation.lost(), 0);
}

#[test]
fn s34_a_watch_that_is_not_in_the_state_stays_where_it_was_begun() {
    let mut simulation = Simulation::of_bosses(1, 4);
    let boss = simulation.boss(0);
    let workers: Vec<_> = (0..2).map(|_| simulation.theater(2).spawn(Worker)).collect();
    let known: Vec<_> = workers.iter().map(|worker| simulation.known_at(0, 2, worker)).collect();
    for (n, worker) in (0..).zip(&known) {
        boss.send(Order::WatchFromHere(n, worker.clone())).unwrap();
    }
    simulation.migrate(&boss, 1).unwrap();
    workers[0].send(Work::Stop).unwrap();
    simulation.steps(50);
    assert_eq!(simulation.told(&boss), [0], "it comes after the actor");
    let boss = simulation.held_at(1, &boss);
    simulation.kill(0);
    simulation.steps(3_000);
    workers[1].send(Work::Stop).unwrap();
    simulation.steps(50);
    assert_eq!(simulation.told(&boss), [0], "its theater has gone");
}

#[test]
fn s34_a_watch_that_is_over_says_why_where_its_actor_has_come() {
    let mut simulation = Simulation::of_bosses(1, 4);
    let boss = simulation.boss(0);
    let workers = simulation.watched(&boss, 2, 0..3);
    boss.send(Order::Keep).unwrap();
    workers[0].send(Work::Fail).unwrap();
    workers[1].send(Work::Stop).unwrap();
    simulation.steps(20);
    assert_eq!(simulation.told(&boss), [0, 1]);
    simulation.migrate(&boss, 1).unwrap();
    let boss = simulation.held_at(1, &boss);
    // Neither where it was nor whom it watched is there any more.
    simulation.kill(0);
    simulation.steps(3_000);
    simulation.kill(2);
    simulation.steps(3_000);
    let ended = boss.ask(Order::Ended);
    assert_eq!(simulation.answer(ended, 10)[..2], [1, 0]);
    assert_eq!(simulation.told(&boss), [0, 1, 2]);
}

#[test]
fn s34_watches_outlive_the_theater_that_was_drained() {
    for seed in 0..10 {
        let mut simulation = Simulation::of_bosses(seed, 4);
        let boss = simulation.boss(0);
        let workers = simulation.watched(&boss, 2, 0..8);
        let from_1 = simulation.known_at(1, 0, &boss);
        drop(boss);
        simulation.net.set_everywhere(bad());
        let drained = simulation.places[0].network.drain(ms(2_000));
        workers[..3].iter().for_each(|worker| worker.send(Work::Stop).unwrap());
        let drained: Drained = simulation.answer(drained, 2_200);
        assert!(drained.is_empty() && drained.moved.len() == 1, "seed {seed}: {drained:?}");
        simulation.kill(0);
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(3_000);
        workers[3..].iter().for_each(|worker| worker.send(Work::Stop).unwrap());
        simulation.steps(100);
        assert_eq!(simulation.told(&from_1), (0..8).collect::<Vec<_>>(), "seed {seed}");
        assert_eq!(simulation.lost(), 0, "seed {seed}");
    }
}

#[test]
fn s34_watches_tell_once_or_are_lost_with_their_actor_at_whatever_step_the_other_theater_dies() {
    let (mut stayed, mut lost) = (0, 0);
    for at in 0..140 {
        let mut simulation = Simulation::of_bosses(at, 4);
        let boss = simulation.boss(0);
        let workers = simulation.watched(&boss, 2, 0..4);
        let delay = Conditions { delay: (ms(10), ms(30)), duplication: 0.2, ..Conditions::GOOD };
        simulation.net.set_everywhere(delay);
        simulation.step();
        let asked = simulation.places[0].network.migrate(&boss, id(1));
        simulation.steps(at as usize);
        simulation.kill(1);
        workers[0].send(Work::Stop).unwrap();
        match simulation.answer(asked, 6_000) {
            Err(MigrateError::Unreachable) => {
                stayed += 1;
                workers[1..].iter().for_each(|worker| worker.send(Work::Stop).unwrap());
                simulation.steps(100);
                assert_eq!(simulation.told(&boss), [0, 1, 2, 3], "{at}");
                assert_eq!(simulation.lost(), 0, "{at}");
            }
            Err(MigrateError::Lost) | Ok(_) => {
                lost += 1;
                assert!(boss.is_stopped(), "{at}");
            }
            Err(other) => panic!("{at}: {other}"),
        }
    }
    assert!(stayed > 10 && lost > 10, "{stayed}, {lost}");
}
