//! The pending timers with a clock in the test's hand.

use super::*;

/// Looks until there is nothing to be done now; what was due, and what is next.
fn look(pending: &Pending<u32>, now: u64) -> (Vec<u32>, TimerAction) {
    let mut all = Vec::new();
    loop {
        let mut due = Vec::new();
        match pending.look(now, &mut due) {
            TimerAction::Look => all.append(&mut due),
            next => return (all, next),
        }
    }
}

#[test]
fn a_look_takes_what_is_due_and_says_when_the_next_one_is() {
    let pending = Pending::new();
    assert_eq!(look(&pending, 0), (vec![], TimerAction::Sleep(None)));
    for n in 0..1_000 {
        pending.arm(u64::from(n / 100), n).unwrap();
    }
    assert_eq!(look(&pending, 2), ((0..300).collect(), TimerAction::Sleep(Some(3))));
    assert_eq!(look(&pending, 9), ((300..1_000).collect(), TimerAction::Sleep(None)));
}

/// Rule 3: the thread is woken for the first of many timers that are armed and cancelled.
#[test]
fn arming_and_cancelling_over_and_over_wakes_the_thread_once() {
    let pending = Pending::new();
    pending.arm(1_000, 0).unwrap();
    assert_eq!(look(&pending, 0).1, TimerAction::Sleep(Some(1_000 / 64 * 64)));
    pending.parker().park();
    for n in 0..10 {
        let key = pending.arm(30 + u64::from(n), n).unwrap();
        assert_eq!(pending.disarm(key), Some(n));
        let woken = pending.parker().park_timeout(std::time::Duration::ZERO);
        assert_eq!(woken, n == 0);
        if woken {
            assert_eq!(look(&pending, 0).1, TimerAction::Sleep(Some(30)));
        }
    }
    // An earlier one wakes it again.
    pending.arm(20, 7).unwrap();
    assert!(pending.parker().park_timeout(std::time::Duration::ZERO));
    assert_eq!(look(&pending, 30), (vec![7], TimerAction::Sleep(Some(1_000 / 64 * 64))));
}

#[test]
fn the_end_gives_back_what_was_pending_and_refuses_what_comes_later() {
    let pending = Pending::new();
    let keys: Vec<_> = (0..10).map(|n| pending.arm(u64::from(n), n).unwrap()).collect();
    assert_eq!(pending.disarm(keys[3]), Some(3));
    let mut left: Vec<_> = pending.end().collect();
    left.sort_unstable();
    assert_eq!(left, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert_eq!(pending.arm(1, 99), Err(99));
    assert_eq!(look(&pending, 100), (vec![], TimerAction::Return));
    assert!(keys.iter().all(|key| pending.disarm(*key).is_none()));
}
