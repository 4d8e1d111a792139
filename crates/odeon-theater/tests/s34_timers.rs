//! S34: the timers that an actor has begun for itself go with it, and each fires once, wherever the
//! actor is by then; by virtual time, from seeds.

use super::virtual_time::{NOW, Simulation, bad, id, ms};
use odeon_core::{Actor, ActorRef, Context, Message, Reply, Timer};
use odeon_theater::{Conditions, Drained, MigrateError, Mobile, Network, TheaterId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Has timers, which are in its state until they fire.
#[derive(Default, Serialize, Deserialize)]
struct Clock {
    timers: BTreeMap<u64, Timer>,
    /// What has rung, and how long after it was due.
    rung: Vec<(u64, Duration)>,
    ticks: u64,
    /// For one that does not move with it.
    ticking: Option<Timer>,
}

#[derive(Serialize, Deserialize)]
enum Do {
    /// Ring with this number after so many milliseconds.
    In(u64, u64),
    Ring(u64, Duration),
    /// Answers what cancelling has answered; `None`: it has rung before.
    Cancel(u64, Reply<Option<bool>>),
    Rung(Reply<Vec<(u64, Duration)>>),
    /// Tick every so many milliseconds, and keep the timer or not.
    TickEvery(u64, bool),
    Tick,
    StopTicking(Reply<bool>),
    Ticks(Reply<u64>),
}

impl Message for Do {
    const MAILBOXES: usize = 2;

    fn mailbox(&self) -> usize {
        usize::from(!matches!(self, Self::Ring(..)))
    }
}

impl Actor for Clock {
    type Msg = Do;

    fn handle(&mut self, msg: Do, ctx: &mut Context<'_, Self>) {
        match msg {
            Do::In(millis, n) => {
                let timer = ctx.send_after(ms(millis), Do::Ring(n, NOW.get() + ms(millis)));
                self.timers.insert(n, timer);
            }
            Do::Ring(n, due) => {
                let late = NOW.get().checked_sub(due).expect("not before it is due");
                assert!(self.timers.remove(&n).is_some(), "{n} has rung before, or is cancelled");
                self.rung.push((n, late));
            }
            Do::Cancel(n, reply) => reply.send(self.timers.remove(&n).map(Timer::cancel)),
            Do::Rung(reply) => reply.send(self.rung.clone()),
            Do::TickEvery(millis, keeps) => {
                let timer = ctx.send_every(ms(millis), || Do::Tick);
                self.ticking = keeps.then_some(timer);
            }
            Do::Tick => self.ticks += 1,
            Do::StopTicking(reply) => reply.send(self.ticking.take().is_some_and(Timer::cancel)),
            Do::Ticks(reply) => reply.send(self.ticks),
        }
    }
}

impl Mobile for Clock {
    const KIND: &'static str = "clock";
}

impl Simulation {
    fn of_clocks(seed: u64, theaters: usize) -> Self {
        Self::of(seed, theaters, Network::register_mobile::<Clock>)
    }

    fn spawn(&self, place: usize) -> ActorRef<Do> {
        self.places[place].network.spawn_mobile(Clock::default())
    }

    #[track_caller]
    fn rung(&mut self, actor: &ActorRef<Do>) -> Vec<u64> {
        let rung = actor.ask(Do::Rung);
        let mut rung: Vec<u64> = self.answer(rung, 20).into_iter().map(|(n, _)| n).collect();
        rung.sort_unstable();
        rung
    }
}

#[test]
fn s34_timers_go_with_their_actor_however_often_it_moves() {
    for seed in 0..20 {
        let mut simulation = Simulation::of_clocks(seed, 5);
        let clock = simulation.spawn(0);
        simulation.net.set_everywhere(bad());
        let (mut begun, mut asked, mut cancelled) = (0, Vec::new(), Vec::new());
        for _ in 0..1_000 {
            match simulation.random.below(20) {
                0 => {
                    let to = id(simulation.random.below(4));
                    asked.push(simulation.places[0].network.migrate(&clock, to));
                }
                1..=4 => {
                    let delay = simulation.random.below(400) as u64;
                    clock.send(Do::In(delay, begun)).unwrap();
                    begun += 1;
                }
                5 if begun > 0 => {
                    let which = begun - 1 - simulation.random.below(begun.min(5) as usize) as u64;
                    let cancel = clock.ask(|reply| Do::Cancel(which, reply));
                    cancelled.push((which, cancel));
                }
                _ => {}
            }
            simulation.step();
        }
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(3_000);
        let moved = asked.into_iter().filter_map(|asked| asked.wait_timeout(Duration::ZERO).ok());
        let moved = moved.filter(|moved| moved.as_ref().is_ok_and(|moved| moved.bytes > 0)).count();
        assert!(moved >= 5, "seed {seed}: {moved}");
        let (mut silent, mut too_late) = (Vec::new(), 0);
        for (which, cancelled) in cancelled {
            match cancelled.wait_timeout(Duration::ZERO).unwrap() {
                Some(true) => silent.push(which),
                // A message that has been sent already would ring: the actor takes it as one of a
                // timer that it has cancelled.
                Some(false) => too_late += 1,
                None => {}
            }
        }
        assert_eq!(too_late, 0, "seed {seed}: what rings is handled before anything else");
        assert!(!silent.is_empty(), "seed {seed}");
        let expected: Vec<u64> = (0..begun).filter(|n| !silent.contains(n)).collect();
        assert_eq!(simulation.rung(&clock), expected, "seed {seed}");
        assert_eq!(simulation.lost(), 0, "seed {seed}");
    }
}

#[test]
fn s34_a_timer_that_is_due_while_its_actor_is_under_way_rings_once_and_not_much_later() {
    // A way takes 20 ms, and a migration several of them.
    for delay in (0..160).step_by(3) {
        let mut simulation = Simulation::of_clocks(delay, 3);
        let conditions = Conditions { delay: (ms(20), ms(20)), ..Conditions::GOOD };
        simulation.net.set_everywhere(conditions);
        let clock = simulation.spawn(0);
        clock.send(Do::In(delay, 1)).unwrap();
        clock.send(Do::In(500, 2)).unwrap();
        let moved = simulation.migrate(&clock, 1).unwrap();
        assert!(moved.pause >= ms(50), "{moved:?}");
        simulation.steps(300);
        let rung = clock.ask(Do::Rung);
        let rung = simulation.answer(rung, 60);
        assert_eq!(rung.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2], "{delay}");
        assert!(rung[0].1 <= moved.pause + ms(25), "{delay}: {rung:?}, {moved:?}");
        assert!(rung[1].1 <= ms(25), "{delay}: the time under way is one way: {rung:?}");
        assert_eq!(simulation.lost(), 0);
    }
}

