//! Runs that last some time.

use crate::parameter::Value;
use crate::workload::Variant;
use crate::workloads::find;

#[test]
fn a_run_that_lasts_repeats_itself_and_looks_at_the_memory() {
    for mode in ["adaptive", "sharded", "mutex"] {
        let ledger = find("ledger").expect("ledger is a workload");
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
