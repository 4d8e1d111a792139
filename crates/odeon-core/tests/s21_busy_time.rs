//! S21: how long an actor's turns have taken.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, VirtualClock, for_seeds, silent_panic};

/// What a handler takes of the clock's time.
#[derive(Clone, Copy)]
struct Work {
    micros: u64,
    panics: bool,
}

impl Message for Work {}

struct Worker(Arc<VirtualClock>);

impl Actor for Worker {
    type Msg = Work;
    fn handle(&mut self, work: Work, _: &mut Context<'_, Self>) {
        self.0.advance(Duration::from_micros(work.micros));
        if work.panics {
            silent_panic("as told");
        }
    }
}

impl AsyncActor for Worker {
    type Msg = Work;
    async fn handle(&mut self, work: Work, _: &mut AsyncContext<'_, Self>) {
        self.0.advance(Duration::from_micros(work.micros));
    }
}

fn busy(theater: &Theater, id: ActorId) -> Option<Duration> {
    let stats = theater.stats().expect("switched on");
    stats.actors.iter().find(|actor| actor.id == id).expect("the actor is alive").busy
}

/// Turns that end by the budget, by going idle, by a panic, with time that passes in between: what
/// is told is the time of the handlers, and no more.
#[test]
fn s21_busy_is_the_time_of_an_actors_turns() {
    for_seeds(100, |seed| {
        let run = Deterministic::with(seed, Theater::builder().stats(true));
        let clock = run.clock_for_actors();
        let make = {
            let clock = clock.clone();
            move || Worker(clock.clone())
        };
        let policy = Supervision::new()
            .restarts(1000, Duration::from_secs(1))
            .pauses(Duration::ZERO, Duration::ZERO);
        let plain = run.theater().actor().supervised(policy).spawn::<extend::Plain, _>(make);
        let asynchronous = run.theater().spawn::<extend::Asynchronous, _>(Worker(clock));
        let mut random = Random::from_seed(seed);
        let mut expected = [Duration::ZERO; 2];
        for _ in 0..100 {
            for _ in 0..random.below(30) {
                let which = random.below(2);
                let micros = random.below(3000) as u64;
                let panics = which == 0 && random.below(10) == 0;
                [&plain, &asynchronous][which].send(Work { micros, panics }).unwrap();
                expected[which] += Duration::from_micros(micros);
            }
            match random.below(3) {
                0 => run.clock().advance(Duration::from_millis(7)),
                1 => drop(run.run_steps(random.below(5))),
                _ => drop(run.run_until_idle()),
            }
        }
        run.run_until_idle();
        let told = [&plain, &asynchronous].map(|actor| busy(run.theater(), actor.id()));
        assert_eq!(told, expected.map(Some), "seed {seed}");
    });
}

#[test]
fn s21_actors_of_a_pinned_stage_share_its_busy_time() {
    let theater = Theater::builder().workers(1).stats(true).build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    let pinned = theater.actor().on(&stage).spawn::<extend::Plain, _>(Worker(Arc::default()));
    assert_eq!(busy(&theater, pinned.id()), None);
}

/// A dictionary whose reads are shared among readers.
struct Shared;

struct Read;
impl Message for Read {}

impl ReadWriteActor for Shared {
    type Read = Read;
    type Write = Work;
    fn read(&self, _: Read, _: &mut ReadContext<'_, Self>) {}
    fn write(&mut self, _: Work, _: &mut WriteContext<'_, Self>) {}
}

#[test]
fn s21_who_works_for_another_actor_says_so() {
    let run = Deterministic::with(1, Theater::builder().stats(true));
    let shared = ReadWriting::new(Shared, ReadWritePolicy::ArrivalOrder);
    let shared = run.theater().spawn(shared.sharing(ReadSharing::Always));
    (0..64).for_each(|_| shared.read(Read).unwrap());
    run.run_until_idle();
    let stats = run.theater().stats().expect("switched on");
    let readers = stats.actors.iter().filter(|actor| actor.works_for == Some(shared.id()));
    assert!(readers.count() > 0, "reads were shared");
    let own = stats.actors.iter().find(|actor| actor.id == shared.id());
    assert_eq!(own.map(|actor| actor.works_for), Some(None));
}

/// A thread that has not begun yet is not busy since the clock's origin.
#[test]
fn s21_busy_never_goes_back() {
    for _ in 0..100 {
        let theater = Theater::builder().workers(1).stats(true).build().unwrap();
        let _actors = ["one", "other"].map(|name| {
            theater
                .actor()
                .dedicated(name)
                .spawn::<extend::Plain, _>(Worker(Arc::default()))
                .unwrap()
        });
        let busy = || {
            let stats = theater.stats().expect("switched on");
            stats.stages.iter().map(|stage| stage.busy).collect::<Vec<_>>()
        };
        let mut before = busy();
        for _ in 0..50 {
            let now = busy();
            let goes_on = before.iter().zip(&now).all(|(before, now)| before <= now);
            assert!(goes_on, "{before:?}, then {now:?}");
            before = now;
        }
    }
}
