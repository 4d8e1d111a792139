//! S9 no globals: any number of theaters in one process, independent and in touch.

use std::time::Duration;

use odeon_core::*;
use odeon_testkit::Deterministic;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};

#[test]
fn s9_actors_of_two_theaters_speak_to_each_other_and_end_apart() {
    let one = Theater::builder().name("one").workers(1).build().unwrap();
    let other = Theater::builder().name("other").workers(2).build().unwrap();
    let (log, other_log) = (Log::default(), Log::default());
    let there = other.spawn(Probe::new(&other_log));
    let here = one.spawn(Probe::new(&log));
    for n in 0..1_000 {
        let there = there.clone();
        here.send(Do::run(move |_| there.send(Do::Note(n)).unwrap())).unwrap();
    }
    assert!(one.shutdown(Duration::from_secs(30)).drained);
    assert!(here.is_stopped() && !there.is_stopped());
    let report = other.shutdown(Duration::from_secs(30));
    assert!(report.drained && report.leftovers.is_empty());
    assert_eq!(other_log.handled(), (0..1_000).collect::<Vec<_>>());
}

/// Both run on this one thread, by turns.
#[test]
fn s9_two_deterministic_theaters_do_not_disturb_each_other() {
    let trace = |with_neighbour: bool| {
        let run = Deterministic::new(11);
        let neighbour = Deterministic::new(12);
        let actors: Vec<_> =
            (0..5).map(|_| run.theater().spawn(Probe::new(&Log::default()))).collect();
        let others = neighbour.theater().spawn(Probe::new(&Log::default()));
        for n in 0..100 {
            actors[n % 5].send(Do::Note(1)).unwrap();
            if with_neighbour {
                others.send(Do::Note(1)).unwrap();
                neighbour.run_steps(1);
            }
            run.run_steps(n % 3);
        }
        run.run_until_idle();
        run.trace()
    };
    assert_eq!(trace(false).first_difference(&trace(true)), None);
}

#[test]
#[should_panic(expected = "the stage belongs to another theater")]
fn s9_a_stage_of_another_theater_is_refused() {
    let (one, other) = (Theater::new().unwrap(), Theater::new().unwrap());
    let stage = other.pinned("stage").unwrap();
    one.actor().on(&stage).spawn(Probe::new(&Log::default()));
}

#[test]
fn s9_fifty_theaters_side_by_side() {
    let log = Log::default();
    let theaters: Vec<_> =
        (0..50).map(|_| Theater::builder().workers(1).build().unwrap()).collect();
    let actors: Vec<_> = theaters.iter().map(|theater| theater.spawn(Probe::new(&log))).collect();
    actors.iter().for_each(|actor| actor.send(Do::Note(1)).unwrap());
    drop(theaters);
    assert!(actors.iter().all(ActorRef::is_stopped));
    let ends = log.events().into_iter().filter(|&event| event == Event::Dropped).count();
    assert_eq!(ends, 50);
}
