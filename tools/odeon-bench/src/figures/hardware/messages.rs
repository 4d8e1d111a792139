//! The message path against other runtimes at each number of workers.

use super::super::Goal::TimesFasterThanPeers;
use super::super::sweep::Sweep;
use super::super::{Group, Setting, group};
use super::numbers_of_threads;
use crate::parameter::Value::Number;
use crate::workload::Variant::Pool;

/// A workload, the parameter that says how much of it there is, and how much. TUNE: guessed
/// 2026-11: such that the slowest peer needs some 0.1 s.
const WORK: [(&str, &str, u64, &[Setting]); 8] = [
    ("ring", "hops", 100_000, &[("hops", Number(1000))]),
    ("pingpong", "rounds", 50_000, &[("rounds", Number(500))]),
    ("fjthrput", "messages", 10_000, &[("messages", Number(100))]),
    ("chameneos", "meetings", 50_000, &[("meetings", Number(500))]),
    ("count", "messages", 500_000, &[("messages", Number(1000))]),
    ("big", "pings", 1000, &[("pings", Number(20))]),
    ("create", "actors", 20_000, &[("actors", Number(200))]),
    ("bank", "transfers", 100_000, &[("transfers", Number(500))]),
];

pub(super) fn groups(cores: u64) -> Vec<Group> {
    WORK.into_iter().map(|work| against_peers(cores, work)).collect()
}

fn against_peers(
    cores: u64,
    (workload, amount, number, quick): (&'static str, &'static str, u64, &'static [Setting]),
) -> Group {
    let counts = numbers_of_threads(cores);
    let sweep = Sweep::new(workload, Pool, "workers").row("odeon", &[], &counts);
    let group =
        group(workload, quick).with_all_runtimes().with(&[(amount, Number(number))]).shown(sweep);
    counts.into_iter().fold(group, |group, count| {
        let what = format!("{workload}, {count} {}", if count == 1 { "worker" } else { "workers" });
        // WHY leaked: a figure's settings live as long as the program, which makes few lists.
        let settings = vec![("workers", Number(count))].leak();
        group.figure(&what, settings, TimesFasterThanPeers(1.0))
    })
}
