//! The list against a plain set, and the recorded history against both.

mod linearizable;

use super::*;
use crate::history::{Event, Operation, Outcome};
use crate::parameter::Value;
use std::collections::BTreeSet;

fn params(settings: &[(&str, u64)], workload: &'static str) -> Params {
    let start = LIST.defaults().with("workload", Value::Word(workload));
    settings.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)))
}

#[test]
fn prefill_is_exact_and_in_the_right_parts() {
    let plan = Plan::new(&params(&[("list_actors", 5), ("range", 1003)], "read"));
    let segments = Segment::prefilled(&plan);
    assert_eq!(segments.iter().map(|part| part.values().count()).sum::<usize>(), 200);
    for (index, segment) in segments.iter().enumerate() {
        let (partial_sum, values) = segment.audit();
        assert_eq!(partial_sum, values);
        let bounds = index as u32 * 201..(index as u32 + 1) * 201;
        assert!(segment.values().all(|value| bounds.contains(&value)));
    }
}

#[test]
fn requests_follow_the_mix() {
    let plan = Plan::new(&params(&[("requests", 10_000)], "mixed"));
    let mut client = client::Client::new(&plan, 0, None);
    let (mut lookups, mut updates, mut sums) = (0, 0, 0);
    while let Some(request) = client.next_request() {
        match request {
            Request::Lookup(_) => lookups += 1,
            Request::Insert(_) | Request::Remove(_) => updates += 1,
            Request::Sum(_) => sums += 1,
        }
    }
    assert_eq!(lookups + updates + sums, 10_000);
    assert!((4700..5100).contains(&lookups), "{lookups}");
    assert!((4800..5200).contains(&updates), "{updates}");
    assert!((60..140).contains(&sums), "{sums}");
}

#[test]
fn a_wrong_sum_is_an_error() {
    assert!(check_sums(&[(3, 3), (4, 4)], 7).is_ok());
    let wrong = check_sums(&[(3, 3), (4, 5)], 7).unwrap_err().to_string();
    assert!(wrong.contains("sums add up to 7, the values to 8; expected 7"), "{wrong}");
}

#[test]
fn the_history_of_many_clients_is_well_formed() {
    let settings = [("list_actors", 3), ("requesters", 4), ("requests", 50), ("range", 40)];
    let history =
        record_history(Variant::Pool, &params(&settings, "mixed")).expect("the run is right");
    assert_eq!(history.initial.len(), 8);
    assert_eq!(history.events.len(), 200);
    for event in &history.events {
        assert!(event.call_ns <= event.return_ns, "{event:?}");
        assert_eq!(matches!(event.result, Outcome::Sum(_)), event.op == Operation::Sum);
    }
    for client in 0..4 {
        let own: Vec<&Event> = history.events.iter().filter(|e| e.client == client).collect();
        assert_eq!(own.len(), 50);
        assert!(own.windows(2).all(|pair| pair[0].return_ns <= pair[1].call_ns));
    }
}

#[test]
fn the_history_of_one_client_replays_on_a_set() {
    let with_modes = |workload| MODES.map(|mode| (workload, mode));
    for (workload, mode) in ["read", "write", "mixed"].into_iter().flat_map(with_modes) {
        let settings = [("list_actors", 4), ("requesters", 1), ("requests", 500), ("range", 64)];
        let params = params(&settings, workload).with("mode", Value::Word(mode));
        replays_on_a_set(&params);
    }
}

#[test]
fn every_spread_and_every_way_to_sum_replay_on_a_set() {
    for (spread, sum) in SPREADS.into_iter().flat_map(|spread| SUMS.map(|sum| (spread, sum))) {
        for mode in MODES {
            let settings =
                [("list_actors", 3), ("requesters", 1), ("requests", 300), ("range", 64)];
            let params = params(&settings, "mixed")
                .with("spread", Value::Word(spread))
                .with("sum", Value::Word(sum))
                .with("mode", Value::Word(mode));
            let fits = mode != "plain" || !sum.starts_with(COORDINATED);
            assert_eq!(LIST.check(&params).is_ok(), fits, "{mode}, {sum}");
            if !fits {
                continue;
            }
            replays_on_a_set(&params);
            LIST.floor(&params.for_floor(LIST.parameters)).expect("the floor is right");
        }
    }
}

fn replays_on_a_set(params: &Params) {
    let history = record_history(Variant::Pool, params).expect("the run is right");
    let mut set: BTreeSet<u32> = history.initial.iter().copied().collect();
    {
        for event in &history.events {
            let expected = match event.op {
                Operation::Insert => Outcome::Whether(set.insert(event.arg)),
                Operation::Remove => Outcome::Whether(set.remove(&event.arg)),
                Operation::Lookup => Outcome::Whether(set.contains(&event.arg)),
                Operation::Sum => Outcome::Sum(set.iter().copied().map(i64::from).sum()),
            };
            assert_eq!(event.result, expected, "{event:?}");
        }
    }
}

