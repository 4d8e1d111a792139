//! Every mode with requests that meet, and what makes a run fail.

use super::requests::{Changes, Found, What};
use super::zipf::Zipf;
use super::*;
use crate::parameter::Value;
use crate::workloads::shared_state::Shared;
use odeon_example_run::SplitMix64;

const MODES: [&str; 7] =
    ["adaptive", "concurrent", "sequential", "plain", "sharded", "mutex", "rwlock"];

fn params(settings: &[(&str, u64)], mode: &'static str) -> Params {
    let start = SESSION_DIRECTORY
        .defaults()
        .with("mode", Value::Word(mode))
        .with("requests", Value::Number(3000))
        .with("keys", Value::Number(50))
        .with("handler_ns", Value::Number(100));
    settings.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)))
}

#[test]
fn the_map_has_what_requests_have_counted_in_every_mode() {
    for mode in MODES {
        for (reads, updates) in [(50, 30), (0, 0), (0, 100), (100, 0)] {
            let params = params(&[("reads", reads), ("updates", updates), ("workers", 3)], mode);
            SESSION_DIRECTORY.check(&params).expect("they fit together");
            let measured = SESSION_DIRECTORY.run(Variant::Pool, &params);
            let measured = measured.unwrap_or_else(|error| panic!("{mode}: {error}"));
            assert_eq!(measured.ops, 16 * 3000_u64.div_ceil(16));
        }
    }
}

#[test]
fn a_map_that_is_not_as_counted_is_an_error() {
    let plan = Plan::new(&params(&[], "plain"));
    let counted = Changes { sessions: 3, touches: 5 };
    plan.check(vec![Found { counted, seen: counted, strangers: 0 }], &[1]).expect("it is right");
    for (seen, strangers) in [
        (Changes { sessions: 2, ..counted }, 0),
        (Changes { touches: 6, ..counted }, 0),
        (counted, 1),
    ] {
        assert!(plan.check(vec![Found { counted, seen, strangers }], &[1]).is_err());
    }
}

#[test]
fn requests_follow_the_shares() {
    let plan = Plan::new(&params(&[("reads", 60), ("updates", 20), ("senders", 1)], "plain"));
    let of = |what| plan.deeds_of(0).filter(|request| request.what == what).count();
    let (lookups, touches, begun, ended) =
        (of(What::Lookup), of(What::Touch), of(What::Begin), of(What::End));
    assert_eq!(lookups + touches + begun + ended, 3000);
    assert!((1650..1950).contains(&lookups), "{lookups}");
    assert!((500..700).contains(&touches), "{touches}");
    assert!((220..380).contains(&begun) && (220..380).contains(&ended), "{begun}, {ended}");
}

#[test]
fn ranks_are_drawn_in_proportion() {
    let drawn = |skew| {
        let (zipf, mut random) = (Zipf::new(4, skew), SplitMix64::new(3));
        let mut drawn = [0_u32; 4];
        (0..25_000).for_each(|_| drawn[zipf.draw(&mut random)] += 1);
        drawn
    };
    for (rank, (even, skewed)) in drawn(0.0).iter().zip(drawn(1.0)).enumerate() {
        assert!(even.abs_diff(6250) < 400, "{rank}: {even}");
        // 12/25, 6/25, 4/25, 3/25.
        let expected = 12_000 / (rank as u32 + 1);
        assert!(skewed.abs_diff(expected) < 400, "{rank}: {skewed}");
    }
    assert_eq!(Zipf::new(1, 0.99).draw(&mut SplitMix64::new(1)), 0);
}

#[test]
fn more_than_all_requests_are_refused() {
    let refused = SESSION_DIRECTORY.check(&params(&[("reads", 93)], "plain")).unwrap_err();
    assert!(refused.to_string().starts_with("--updates: 93 and 8 per cent"), "{refused}");
}