#[test]
fn s34_a_timer_is_cancelled_where_it_is() {
    let mut simulation = Simulation::of_clocks(1, 4);
    let clock = simulation.spawn(0);
    for n in 0..4 {
        clock.send(Do::In(2_000, n)).unwrap();
    }
    let cancel = |simulation: &mut Simulation, n| {
        let cancelled = clock.ask(|reply| Do::Cancel(n, reply));
        simulation.answer(cancelled, 20)
    };
    assert_eq!(cancel(&mut simulation, 0), Some(true));
    simulation.migrate(&clock, 1).unwrap();
    assert_eq!(cancel(&mut simulation, 1), Some(true));
    clock.send(Do::In(2_000, 4)).unwrap();
    simulation.migrate(&clock, 2).unwrap();
    assert_eq!(cancel(&mut simulation, 4), Some(true));
    simulation.migrate(&clock, 0).unwrap();
    assert_eq!(cancel(&mut simulation, 2), Some(true));
    assert_eq!(simulation.rung(&clock), []);
    simulation.steps(2_000);
    assert_eq!(simulation.rung(&clock), [3]);
    assert_eq!(cancel(&mut simulation, 3), None);
}

#[test]
fn s34_where_an_actor_stays_its_timers_go_on() {
    let mut simulation = Simulation::of_clocks(1, 3);
    let clock = simulation.spawn(0);
    clock.send(Do::In(300, 1)).unwrap();
    clock.send(Do::In(1_000, 2)).unwrap();
    clock.send(Do::In(1_000, 3)).unwrap();
    // That theater does not know clocks; and this one is nowhere.
    assert_eq!(simulation.migrate(&clock, 2), Err(MigrateError::UnknownKind));
    let nobody = simulation.places[0].network.migrate(&clock, TheaterId::from_bits(99));
    assert_eq!(simulation.answer(nobody, 3_000), Err(MigrateError::Unreachable));
    assert_eq!(simulation.rung(&clock), [1, 2, 3]);
    clock.send(Do::In(500, 4)).unwrap();
    clock.send(Do::In(500, 5)).unwrap();
    assert_eq!(simulation.migrate(&clock, 2), Err(MigrateError::UnknownKind));
    // The state has been read again, and its timers are those that go on.
    let cancelled = clock.ask(|reply| Do::Cancel(4, reply));
    assert_eq!(simulation.answer(cancelled, 5), Some(true));
    simulation.steps(500);
    assert_eq!(simulation.rung(&clock), [1, 2, 3, 5]);
    assert_eq!(simulation.lost(), 0);
}

#[test]
fn s34_timers_stay_or_are_lost_with_their_actor_at_whatever_step_the_other_theater_dies() {
    let (mut stayed, mut lost) = (0, 0);
    for at in 0..140 {
        let mut simulation = Simulation::of_clocks(at, 3);
        let delay = Conditions { delay: (ms(10), ms(30)), duplication: 0.2, ..Conditions::GOOD };
        simulation.net.set_everywhere(delay);
        let clock = simulation.spawn(0);
        for n in 0..20 {
            clock.send(Do::In(10 + 15 * n, n)).unwrap();
        }
        simulation.step();
        let asked = simulation.places[0].network.migrate(&clock, id(1));
        simulation.steps(at as usize);
        simulation.kill(1);
        match simulation.answer(asked, 6_000) {
            Err(MigrateError::Unreachable) => {
                stayed += 1;
                assert_eq!(simulation.rung(&clock), (0..20).collect::<Vec<_>>(), "{at}");
                assert_eq!(simulation.lost(), 0, "{at}");
            }
            Err(MigrateError::Lost) | Ok(_) => {
                lost += 1;
                assert!(clock.is_stopped(), "{at}");
                simulation.lost();
            }
            Err(other) => panic!("{at}: {other}"),
        }
    }
    assert!(stayed > 10 && lost > 10, "{stayed}, {lost}");
}

