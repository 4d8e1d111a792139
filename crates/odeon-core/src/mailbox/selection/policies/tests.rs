use super::*;
use crate::mailbox::selection::WaitingCounts;

/// One message waits in each mailbox.
struct OneEach;
impl WaitingCounts for OneEach {
    fn waiting(&self, _: usize) -> usize {
        1
    }
}

fn select(policy: &mut impl SelectionPolicy, bits: u64) -> usize {
    let ready = Ready::new(bits, &OneEach);
    let selected = policy.select(ready);
    assert!(ready.contains(selected), "{selected} of {ready:?}");
    selected
}

/// The most selections for which a mailbox of `mailboxes` was ready and passed over, with mailboxes
/// that become ready and are closed by chance; at first all are always ready.
fn longest_wait(policy: &mut impl SelectionPolicy, mailboxes: usize, seed: u64) -> Vec<u64> {
    policy.begin(mailboxes, seed);
    let mut random = Random::from_seed(seed);
    let all = u64::MAX >> (64 - mailboxes);
    let (mut waits, mut longest) = (vec![0; mailboxes], vec![0; mailboxes]);
    let mut bits = all;
    for step in 0..20_000 {
        if step > 2_000 {
            // Few change at a time, so that many wait long.
            bits ^= 1 << random.below(mailboxes);
            if bits == 0 {
                bits = 1 << random.below(mailboxes);
            }
        }
        let selected = select(policy, bits);
        for mailbox in 0..mailboxes {
            if mailbox == selected || bits & (1 << mailbox) == 0 {
                waits[mailbox] = 0;
            } else {
                waits[mailbox] += 1;
                longest[mailbox] = longest[mailbox].max(waits[mailbox]);
            }
        }
    }
    longest
}

#[test]
fn ageing_waits_as_long_as_it_says_and_no_longer() {
    for (mailboxes, after, seed) in
        [(2, 1, 1), (2, 100, 2), (5, 3, 3), (8, 20, 4), (64, 10, 5), (64, 500, 6)]
    {
        let longest = longest_wait(&mut Ageing::new(after), mailboxes, seed);
        let bound = u64::from(after) + mailboxes as u64 - 1;
        assert!(longest.iter().all(|wait| *wait <= bound), "{longest:?}, at most {bound}");
        // It is priority otherwise: the last one waits nearly as long as it may.
        assert!(longest[mailboxes - 1] >= u64::from(after), "{longest:?}");
    }
}

#[test]
fn while_nobody_has_waited_too_long_ageing_is_priority() {
    let mut policy = Ageing::new(3);
    let order: Vec<usize> = (0..8).map(|_| select(&mut policy, 0b110)).collect();
    assert_eq!(order, [1, 1, 1, 2, 1, 1, 1, 2]);
}

#[test]
fn a_mailbox_that_was_closed_meanwhile_begins_to_wait_anew() {
    let mut policy = Ageing::new(3);
    let order: Vec<usize> =
        [0b11, 0b11, 0b01, 0b11, 0b11, 0b11, 0b11].map(|bits| select(&mut policy, bits)).into();
    assert_eq!(order, [0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn round_robin_waits_for_one_message_of_each_other() {
    for mailboxes in [2, 7, 64] {
        let longest = longest_wait(&mut RoundRobin::default(), mailboxes, 7);
        assert!(longest.iter().all(|wait| *wait < mailboxes as u64), "{longest:?}");
    }
    let mut policy = RoundRobin::default();
    let order: Vec<usize> = (0..5).map(|_| select(&mut policy, 0b1011)).collect();
    assert_eq!(order, [0, 1, 3, 0, 1]);
}

#[test]
fn weights_are_messages_in_a_row() {
    let mut policy = Weighted::new([3, 1, 2]);
    policy.begin(3, 0);
    let order: Vec<usize> = (0..7).map(|_| select(&mut policy, 0b111)).collect();
    assert_eq!(order, [0, 0, 0, 1, 2, 2, 0]);

    for seed in 0..4 {
        let weights = [5, 1, 9, 2];
        let longest = longest_wait(&mut Weighted::new(weights), 4, seed);
        for (mailbox, wait) in longest.iter().enumerate() {
            let others: u32 = weights.iter().sum::<u32>() - weights[mailbox];
            assert!(*wait <= u64::from(others), "{mailbox}: {longest:?}");
        }
    }
}

#[test]
fn a_mailbox_that_runs_empty_loses_the_rest_of_its_turn() {
    let mut policy = Weighted::new([3, 3]);
    policy.begin(2, 0);
    let order: Vec<usize> =
        [0b11, 0b10, 0b11, 0b11, 0b11].map(|bits| select(&mut policy, bits)).into();
    assert_eq!(order, [0, 1, 1, 1, 0]);
}

#[test]
fn the_last_one_goes_on_until_it_is_not_ready() {
    let mut policy = LeastRecentlyUsed::default();
    let order: Vec<usize> = [0b110, 0b111, 0b111, 0b101, 0b111, 0b011, 0b111]
        .map(|bits| select(&mut policy, bits))
        .into();
    assert_eq!(order, [1, 1, 1, 2, 2, 0, 0]);
}

#[test]
fn chance_is_fair_and_the_seeds() {
    let orders = [1, 1, 2].map(|seed| {
        let mut policy = RandomMailbox::default();
        policy.begin(5, seed);
        (0..1_000).map(|_| select(&mut policy, 0b11001)).collect::<Vec<_>>()
    });
    assert_eq!(orders[0], orders[1]);
    assert_ne!(orders[0], orders[2]);
    for mailbox in [0, 3, 4] {
        let often = orders[0].iter().filter(|selected| **selected == mailbox).count();
        // Six standard deviations around a third.
        assert!((243..=423).contains(&often), "{mailbox}: {often} of 1,000");
    }
}

#[test]
#[should_panic(expected = "there are 2 weights for 3 mailboxes")]
fn there_is_a_weight_for_each_mailbox() {
    Weighted::new([1, 2]).begin(3, 0);
}

#[test]
#[should_panic(expected = "weight 0 would never be selected")]
fn weights_are_positive() {
    let _ = Weighted::new([1, 0]);
}

#[test]
#[should_panic(expected = "passed over less than once")]
fn ageing_passes_over_at_least_once() {
    let _ = Ageing::new(0);
}
