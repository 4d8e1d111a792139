//! What `odeon-stm` promises.

use super::Goal::{AtMostFloors, AtMostNanoseconds, AtMostTimes, TimesFasterThanPeers};
use super::{Group, alone, group};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};
use crate::peers;
use crate::workload::Variant::Stm;

const WALK_SNAPSHOT: &[Setting] = &[("case", Word("walk-snapshot"))];
const WALK_LOGGED: &[Setting] = &[("case", Word("walk-logged"))];
const WALK_DIRECT: &[Setting] = &[("case", Word("walk-direct"))];
const COUNTER: &[Setting] = &[("case", Word("counter"))];
const COUNTER_VAR: &[Setting] = &[("case", Word("counter-var"))];
const ONE_THREAD: &[Setting] = &[("threads", Number(1))];
const TWO_THREADS: &[Setting] = &[("threads", Number(2))];

/// TUNE: guessed 2026-11: some 50 ms or more in each sample, so that the start of threads does not
/// count.
const TRANSACTIONS: Setting = ("transactions", Number(1_000_000));
const WALKS: Setting = ("transactions", Number(2000));
const QUICK: &[Setting] = &[("transactions", Number(20_000))];
const QUICK_WALKS: &[Setting] = &[("transactions", Number(50))];

pub(super) fn groups() -> Vec<Group> {
    let case = |name| ("case", Word(name));
    let walks = alone("stm", QUICK_WALKS)
        .with(&[ONE_THREAD[0], WALKS, ("nodes", Number(8192))])
        .figure_on(Stm, "stm: snapshot walk of 8,192 nodes", WALK_SNAPSHOT, AtMostFloors(1.3))
        .figure_on(Stm, "stm: logged walk of 8,192 nodes", WALK_LOGGED, AtMostFloors(2.0))
        .figure_on(Stm, "stm: direct walk and update", WALK_DIRECT, AtMostFloors(1.1));
    let read_write = group("stm", QUICK)
        .against(&peers::TRANSACTIONAL_MEMORIES)
        .with(&[case("read-write"), ONE_THREAD[0], TRANSACTIONS])
        .figure_on(Stm, "stm: read one, write one variable", &[], AtMostNanoseconds(60.0))
        .figure_on(Stm, "stm: read one, write one variable", &[], TimesFasterThanPeers(2.0));
    let transfer = group("stm", QUICK)
        .against(&peers::TRANSACTIONAL_MEMORIES)
        .with(&[case("transfer"), TWO_THREADS[0], TRANSACTIONS, ("variables", Number(1000))])
        .figure_on(Stm, "stm: bank of 1,000 accounts, 2 threads", &[], TimesFasterThanPeers(3.0))
        .figure_on(Stm, "stm: bank of 1,000 accounts, 2 threads", &[], AtMostFloors(1.0));
    // 1.9 times the throughput.
    let scales = AtMostTimes(1.0 / 1.9, ONE_THREAD);
    let disjoint = alone("stm", QUICK).with(&[case("disjoint"), TRANSACTIONS]).figure_on(
        Stm,
        "stm: 2 threads on disjoint variables against 1",
        TWO_THREADS,
        scales,
    );
    // 1.5 times the throughput.
    let commutes = AtMostTimes(1.0 / 1.5, COUNTER_VAR);
    let counter = alone("stm", QUICK).with(&[TWO_THREADS[0], TRANSACTIONS]).figure_on(
        Stm,
        "stm: a TCounter against a TVar, 2 threads",
        COUNTER,
        commutes,
    );
    let map = alone("stm", QUICK)
        .with(&[case("map"), TWO_THREADS[0], TRANSACTIONS, ("variables", Number(10_000))])
        .figure_on(Stm, "stm: a map of 10,000 keys, 97 % reads, 2 threads", &[], AtMostFloors(1.0));
    // 0.95 of its speed; the workload itself fails if a read is aborted.
    let unhindered = AtMostTimes(1.0 / 0.95, ONE_THREAD);
    let writer = alone("stm", QUICK)
        .with(&[case("writer"), TRANSACTIONS, ("variables", Number(1000))])
        .figure_on(Stm, "stm: a writer beside snapshots against it alone", TWO_THREADS, unhindered)
        .figure_on(Stm, "stm: a writer beside snapshots", TWO_THREADS, AtMostFloors(3.0));
    vec![walks, read_write, transfer, disjoint, counter, map, writer]
}