#[test]
fn a_hash_spreads_neighbours_evenly() {
    let mut values = [0; 8];
    let mut neighbours = 0;
    for value in 0..41_216 {
        let owner = Spread::Hash.owner(value, 41_216, 8);
        values[owner] += 1;
        neighbours += u32::from(owner == Spread::Hash.owner(value + 1, 41_216, 8));
    }
    assert!(values.iter().all(|values| (5000..5300).contains(values)), "{values:?}");
    assert!(neighbours < 41_216 / 4, "{neighbours}");
}

#[test]
fn a_course_begins_with_nothing_and_ends_with_everything() {
    let settings = [("list_actors", 2), ("requesters", 20), ("requests", 200), ("range", 64)];
    for mode in MODES {
        let params = params(&settings, "write").with("mode", Value::Word(mode));
        let course = record_course(&params, std::time::Duration::from_millis(1));
        let course = course.expect("the run is right");
        assert_eq!(course.looks[0], (std::time::Duration::ZERO, course::Progress::default()));
        let (_, total) = course.looks[course.looks.len() - 1];
        assert_eq!((course.measured.ops, total.answered), (4000, 4000), "{mode}");
        assert!(course.looks.is_sorted_by_key(|(elapsed, _)| *elapsed), "{mode}");
        assert!(course.looks.iter().is_sorted_by_key(|(_, progress)| progress.answered), "{mode}");
        assert!(mode != "plain" || total.rollbacks == 0, "{mode}");
    }
}

#[test]
fn sums_over_several_list_actors_come_with_a_note() {
    let note = |list_actors| LIST.note(&params(&[("list_actors", list_actors)], "read"));
    assert_eq!(note(1), None);
    assert!(note(2).is_some_and(|note| note.contains("not atomic")));
    let speculative = params(&[("list_actors", 2)], "read").with("mode", Value::Word("combined"));
    assert_eq!(LIST.note(&speculative), None, "one transaction");
    assert!(LIST.note(&speculative.with("sum", Value::Word("kept"))).is_some());
}

#[test]
fn s24_histories_of_parallel_runs_are_linearizable() {
    for mode in MODES {
        for seed in 0..20 {
            assert_linearizable(1, mode, "usual", seed);
        }
    }
}

#[test]
fn s28_histories_with_coordinated_sums_are_linearizable() {
    for mode in SPECULATIVE_MODES {
        for sum in [COORDINATED, "coordinated-snapshot"] {
            for seed in 0..12 {
                assert_linearizable(4, mode, sum, seed);
            }
        }
    }
}

#[test]
fn s28_a_delay_between_list_actors_tears_no_sum() {
    for mode in ["combined", "concurrent"] {
        let settings = [("list_actors", 3), ("requesters", 3), ("requests", 60), ("range", 24)];
        let params = params(&settings, "mixed").with("mode", Value::Word(mode));
        let params = params.with("hop_delay", Value::Number(10));
        LIST.check(&params).expect("sums are coordinated");
        assert!(LIST.check(&params.clone().with("sum", Value::Word("kept"))).is_err());
        let plan = Plan { mix: Mix::of(30, 50), ..Plan::new(&params) };
        let history = record(&plan, &params).expect("the run is right");
        assert!(linearizable::is_linearizable(&history), "{mode}: {history:?}");
    }
}

#[test]
fn sums_that_are_not_coordinated_are_found_to_be_torn() {
    for mode in ["plain", "combined"] {
        let is_torn = |seed| {
            let history = history_of_parallel_run(4, mode, "kept", seed);
            !linearizable::is_linearizable(&history)
        };
        assert!((0..200).any(is_torn), "{mode}");
    }
}

fn assert_linearizable(list_actors: u64, mode: &'static str, sum: &'static str, seed: u64) {
    let history = history_of_parallel_run(list_actors, mode, sum, seed);
    assert!(
        linearizable::is_linearizable(&history),
        "{list_actors} list actors, {mode}, {sum}, seed {seed}: {history:?}"
    );
}

/// With every mix in turn, and so many sums that they meet updates.
fn history_of_parallel_run(
    list_actors: u64,
    mode: &'static str,
    sum: &'static str,
    seed: u64,
) -> History {
    let settings = [
        ("list_actors", list_actors),
        ("requesters", 4),
        ("requests", 100),
        ("range", 24),
        ("seed", seed),
        ("workers", 3),
    ];
    let params =
        params(&settings, "mixed").with("mode", Value::Word(mode)).with("sum", Value::Word(sum));
    let (lookups, updates) = [(80, 10), (10, 70), (40, 40)][seed as usize % 3];
    let plan = Plan { mix: Mix::of(lookups, updates), ..Plan::new(&params) };
    record(&plan, &params).expect("the run is right")
}
