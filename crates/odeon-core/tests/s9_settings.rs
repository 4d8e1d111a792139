//! S9 settings of a theater and of its stages: threads run where they are told to.
#![cfg(all(target_os = "linux", not(any(odeon_loom, odeon_shuttle))))]

use odeon_core::*;

struct Cores(Reply<Vec<usize>>);

impl Message for Cores {}

struct Told;

impl Actor for Told {
    type Msg = Cores;
    fn handle(&mut self, Cores(reply): Cores, _ctx: &mut Context<'_, Self>) {
        reply.send(allowed());
    }
}

/// The cores on which the calling thread may run, as Linux says it: `0-3,7`.
fn allowed() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("of Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let mut cores = Vec::new();
    for range in list.expect("a line of it").trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        cores.extend(first.parse::<usize>().unwrap()..=last.parse::<usize>().unwrap());
    }
    cores
}

#[test]
fn s9_a_stage_pinned_to_a_core_runs_there_and_nowhere_else() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let all = allowed();
    // Beyond the last core it begins anew with the first.
    for number in 0..all.len() + 1 {
        let stage = theater.pinned_to_core("there", number).unwrap();
        let told = theater.actor().on(&stage).spawn(Told);
        assert_eq!(told.ask(Cores).wait().unwrap(), [all[number % all.len()]]);
    }
    let free = theater.actor().on(&theater.pinned("anywhere").unwrap()).spawn(Told);
    assert_eq!(free.ask(Cores).wait().unwrap(), all);
}

#[test]
fn s9_a_setting_out_of_its_range_is_an_error_that_says_so() {
    let error = Theater::builder().workers(0).build().expect_err("nobody would run");
    assert!(error.is_config(), "{error}");
}
