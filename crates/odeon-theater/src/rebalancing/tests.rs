//! Policies by themselves: what they choose in a situation.

use super::*;
use crate::{MobileId, TheaterId};

fn theater(n: u128) -> TheaterId {
    TheaterId::from_bits(n)
}

fn actor(number: u64) -> MobileId {
    MobileId { born: theater(9), number }
}

fn load(messages_per_second: f64) -> Load {
    Load { messages_per_second, actors: 1, is_steady: true }
}

fn one(number: u64, messages_per_second: f64) -> Measured {
    Measured { id: actor(number), kind: "any".into(), messages_per_second }
}

/// Of theater 5.
fn situation(actors: Vec<Measured>, others: &[(u128, f64)]) -> Situation {
    let all = actors.iter().map(|actor| actor.messages_per_second).sum();
    let others = others.iter().map(|&(id, rate)| (theater(id), load(rate))).collect();
    Situation { theater: theater(5), load: load(all), actors, others }
}

#[test]
fn load_goes_to_the_least_busy_until_the_gap_is_closed() {
    let actors: Vec<_> = (0..6).map(|n| one(n, 1_000.0)).collect();
    let moves = ByLoad::default().choose(&situation(actors.clone(), &[(1, 0.0), (2, 3_000.0)]));
    assert_eq!(moves, [(actor(0), theater(1)), (actor(1), theater(1)), (actor(2), theater(1))]);
    let even = ByLoad::default().choose(&situation(actors, &[(1, 5_000.0)]));
    assert!(even.is_empty(), "the gap is too small");
}

#[test]
fn load_is_left_alone_where_nothing_would_be_won() {
    let mut by_load = ByLoad::default();
    let one_only = situation(vec![one(1, 9_000.0), one(2, 0.0)], &[(1, 0.0)]);
    assert!(by_load.choose(&one_only).is_empty(), "the other one would be as busy");
    let few = situation(vec![one(1, 30.0), one(2, 30.0)], &[(1, 0.0)]);
    assert!(by_load.choose(&few).is_empty(), "there is little to do");
    let actors = || (0..4).map(|n| one(n, 1_000.0)).collect();
    let not_busiest = situation(actors(), &[(1, 0.0), (2, 4_001.0)]);
    assert!(by_load.choose(&not_busiest).is_empty(), "the busiest one moves its own");
    let mut unsteady = situation(actors(), &[(1, 0.0)]);
    unsteady.others[0].1.is_steady = false;
    assert!(by_load.choose(&unsteady).is_empty(), "what has come there is not seen yet");
    unsteady.others[0].1.is_steady = true;
    unsteady.load.is_steady = false;
    assert!(by_load.choose(&unsteady).is_empty(), "what has gone from here is still counted");
    unsteady.load.is_steady = true;
    assert_eq!(by_load.choose(&unsteady).len(), 2);
}