#[test]
fn s34_timers_ring_in_one_theater_at_whatever_step_the_first_one_dies() {
    let (mut came, mut lost) = (0, 0);
    for at in 0..140 {
        let mut simulation = Simulation::of_clocks(at, 4);
        let delay = Conditions { delay: (ms(10), ms(30)), duplication: 0.2, ..Conditions::GOOD };
        let clock = simulation.spawn(0);
        // Whoever refers to it from the theater where it comes keeps it.
        let there = simulation.known_at(1, 0, &clock);
        simulation.net.set_everywhere(delay);
        for n in 0..20 {
            clock.send(Do::In(300 + 5 * n, n)).unwrap();
        }
        simulation.step();
        let asked = simulation.places[0].network.migrate(&clock, id(1));
        simulation.steps(at as usize);
        simulation.kill(0);
        drop(asked);
        simulation.steps(6_000);
        if there.is_stopped() {
            lost += 1;
        } else {
            came += 1;
            assert_eq!(simulation.rung(&there), (0..20).collect::<Vec<_>>(), "{at}");
        }
        simulation.lost();
    }
    assert!(came > 10 && lost > 10, "{came}, {lost}");
}

#[test]
fn s34_timers_outlive_the_theater_that_was_drained() {
    for seed in 0..10 {
        let mut simulation = Simulation::of_clocks(seed, 4);
        let clock = simulation.spawn(0);
        let from_1 = simulation.known_at(1, 0, &clock);
        let from_2 = simulation.known_at(2, 0, &clock);
        drop(clock);
        for n in 0..10 {
            from_1.send(Do::In(100 + 400 * n, n)).unwrap();
        }
        simulation.steps(5);
        simulation.net.set_everywhere(bad());
        let drained = simulation.places[0].network.drain(ms(2_000));
        let drained: Drained = simulation.answer(drained, 2_200);
        assert!(drained.is_empty() && drained.moved.len() == 1, "seed {seed}: {drained:?}");
        simulation.kill(0);
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(4_000);
        let all: Vec<u64> = (0..10).collect();
        assert_eq!(simulation.rung(&from_1), all, "seed {seed}");
        assert_eq!(simulation.rung(&from_2), all, "seed {seed}");
        assert_eq!(simulation.lost(), 0, "seed {seed}");
    }
}

#[test]
fn s34_what_is_periodic_stays_and_its_timer_cannot_be_written() {
    let mut simulation = Simulation::of_clocks(1, 3);
    let clock = simulation.spawn(0);
    clock.send(Do::TickEvery(10, true)).unwrap();
    let refused = simulation.migrate(&clock, 1);
    let Err(MigrateError::State(why)) = &refused else { panic!("{refused:?}") };
    assert!(why.contains("a timer that stays in its theater"), "{why}");
    let ticks = |simulation: &mut Simulation| {
        let ticks = clock.ask(Do::Ticks);
        simulation.answer(ticks, 10)
    };
    let before = ticks(&mut simulation);
    assert!(before >= 39, "it goes on: {before}");
    let stopped = clock.ask(Do::StopTicking);
    assert!(simulation.answer(stopped, 10), "the timer is the same, in the same state");

    // Without the timer in the state: it ticks where it was begun, as long as somebody there refers
    // to the actor.
    clock.send(Do::TickEvery(10, false)).unwrap();
    simulation.migrate(&clock, 1).unwrap();
    let (before, _) = (ticks(&mut simulation), simulation.steps(100));
    assert!(ticks(&mut simulation) >= before + 10);
    let there = simulation.known_at(1, 0, &clock);
    simulation.kill(0);
    simulation.steps(3_000);
    let ticks_there = |simulation: &mut Simulation| {
        let ticks = there.ask(Do::Ticks);
        simulation.answer(ticks, 10)
    };
    let (before, _) = (ticks_there(&mut simulation), simulation.steps(100));
    assert_eq!(ticks_there(&mut simulation), before, "its theater has gone");
}

#[test]
fn s34_what_others_begin_by_a_reference_stays_with_them() {
    let mut simulation = Simulation::of_clocks(1, 3);
    let clock = simulation.spawn(0);
    let timers = [1, 2].map(|_| clock.send_after(ms(2_000), Do::Tick));
    simulation.migrate(&clock, 1).unwrap();
    let [first, second] = timers;
    assert!(first.cancel());
    simulation.steps(1_800);
    let ticks = clock.ask(Do::Ticks);
    assert_eq!(simulation.answer(ticks, 10), 1, "it comes after the actor");
    assert!(!second.cancel());
}
