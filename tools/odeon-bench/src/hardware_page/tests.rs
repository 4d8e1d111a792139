//! The section from a file of lines, and its place in a page.

use super::*;
use crate::figures::Goal;
use crate::figures::hardware::{HardwarePart, groups};
use crate::figures_run::List;
use crate::json_lines::{JsonLines, read};
use crate::parameter::Params;
use crate::peers::Peers;
use crate::runner::{Case, CaseOutcome, Contender, Rounds};
use crate::samples::Samples;
use crate::workload::Workload;

const CORES: usize = 16;

fn plan() -> FiguresPlan {
    FiguresPlan {
        list: List::Hardware(vec![HardwarePart::Cores, HardwarePart::Gpu]),
        quick: false,
        rounds: Rounds { warmup: 0, samples: 1 },
        only: Vec::new(),
        idle_seconds: 0,
        within: None,
    }
}

fn measured(
    workload: &'static Workload,
    contender: Contender,
    params: Params,
    ns: &[f64],
) -> CaseOutcome {
    let samples = Samples { ops: 7, ns_per_op: ns.to_vec(), ..Samples::default() };
    CaseOutcome { case: Case { workload, contender, params }, samples }
}

/// Odeon's cases of one group; 24 ns, where another case needs 240.
fn measured_of(group: &Group) -> Vec<CaseOutcome> {
    let (workload, plan) = (workload_of(group), plan());
    let odeon = |figure: &crate::figures::Figure, params, ns| {
        measured(workload, Contender::Odeon(figure.variant), params, &[ns])
    };
    let figures = group.figures.iter().flat_map(|figure| {
        let params = plan.params(group, figure.settings);
        let others: Vec<_> = figure.goal.others().to_vec();
        let others = others.into_iter().map(|other| figure.beside(&params, other));
        let others: Vec<_> = others.map(|other| odeon(figure, other, 240.0)).collect();
        [odeon(figure, figure.own(&params), 24.0)].into_iter().chain(others).collect::<Vec<_>>()
    });
    figures.collect()
}

fn written_and_read(outcomes: Vec<CaseOutcome>) -> Recorded {
    let name = format!("odeon-hardware-{}-{}", std::process::id(), outcomes.len());
    let path = std::env::temp_dir().join(name);
    let here = crate::environment::Machine::here();
    let machine =
        crate::environment::Machine { cores: CORES, devices: Some("a card".to_owned()), ..here };
    let mut lines = JsonLines::create(&path).expect("there is room");
    lines.write_all(&Results(outcomes), &Peers::none(), &machine).expect("there is room");
    lines.finish().expect("it is there");
    let recorded = read(std::slice::from_ref(&path));
    std::fs::remove_file(path).expect("it was there");
    recorded.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_was_measured_elsewhere_is_judged_for_the_cores_there() {
    let all = groups(HardwarePart::Cores, CORES);
    let is_list = |group: &&Group| {
        group.workload == "list" && matches!(group.figures[0].goal, Goal::AtMostTimes(..))
    };
    let group = all.iter().find(is_list).expect("one is");
    let recorded = written_and_read(measured_of(group));
    assert_eq!((recorded.machine.cores, recorded.results.0[0].samples.ops), (CORES, 7));
    let section = section(&recorded, &plan(), "## real hardware: list\n\nWalks are long.\n");
    // 0.1 of the time: a twelfth was promised.
    assert!(section.contains("0.100x (24.0 ns against 240 ns) | NO"), "{section}");
    assert!(section.contains("16 cores |") && section.contains("| a card |"), "{section}");
    assert!(section.contains("### Not reached there\n\n#### list\n\nWalks are long."), "{section}");
    assert!(section.contains("not measured"), "{section}");
    let heading = "### list, ns per request answered, by number of workers";
    assert!(section.contains(heading), "{section}");
    assert!(section.contains("| list, 1 list actor, read | concurrent |  |"), "{section}");
    assert!(!section.contains("### ledger"), "{section}");
}

#[test]
fn every_case_is_the_same_when_it_is_read_back() {
    let groups: Vec<_> = [HardwarePart::Cores, HardwarePart::Gpu]
        .into_iter()
        .flat_map(|part| groups(part, CORES))
        .collect();
    let mut outcomes: Vec<CaseOutcome> = Vec::new();
    for group in &groups {
        let workload = workload_of(group);
        let parameters = workload.parameters;
        let shared = plan().params(group, &[]);
        let floor = measured(workload, Contender::Floor, shared.for_floor(parameters), &[3.0]);
        let peers = group.peers.iter().map(|peer| {
            let params = shared.for_peers(parameters).expect("they can do it");
            measured(workload, Contender::Peer((*peer).to_owned()), params, &[5.0, 6.5])
        });
        for outcome in measured_of(group).into_iter().chain([floor]).chain(peers) {
            if !outcomes.iter().any(|earlier| earlier.case.is_same(&outcome.case)) {
                outcomes.push(outcome);
            }
        }
    }
    let recorded = written_and_read(outcomes.clone());
    assert_eq!(recorded.results.0.len(), outcomes.len());
    for (one, other) in recorded.results.0.iter().zip(&outcomes) {
        assert!(one.case.is_same(&other.case), "{} {}", one.case.params, other.case.params);
        assert_eq!(one.samples, other.samples);
    }
}

#[test]
fn the_section_replaces_itself_and_keeps_the_rest() {
    let section = "## Real hardware\n\n### New\n";
    let page = "# Benchmarks\n\nText.\n\n## Figures\n\n## Lines of code\n\nSome.\n";
    let with = put(page, section);
    let expected = "# Benchmarks\n\nText.\n\n## Figures\n\n## Real hardware\n\n### New\n\n## Lines of code\n\nSome.\n";
    assert_eq!(with, expected);
    assert_eq!(put(&with.replace("### New", "### Old\n\n#### Older"), section), expected);
    assert_eq!(
        put("# Benchmarks\n\n## Real hardware\n\nOld.\n", section),
        format!("# Benchmarks\n\n{section}")
    );
    assert_eq!(put("", section), section);
    assert_eq!(put(section, section), section);
}

#[test]
fn lines_that_nobody_knows_are_refused_by_their_number() {
    let path = std::env::temp_dir().join(format!("odeon-lines-{}", std::process::id()));
    std::fs::write(&path, "{}\n").expect("there is room");
    let refused =
        read(std::slice::from_ref(&path)).err().expect("a line without fields").to_string();
    assert!(refused.contains("line 1: missing field"), "{refused}");
    std::fs::write(&path, "").expect("there is room");
    assert!(read(std::slice::from_ref(&path)).is_err_and(|error| error.is_bad_argument()));
    std::fs::remove_file(path).expect("it was there");
}
