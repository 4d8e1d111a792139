//! The wheel against an ordered map, and what it does with memory.

use std::collections::BTreeMap;

use super::*;
use crate::vocabulary::random::Random;

/// What the wheel must do: timers by tick and, within one, by arming.
#[derive(Default)]
struct Reference {
    timers: BTreeMap<(u64, u64), TimerKey>,
    armed: u64,
}

impl Reference {
    fn next_due(&mut self, now: u64) -> Option<u64> {
        let entry = self.timers.first_entry().filter(|entry| entry.key().0 <= now)?;
        let (_, serial) = *entry.key();
        entry.remove();
        Some(serial)
    }
}

/// A delay of up to 64^`digits` ticks, small ones as likely as large ones.
fn delay(random: &mut Random, digits: usize) -> u64 {
    let bits = random.below(DIGIT as usize * digits + 1);
    random.next_u64() & ((1 << bits) - 1)
}

/// Random arming, cancelling and passing of time; few steps at a time, so that timers are armed and
/// cancelled in the middle of a cascade.
fn equals_the_reference(seed: u64, digits: usize, operations: usize) {
    let mut random = Random::from_seed(seed);
    let (mut wheel, mut reference) = (Wheel::new(), Reference::default());
    let mut now = random.next_u64() >> random.below(64) >> 20;
    let mut keys = Vec::new();
    for _ in 0..operations {
        match random.below(8) {
            0..4 => {
                let tick = now + delay(&mut random, digits);
                let serial = reference.armed;
                let key = wheel.insert(tick, serial);
                reference.armed += 1;
                reference.timers.insert((tick, serial), key);
                keys.push((tick, serial, key));
            }
            4..6 if !keys.is_empty() => {
                let (tick, serial, key) = keys.swap_remove(random.below(keys.len()));
                let pending = reference.timers.remove(&(tick, serial)).is_some();
                assert_eq!(wheel.remove(key), pending.then_some(serial));
            }
            6 => now += delay(&mut random, digits),
            _ => {
                let mut steps = random.below(8) as u32;
                while let Some(value) = wheel.take_due(now, &mut steps) {
                    assert_eq!(Some(value), reference.next_due(now));
                }
            }
        }
        assert_eq!(wheel.len(), reference.timers.len());
        let earliest = reference.timers.first_key_value().map(|((tick, _), _)| *tick);
        assert_eq!(wheel.next_look().is_some(), earliest.is_some());
        assert!(wheel.next_look() <= earliest, "a look after the first timer is due");
        if random.below(16) == 0 {
            assert_eq!(wheel.earliest(now), earliest);
            assert_eq!(wheel.has_due(now), earliest.is_some_and(|tick| tick <= now));
        }
    }
    while let Some(value) = wheel.take_due(u64::MAX, &mut u32::MAX.clone()) {
        assert_eq!(Some(value), reference.next_due(u64::MAX));
    }
    assert!(reference.timers.is_empty() && wheel.len() == 0);
}

#[test]
fn random_use_equals_an_ordered_map() {
    for seed in 0..300 {
        equals_the_reference(seed, 1 + seed as usize % 5, 2_000);
    }
}

#[test]
fn a_timer_is_due_at_its_tick_and_not_before() {
    for tick in [1, 63, 64, 65, 4_095, 4_096, 262_143, 262_144, 16_777_217] {
        let mut wheel = Wheel::new();
        wheel.insert(tick, ());
        assert!(!wheel.has_due(tick - 1), "{tick}");
        assert!(wheel.has_due(tick), "{tick}");
        assert_eq!(wheel.take_due(tick, &mut 1), Some(()));
    }
}

#[test]
fn what_is_too_far_away_comes_last() {
    let mut wheel = Wheel::new();
    let never = wheel.insert(u64::MAX, "never");
    wheel.insert(1 << 40, "in 35 years");
    assert_eq!(wheel.take_due(1 << 41, &mut u32::MAX.clone()), Some("in 35 years"));
    assert!(!wheel.has_due(1 << 41));
    assert_eq!(wheel.earliest(1 << 41), Some(LAST_TICK));
    assert_eq!(wheel.remove(never), Some("never"));
}

#[test]
fn a_key_is_worth_nothing_after_its_timer() {
    let mut wheel = Wheel::new();
    let key = wheel.insert(5, 1);
    assert_eq!(wheel.remove(key), Some(1));
    let next = wheel.insert(5, 2);
    assert_eq!(next.place, key.place);
    assert_eq!(wheel.remove(key), None);
    assert_eq!(wheel.take_due(5, &mut 1), Some(2));
    assert_eq!(wheel.remove(next), None);
}

#[test]
fn places_are_used_again_and_many_of_them_go_back() {
    let mut wheel = Wheel::new();
    for round in 0..3 {
        let keys: Vec<_> = (0..1_000_000).map(|n| wheel.insert(n % 100_000, n)).collect();
        assert_eq!((wheel.len(), wheel.places.len()), (1_000_000, 1_000_000), "round {round}");
        // Half of them twice: places freed are taken before new ones.
        for key in &keys[..500_000] {
            assert!(wheel.remove(*key).is_some());
        }
        let again: Vec<_> = (0..500_000).map(|n| wheel.insert(n, n)).collect();
        assert_eq!(wheel.places.len(), 1_000_000, "round {round}");
        for key in keys[500_000..].iter().chain(&again) {
            assert!(wheel.remove(*key).is_some());
        }
        assert_eq!(wheel.places.capacity(), 0);
        assert!(wheel.links.capacity() < 2 * SENTINELS);
        assert!(keys.iter().all(|key| wheel.remove(*key).is_none()));
    }
}
