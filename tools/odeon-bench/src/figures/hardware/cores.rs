//! One busy actor, one list, one memory on sixteen cores.

use super::super::Goal::{AtMostNanoseconds, AtMostTimes};
use super::super::sweep::Sweep;
use super::super::{Group, Setting, alone, group};
use super::{SIXTEEN, numbers_of_threads};
use crate::parameter::Value::{Number, Word};
use crate::workload::Variant::{Pool, Stm};

const PLAIN: &[Setting] = &[("mode", Word("plain"))];
const CONCURRENT: &[Setting] = &[("mode", Word("concurrent"))];
const ADAPTIVE: &[Setting] = &[("mode", Word("adaptive"))];
const COMBINED: &[Setting] = &[("mode", Word("combined"))];
const ONE_THREAD: &[Setting] = &[("threads", Number(1))];

const QUICK_LEDGER: &[Setting] = &[("entries", Number(500))];
const QUICK_LIST: &[Setting] = &[("requests", Number(2))];
const QUICK: &[Setting] = &[("transactions", Number(5000))];
const QUICK_TRANSFERS: &[Setting] = &[("transfers", Number(500))];

/// Of the memory.
const MOST_THREADS: u64 = 64;

pub(super) fn groups(cores: u64) -> Vec<Group> {
    let mut groups = vec![
        ledger(cores, 2000, 50_000, &["concurrent", "adaptive"], 12.0),
        ledger(cores, 100, 500_000, &["concurrent", "adaptive"], 3.0),
        list(cores, "read", 12.0),
        list(cores, "write", 10.0),
        disjoint(cores.min(MOST_THREADS)),
        transfer(cores),
        bank(cores.min(MOST_THREADS)),
        ledger_that_meets(cores),
        ledger_that_is_read(cores),
        ledger(cores, 0, 300_000, &[], 1.0),
        ledger(cores, 500, 100_000, &[], 1.0),
        ledger(cores, 10_000, 10_000, &[], 1.0),
    ];
    if cores < SIXTEEN {
        groups.iter_mut().for_each(|group| group.figures.clear());
    }
    groups
}

fn mode(word: &'static str) -> Setting {
    ("mode", Word(word))
}

fn new_ledger(cores: u64, handler_ns: u64, entries: u64) -> Group {
    alone("ledger", QUICK_LEDGER).with(&[
        ("handler_ns", Number(handler_ns)),
        ("entries", Number(entries)),
        ("senders", Number(64)),
        ("workers", Number(cores)),
    ])
}

/// Entries that do not meet: `judged` modes are to be so many times faster than the plain actor.
/// TUNE: guessed 2026-11: entries such that the plain actor needs some 0.1 s.
fn ledger(cores: u64, handler_ns: u64, entries: u64, judged: &[&'static str], times: f64) -> Group {
    let counts = numbers_of_threads(cores);
    let sweep = Sweep::new(format!("ledger, entries of {handler_ns} ns"), Pool, "workers");
    let modes = ["plain", "sequential", "concurrent", "adaptive", "sharded"];
    let sweep =
        modes.into_iter().fold(sweep, |sweep, word| sweep.row(word, &[mode(word)], &counts));
    // There is no worker: each sender is a thread.
    let sweep = sweep.row("mutex", &[mode("mutex")], &[cores]);
    let group = new_ledger(cores, handler_ns, entries).shown(sweep);
    judged.iter().fold(group, |group, word| {
        let what = format!(
            "ledger, entries of {handler_ns} ns, {cores} workers: {word} against a plain actor"
        );
        let settings = if *word == "adaptive" { ADAPTIVE } else { CONCURRENT };
        group.figure(&what, settings, AtMostTimes(1.0 / times, PLAIN))
    })
}

fn ledger_that_meets(cores: u64) -> Group {
    let what = "ledger, entries of 2000 ns, 20 % into one account";
    let sweep = ["plain", "concurrent", "adaptive"]
        .into_iter()
        .fold(Sweep::new(what, Pool, "workers"), |sweep, word| {
            sweep.row(word, &[mode(word)], &[cores])
        });
    new_ledger(cores, 2000, 50_000).with(&[("conflict", Number(20))]).shown(sweep)
}

fn ledger_that_is_read(cores: u64) -> Group {
    let what = "ledger, entries of 2000 ns, 95 % questions";
    let sweep = ["plain", "concurrent", "adaptive", "rwlock"]
        .into_iter()
        .fold(Sweep::new(what, Pool, "workers"), |sweep, word| {
            sweep.row(word, &[mode(word)], &[cores])
        });
    new_ledger(cores, 2000, 50_000).with(&[("reads", Number(95))]).shown(sweep)
}

/// One list actor, whose requests walk far.
fn list(cores: u64, mix: &'static str, times: f64) -> Group {
    let counts = numbers_of_threads(cores);
    let sweep = Sweep::new(format!("list, 1 list actor, {mix}"), Pool, "workers")
        .row("plain", PLAIN, &[1, cores])
        .row("concurrent", CONCURRENT, &counts)
        .row("adaptive", ADAPTIVE, &counts);
    let what = format!("list, 1 list actor, {mix}, {cores} workers: concurrent against plain");
    alone("list", QUICK_LIST)
        .with(&[("requests", Number(200)), ("workload", Word(mix))])
        .with(&[("workers", Number(cores))])
        .figure(&what, CONCURRENT, AtMostTimes(1.0 / times, PLAIN))
        .shown(sweep)
}

fn disjoint(cores: u64) -> Group {
    let counts = numbers_of_threads(cores);
    let what = format!("stm: {cores} threads on disjoint variables against 1");
    let sweep = Sweep::new("stm, disjoint variables", Stm, "threads").row("odeon", &[], &counts);
    alone("stm", QUICK)
        .with(&[("case", Word("disjoint")), ("transactions", Number(4_000_000))])
        .with(&[("threads", Number(cores))])
        .figure_on(Stm, &what, &[], AtMostTimes(1.0 / 15.0, ONE_THREAD))
        .shown(sweep)
}

fn bank(cores: u64) -> Group {
    let sweep = Sweep::new("stm, bank of 1,000 accounts", Stm, "threads");
    group("stm", QUICK)
        .against(&["fast-stm"])
        .with(&[("case", Word("transfer")), ("transactions", Number(400_000))])
        .shown(sweep.row("odeon", &[], &numbers_of_threads(cores)))
}

/// Coordinated transactions: four million a second.
fn transfer(cores: u64) -> Group {
    let counts = numbers_of_threads(cores);
    let modes = [("adaptive", ADAPTIVE), ("concurrent", CONCURRENT), ("combined", COMBINED)];
    let settings = [
        ("actors", Number(32)),
        ("clients", Number(32)),
        ("transfers", Number(50_000)),
        ("workers", Number(cores)),
    ];
    let group = alone("transfer", QUICK_TRANSFERS).with(&settings);
    let sweep = Sweep::new("transfer between 32 actors", Pool, "workers");
    let sweep = modes.iter().fold(sweep, |sweep, (name, mode)| sweep.row(name, mode, &counts));
    let group = modes.into_iter().fold(group, |group, (name, mode)| {
        let what = format!("transfer between 32 actors, {cores} workers: {name}");
        group.figure(&what, mode, AtMostNanoseconds(250.0))
    });
    group.shown(sweep)
}
