//! Runs that last some time, every mode with messages that meet, and what is refused.

use super::*;

#[test]
fn a_run_that_lasts_repeats_itself_and_looks_at_the_memory() {
    for mode in ["adaptive", "sharded", "mutex"] {
        let ledger = &LEDGER;
        let params = ledger
            .defaults()
            .with("mode", Value::Word(mode))
            .with("entries", Value::Number(160))
            .with("handler_ns", Value::Number(0))
            .with("seconds", Value::Number(1));
        // The check of the total knows how often each sender has entered.
        let measured = ledger.run(Variant::Pool, &params).expect("the total is right");
        assert!(measured.ops > 1600 && measured.ops % 10 == 0, "{mode}: {measured:?}");
        assert!(cfg!(not(target_os = "linux")) || measured.growth_kib_per_minute.is_some());
        let once = params.with("seconds", Value::Number(0));
        let measured = ledger.run(Variant::Pool, &once).expect("the total is right");
        assert_eq!((measured.ops, measured.growth_kib_per_minute), (160, None), "{mode}");
    }
}

fn transfers(settings: &[(&str, u64)], mode: &'static str) -> Params {
    let start = ACCOUNTS
        .defaults()
        .with("mode", Value::Word(mode))
        .with("transfers", Value::Number(2000))
        .with("accounts", Value::Number(20))
        .with("handler_ns", Value::Number(100));
    settings.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)))
}

#[test]
fn money_is_kept_in_every_mode_and_audits_see_it() {
    for &mode in MODES {
        let audits = if mode == "sharded" { 0 } else { 10 };
        let params = transfers(&[("hot", 50), ("audits", audits), ("workers", 3)], mode);
        ACCOUNTS.check(&params).expect("they fit together");
        let measured = ACCOUNTS.run(Variant::Pool, &params);
        assert_eq!(measured.unwrap_or_else(|error| panic!("{mode}: {error}")).ops, 2000);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = ACCOUNTS.check(&transfers(&[("audits", 1)], "sharded")).unwrap_err();
    assert!(refused.to_string().starts_with("--audits: "), "{refused}");
    let refused = ACCOUNTS.check(&transfers(&[("hot_accounts", 21)], "plain")).unwrap_err();
    assert!(refused.to_string().starts_with("--hot-accounts: "), "{refused}");
}

fn requests(settings: &[(&str, u64)], mode: &'static str) -> Params {
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
    for &mode in MODES {
        for (reads, updates) in [(50, 30), (0, 0), (0, 100), (100, 0)] {
            let params = requests(&[("reads", reads), ("updates", updates), ("workers", 3)], mode);
            SESSION_DIRECTORY.check(&params).expect("they fit together");
            let measured = SESSION_DIRECTORY.run(Variant::Pool, &params);
            let measured = measured.unwrap_or_else(|error| panic!("{mode}: {error}"));
            assert_eq!(measured.ops, 16 * 3000_u64.div_ceil(16));
        }
    }
}

#[test]
fn more_than_all_requests_are_refused() {
    let refused = SESSION_DIRECTORY.check(&requests(&[("reads", 93)], "plain")).unwrap_err();
    assert!(refused.to_string().starts_with("--updates: 93 and 8 per cent"), "{refused}");
}
