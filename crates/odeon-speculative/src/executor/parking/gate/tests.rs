//! Who is tried, and who waits by itself.

use super::*;
use odeon_core::Access;

fn job(number: u32) -> Job<u32> {
    Job { mailbox: 3, ..Job::new(number, Access::Update, None) }
}

fn numbers(jobs: impl IntoIterator<Item = Job<u32>>) -> Vec<u32> {
    jobs.into_iter().map(|job| job.message).collect()
}

#[test]
fn one_waits_by_itself_and_the_others_behind_it() {
    let mut gates = Gates::default();
    let scout = gates.refused(job(0)).expect("the first one");
    (1..7).for_each(|number| assert!(gates.refused(job(number)).is_none()));
    // Refused again.
    let mut scout = gates.refused(scout).expect("still the only one");
    assert!(std::mem::take(&mut scout.is_scout));
    let [first, second] = gates.passed(3).map(|next| next.expect("there are more"));
    assert_eq!((first.message, second.message), (1, 2));
    // The first one finds the guard closed, the second one too: the last one waits by itself.
    assert!(gates.refused(first).is_none());
    let second = gates.refused(second).expect("the last one");
    assert!(second.is_scout);
    let next = gates.passed(3);
    assert_eq!(numbers(next.into_iter().flatten()), [1, 3]);
    let mut next = gates.passed(3).into_iter().chain(gates.passed(3)).flatten();
    assert_eq!(numbers(next.by_ref()), [4, 5, 6]);
}

#[test]
fn at_a_restart_all_are_tried_and_who_is_being_tried_counts_on() {
    let mut gates = Gates::default();
    let scout = gates.refused(job(0)).expect("the first one");
    (1..4).for_each(|number| assert!(gates.refused(job(number)).is_none()));
    assert_eq!(scout.message, 0);
    let [Some(mut first), Some(second)] = gates.passed(3) else { panic!("there are more") };
    gates.give_up(&mut first);
    assert_eq!(numbers(gates.drain()), [3]);
    let mut plain = job(9);
    gates.give_up(&mut plain);
    // The second one is on its way.
    assert!(gates.refused(first).is_none());
    assert!(second.is_scout);
    assert_eq!(numbers(gates.passed(3).into_iter().flatten()), [1]);
}
