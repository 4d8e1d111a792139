//! What `odeon-stm` promises.

use super::Goal::{AtMostFloors, AtMostNanoseconds, AtMostTimes, TimesFasterThanPeers};
use super::{Group, group};
use crate::parameter::{Setting, Value};
use crate::peers;
use crate::workload::Variant::Stm;

const WALK_SNAPSHOT: &[Setting] = &[("case", Value::Word("walk-snapshot"))];
const WALK_LOGGED: &[Setting] = &[("case", Value::Word("walk-logged"))];
const WALK_DIRECT: &[Setting] = &[("case", Value::Word("walk-direct"))];
const COUNTER: &[Setting] = &[("case", Value::Word("counter"))];
const COUNTER_VAR: &[Setting] = &[("case", Value::Word("counter-var"))];
const ONE_THREAD: &[Setting] = &[("threads", Value::Number(1))];
const TWO_THREADS: &[Setting] = &[("threads", Value::Number(2))];

/// TUNE: guessed 2026-11: some 50 ms or more in each sample, so that the start of threads does not
/// count.
const TRANSACTIONS: Setting = ("transactions", Value::Number(1_000_000));
const WALKS: Setting = ("transactions", Value::Number(2000));
const QUICK: &[Setting] = &[("transactions", Value::Number(20_000))];
const QUICK_WALKS: &[Setting] = &[("transactions", Value::Number(50))];

pub(super) fn groups() -> Vec<Group> {
    let case = |name| ("case", Value::Word(name));
    let walks = group("stm", QUICK_WALKS)
        .without_peers()
        .with(&[ONE_THREAD[0], WALKS, ("nodes", Value::Number(8192))])
        .figure("stm: snapshot walk of 8,192 nodes", Stm, WALK_SNAPSHOT, AtMostFloors(1.3))
        .figure("stm: logged walk of 8,192 nodes", Stm, WALK_LOGGED, AtMostFloors(2.0))
        .figure("stm: direct walk and update", Stm, WALK_DIRECT, AtMostFloors(1.1));
    let read_write = group("stm", QUICK)
        .against(&peers::TRANSACTIONAL_MEMORIES)
        .with(&[case("read-write"), ONE_THREAD[0], TRANSACTIONS])
        .figure("stm: read one, write one variable", Stm, &[], AtMostNanoseconds(60.0))
        .figure("stm: read one, write one variable", Stm, &[], TimesFasterThanPeers(2.0));
    let transfer = group("stm", QUICK)
        .against(&peers::TRANSACTIONAL_MEMORIES)
        .with(&[case("transfer"), TWO_THREADS[0], TRANSACTIONS, ("variables", Value::Number(1000))])
        .figure("stm: bank of 1,000 accounts, 2 threads", Stm, &[], TimesFasterThanPeers(3.0))
        .figure("stm: bank of 1,000 accounts, 2 threads", Stm, &[], AtMostFloors(1.0));
    // 1.9 times the throughput.
    let scales = AtMostTimes(1.0 / 1.9, ONE_THREAD);
    let disjoint = group("stm", QUICK)
        .without_peers()
        .with(&[case("disjoint"), TRANSACTIONS])
        .figure("stm: 2 threads on disjoint variables against 1", Stm, TWO_THREADS, scales);
    // 1.5 times the throughput.
    let commutes = AtMostTimes(1.0 / 1.5, COUNTER_VAR);
    let counter = group("stm", QUICK).without_peers().with(&[TWO_THREADS[0], TRANSACTIONS]).figure(
        "stm: a TCounter against a TVar, 2 threads",
        Stm,
        COUNTER,
        commutes,
    );
    let map = group("stm", QUICK)
        .without_peers()
        .with(&[case("map"), TWO_THREADS[0], TRANSACTIONS, ("variables", Value::Number(10_000))])
        .figure("stm: a map of 10,000 keys, 97 % reads, 2 threads", Stm, &[], AtMostFloors(1.0));
    // 0.95 of its speed; the workload itself fails if a read is aborted.
    let unhindered = AtMostTimes(1.0 / 0.95, ONE_THREAD);
    let writer = group("stm", QUICK)
        .without_peers()
        .with(&[case("writer"), TRANSACTIONS, ("variables", Value::Number(1000))])
        .figure("stm: a writer beside snapshots against it alone", Stm, TWO_THREADS, unhindered)
        .figure("stm: a writer beside snapshots", Stm, TWO_THREADS, AtMostFloors(3.0));
    vec![walks, read_write, transfer, disjoint, counter, map, writer]
}
