//! The list against a plain set, and the recorded history against both.

mod linearizable;

use super::history::{History, ListEvent, Operation, OperationOutcome};
use super::segment::Segment;
use super::*;
use std::collections::BTreeSet;
use std::time::Duration;

fn plan(list_actors: usize, requesters: usize, requests: u64, range: u64) -> ListPlan {
    ListPlan {
        list_actors,
        requesters,
        requests,
        range,
        fill_percent: 20,
        mix: Mix::named("mixed"),
        sum: Sum::Kept,
        spread: Spread::Range,
        seed: 1,
    }
}

fn handling(mode: &str) -> ListHandling {
    ListHandling { workers: 2, mode: ListMode::named(mode), hop_delay: Duration::ZERO }
}

/// The way to sum that is exact, unless `word` says another.
fn way_to_sum(word: &str, list_actors: usize, mode: &str) -> Sum {
    let is_coordinated = list_actors > 1 && mode != "plain";
    Sum::named(word, if is_coordinated { Sum::Coordinated } else { Sum::Kept })
}

fn record(plan: &ListPlan, handling: &ListHandling) -> History {
    List::new(plan, handling).and_then(|list| list.record()).expect("the run is right")
}

#[test]
fn prefill_is_exact_and_in_the_right_parts() {
    let plan = plan(5, 125, 1000, 1003);
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
    let plan = plan(1, 125, 10_000, 41_216);
    let mut client = client::Client::new(&plan, 0, None);
    let (mut lookups, mut updates, mut sums) = (0, 0, 0);
    while let Some(request) = client.next_request() {
        match request {
            ListOperation::Lookup(_) => lookups += 1,
            ListOperation::Insert(_) | ListOperation::Remove(_) => updates += 1,
            ListOperation::Sum(_) => sums += 1,
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
    let history = record(&plan(3, 4, 50, 40), &handling("plain"));
    assert_eq!(history.initial.len(), 8);
    assert_eq!(history.events.len(), 200);
    for event in &history.events {
        assert!(event.call_ns <= event.return_ns, "{event:?}");
        assert_eq!(matches!(event.result, OperationOutcome::Sum(_)), event.op == Operation::Sum);
    }
    for client in 0..4 {
        let own: Vec<&ListEvent> = history.events.iter().filter(|e| e.client == client).collect();
        assert_eq!(own.len(), 50);
        assert!(own.windows(2).all(|pair| pair[0].return_ns <= pair[1].call_ns));
    }
}

#[test]
fn the_history_of_one_client_replays_on_a_set() {
    let with_modes = |workload| MODES.map(|mode| (workload, mode));
    for (workload, mode) in ["read", "write", "mixed"].into_iter().flat_map(with_modes) {
        let (mix, sum) = (Mix::named(workload), way_to_sum("usual", 4, mode));
        replays_on_a_set(&ListPlan { mix, sum, ..plan(4, 1, 500, 64) }, mode);
    }
}

#[test]
fn every_spread_and_every_way_to_sum_replay_on_a_set() {
    for (spread, sum) in SPREADS.into_iter().flat_map(|spread| SUMS.map(|sum| (spread, sum))) {
        for mode in MODES {
            let sum = way_to_sum(sum, 3, mode);
            if mode == "plain" && sum.is_coordinated() {
                continue;
            }
            let plan = ListPlan { spread: Spread::named(spread), sum, ..plan(3, 1, 300, 64) };
            replays_on_a_set(&plan, mode);
            floor(&plan).expect("the floor is right");
        }
    }
}

fn replays_on_a_set(plan: &ListPlan, mode: &str) {
    let history = record(plan, &handling(mode));
    let mut set: BTreeSet<u32> = history.initial.iter().copied().collect();
    {
        for event in &history.events {
            let expected = match event.op {
                Operation::Insert => OperationOutcome::Whether(set.insert(event.arg)),
                Operation::Remove => OperationOutcome::Whether(set.remove(&event.arg)),
                Operation::Lookup => OperationOutcome::Whether(set.contains(&event.arg)),
                Operation::Sum => OperationOutcome::Sum(set.iter().copied().map(i64::from).sum()),
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
    for mode in MODES {
        let (mix, sum) = (Mix::named("write"), way_to_sum("usual", 2, mode));
        let list = List::new(&ListPlan { mix, sum, ..plan(2, 20, 200, 64) }, &handling(mode));
        let course = list.and_then(|list| list.run_watched(Duration::from_millis(1)));
        let course = course.expect("the run is right");
        assert_eq!(course.looks[0], (Duration::ZERO, ListProgress::default()));
        let (_, total) = course.looks[course.looks.len() - 1];
        assert_eq!((course.timed.ops, total.answered), (4000, 4000), "{mode}");
        assert!(course.looks.is_sorted_by_key(|(elapsed, _)| *elapsed), "{mode}");
        assert!(course.looks.iter().is_sorted_by_key(|(_, progress)| progress.answered), "{mode}");
        assert!(mode != "plain" || total.rollbacks == 0, "{mode}");
    }
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
        let (mix, sum) = (Mix::of(30, 50), Sum::Coordinated);
        let handling = ListHandling { hop_delay: Duration::from_micros(10), ..handling(mode) };
        let history = record(&ListPlan { mix, sum, ..plan(3, 3, 60, 24) }, &handling);
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

fn assert_linearizable(list_actors: usize, mode: &'static str, sum: &'static str, seed: u64) {
    let history = history_of_parallel_run(list_actors, mode, sum, seed);
    assert!(
        linearizable::is_linearizable(&history),
        "{list_actors} list actors, {mode}, {sum}, seed {seed}: {history:?}"
    );
}

/// With every mix in turn, and so many sums that they meet updates.
fn history_of_parallel_run(
    list_actors: usize,
    mode: &'static str,
    sum: &'static str,
    seed: u64,
) -> History {
    let (lookups, updates) = [(80, 10), (10, 70), (40, 40)][seed as usize % 3];
    let (mix, sum) = (Mix::of(lookups, updates), way_to_sum(sum, list_actors, mode));
    let plan = ListPlan { mix, sum, seed, ..plan(list_actors, 4, 100, 24) };
    record(&plan, &ListHandling { workers: 3, ..handling(mode) })
}
