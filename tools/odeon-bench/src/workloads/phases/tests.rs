//! Made-up courses, and a real run.

use super::*;

/// A look each ms, at so many messages in each.
fn looks(steps: impl IntoIterator<Item = u64>) -> Vec<WorkDone> {
    let mut looks = vec![WorkDone::default()];
    for step in steps {
        let WorkDone { elapsed, done } = looks[looks.len() - 1];
        looks.push(WorkDone { elapsed: elapsed + Duration::from_millis(1), done: done + step });
    }
    looks
}

#[test]
fn the_first_fast_window_counts() {
    let slow_then_fast = looks((0..100).map(|ms| if ms < 50 { 500 } else { 1000 }));
    assert_eq!(messages_until(&slow_then_fast, 1e6, 4000), Some(25_000));
    // A window may begin with some of the slow ones.
    assert_eq!(messages_until(&slow_then_fast, 0.88e6, 4000), Some(24_500));
    assert_eq!(messages_until(&slow_then_fast, 0.78e6, 4000), Some(24_000));
    assert_eq!(messages_until(&slow_then_fast, 0.4e6, 4000), Some(0));
    assert_eq!(messages_until(&slow_then_fast, 1.1e6, 4000), None);
}

#[test]
fn a_short_burst_is_no_window() {
    let burst = looks((0..100).map(|ms| if ms == 50 { 1000 } else { 500 }));
    assert_eq!(messages_until(&burst, 0.9e6, 4000), None);
    assert_eq!(messages_until(&looks([100; 5]), 1.0, 4000), None);
    assert_eq!(messages_until(&[], 1.0, 4000), None);
}

#[test]
fn an_adaptive_actor_follows_every_change() {
    let plan = PhasesPlan {
        handler_ns: 1000,
        senders: 8,
        entries: 20_000,
        workers: 2,
        samples: 3,
        within_percent: 60,
    };
    // Loosely, and not at the first attempt: other programs may take a core meanwhile.
    let follows = |phase: &PhaseResult| {
        let soonest = phase.messages.iter().flatten().min();
        soonest.is_some_and(|messages| *messages <= plan.entries / 2)
    };
    let mut seen = Vec::new();
    for _ in 0..5 {
        let mut runs = 0;
        let phases = plan.run(|_| runs += 1).expect("the total is right");
        assert_eq!((runs, phases.len()), (plan.runs(), 3));
        for (phase, conflict) in phases.iter().zip(CONFLICTS) {
            assert_eq!((phase.conflict, phase.messages.len()), (conflict, 3));
            assert!(phase.best_ns > 0.0 && FIXED.contains(&phase.best), "{phase:?}");
        }
        if phases.iter().all(follows) {
            return;
        }
        seen.push(phases);
    }
    panic!("{seen:?}");
}
