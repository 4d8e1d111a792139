use super::*;
use crate::measurements::Point;
use crate::measurements::tests::{LOAD, point};
use crate::way::{PLAIN, WIDTH};

/// What a machine with these costs would measure with handlers of so many ns.
fn measured_with(costs: Costs, handlers_ns: &[u64], factor_of_two: f64) -> Measurements {
    let points = handlers_ns.iter().flat_map(|handler_ns| {
        let load = ScaleLoad { handler_ns: *handler_ns, ..LOAD };
        points_with(costs, load, factor_of_two)
    });
    Measurements { points: points.collect() }
}

fn points_with(costs: Costs, load: ScaleLoad, factor_of_two: f64) -> Vec<Point> {
    let bare = load.handler_ns as f64;
    let one = Simulation {
        costs,
        handler_ns: bare,
        cores: 1,
        width: 1,
        senders: load.senders,
        messages: MESSAGES_EACH * load.senders as u64,
        seed: 5,
    };
    let run = |cores, width| Simulation { cores, width, ..one.clone() }.run_as_pool().ns;
    vec![
        point(ScaleWay::Floor, 1, load, &[bare]),
        point(ScaleWay::Floor, 2, load, &[bare / 2.0]),
        point(PLAIN, 1, load, &[bare + 60.0]),
        point(CONCURRENT, 1, load, &[run(1, 1)]),
        point(CONCURRENT, 2, load, &[run(2, 2) * factor_of_two]),
        // The rest of an attempt takes as long as to send a message.
        point(ScaleWay::Transactions, 1, load, &[bare + costs.attempt - costs.send]),
        point(ScaleWay::Width(WIDTH), 1, load, &[run(1, WIDTH)]),
    ]
}

const COSTS: Costs = Costs {
    send: 30.0,
    attempt: 60.0,
    direct: 70.0,
    pass: 80.0,
    line: 60.0,
    wake: 0.0,
    waken: 0.0,
};

/// A way through the board's lock, counted.
fn counted(held_ns: f64) -> LockUse {
    let place = "engine.rs:1".to_owned();
    LockUse { place, passes: 0.02, contended_percent: 0.0, held_ns, waited_ns: 0.0 }
}

fn holds(calibration: &Calibration) -> bool {
    calibration.checks.iter().all(Check::holds)
}

#[test]
fn costs_are_found_again() {
    let measured = measured_with(COSTS, &[100, 1000, 3000], 1.0);
    let board = counted(0.02 * COSTS.pass);
    let found = calibrate(&measured, Some(&board), WakeCosts::default(), 1).expect("all is there");
    assert!(holds(&found) && found.checks.len() == 6, "{found:?}");
    let Costs { send, attempt, direct, pass, line, .. } = found.costs.at(LOAD.handler_ns);
    for (found, is) in [(send, 30.0), (attempt, 60.0), (direct, 70.0), (pass, 80.0)] {
        assert!((found - is).abs() < 3.0, "{found} {is}");
    }
    assert!(found.line_from == LineFrom::TwoWorkers, "{found:?}");
    assert!((line - COSTS.line).abs() <= 20.0, "{found:?}");
}

#[test]
fn how_long_the_lock_is_held_is_counted_or_guessed() {
    let measured = measured_with(COSTS, &[100], 1.0);
    let found = |board: Option<&LockUse>| {
        calibrate(&measured, board, WakeCosts::default(), 1).expect("all is there")
    };
    let (told, guessed) = (found(Some(&counted(4.0))), found(None));
    assert!(told.is_lock_counted && (told.costs.long.pass - 200.0).abs() < 1e-9, "{told:?}");
    assert!(!guessed.is_lock_counted && guessed.costs.long.pass == PASS_NS, "{guessed:?}");
    // What is not under the lock is beside it.
    assert!(told.costs.long.attempt < guessed.costs.long.attempt, "{told:?} {guessed:?}");
}

#[test]
fn long_messages_are_not_simulated() {
    let measured = measured_with(COSTS, &[100, 60_000], 1.0);
    assert_eq!(simulated_loads(&measured), [LOAD]);
}

#[test]
fn the_price_of_a_line_is_of_two_workers_alone_and_its_edge_is_told() {
    // Nothing explains what one worker takes here, whatever a line costs.
    let mut measured = measured_with(COSTS, &[100, 1000, 3000], 1.0);
    let of_two = calibrate(&measured, None, WakeCosts::default(), 1).expect("all is there").costs;
    let off = ScaleLoad { handler_ns: 3000, ..LOAD };
    let is_one =
        |point: &&mut Point| (point.way, point.workers, point.load) == (CONCURRENT, 1, off);
    measured.points.iter_mut().find(is_one).expect("it is there").ns = vec![9000.0];
    let found = calibrate(&measured, None, WakeCosts::default(), 1).expect("all is there");
    assert!(!holds(&found));
    assert_eq!(found.costs, of_two);
    let slow = measured_with(COSTS, &[2000], 9.0);
    let found = calibrate(&slow, None, WakeCosts::default(), 1).expect("all is there");
    assert!(found.line_from == LineFrom::Edge && found.costs.long.line >= 290.0, "{found:?}");
}

#[test]
fn costs_of_handlers_between_are_between() {
    let (shortest, long) = (COSTS, Costs { send: 50.0, ..COSTS });
    let costs = CostsByHandler { shortest_ns: 0, shortest, long };
    assert_eq!([0, 50, 100, 900].map(|ns| costs.at(ns).send), [30.0, 40.0, 50.0, 50.0]);
}

#[test]
fn what_two_workers_cannot_have_taken_is_missed() {
    let missed = calibrate(&measured_with(COSTS, &[100], 0.3), None, WakeCosts::default(), 1)
        .expect("all is there");
    assert!(!holds(&missed) && missed.worst_percent() > WITHIN_PERCENT, "{missed:?}");
}

#[test]
fn who_had_no_two_cores_says_nothing() {
    let mut measured = measured_with(COSTS, &[100], 1.0);
    measured.points[1].ns = vec![90.0];
    let refused =
        calibrate(&measured, None, WakeCosts::default(), 1).expect_err("half a core each");
    assert!(refused.contains("others had the cores"), "{refused}");
}

#[test]
fn what_was_not_measured_is_guessed_or_named() {
    let mut measured = measured_with(COSTS, &[100], 1.0);
    measured.points.retain(|point| point.workers == 1);
    let found =
        calibrate(&measured, None, WakeCosts::default(), 1).expect("one worker tells the rest");
    assert_eq!((found.line_from, found.costs.long.line), (LineFrom::Guess, LINE_NS));
    measured.points.retain(|point| point.way != ScaleWay::Transactions);
    let refused = calibrate(&measured, None, WakeCosts::default(), 1).expect_err("one is missing");
    assert!(refused.contains("transactions, one worker"), "{refused}");
}
