//! Runs beside questions, and what makes one fail.

use super::*;
use odeon_example_shared_state::Deed;

fn params(settings: &[(&str, u64)], asked: &'static str) -> Params {
    let start = BESIDE
        .defaults()
        .with("asked", Value::Word(asked))
        .with("entries", Value::Number(700))
        .with("handler_ns", Value::Number(100));
    settings.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)))
}

#[test]
fn every_change_is_made_whoever_asks() {
    for asked in ["ledger", "another"] {
        for (askers, workers) in [(0, 2), (1, 1), (4, 2), (9, 3)] {
            let params = params(&[("askers", askers), ("workers", workers)], asked);
            let measured = BESIDE.run(Variant::Pool, &params);
            let measured = measured.unwrap_or_else(|error| panic!("{params}: {error}"));
            assert_eq!(measured.ops, 700, "{params}");
        }
    }
}

#[test]
fn an_attempt_in_vain_is_noticed() {
    let mut speculation = SpeculationStats::default();
    check(&speculation).expect("there was none");
    speculation.rollbacks.push((odeon_stm::Cause::SnapshotExpired, 1));
    let refused = check(&speculation).unwrap_err().to_string();
    assert!(refused.contains("1 rollbacks"), "{refused}");
}

#[test]
fn one_sender_changes_and_the_others_only_look() {
    let params = params(&[], "ledger");
    for (sender, is_read) in [(0, false), (1, true), (4, true)] {
        let deeds: Vec<_> = plan(&params, sender).deeds_of(0).collect();
        assert_eq!(deeds.len(), 700);
        assert!(deeds.iter().all(|deed| deed.is_read() == is_read));
    }
}
