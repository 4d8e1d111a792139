//! Measuring the figures and judging them.

mod judging;

use crate::energy;
use crate::environment::{self, Machine};
use crate::error::BenchError;
use crate::figures::hardware::{self, HardwarePart};
use crate::figures::{self, Figure, Goal, Group};
use crate::idle;
use crate::parameter::{Params, Setting};
use crate::peers::{self, Peers};
use crate::runner::{Case, CasePlan, Contender, Results, Rounds, Wrong, measure_right_ones};
use crate::table::TextTable;
use crate::workload::{Variant, WORKERS, Workload};
use crate::workloads;
use judging::{judge, judge_bytes, judge_cpu, judge_measured};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// One line of the table of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Name of the figure.
    pub what: String,
    /// The promise.
    pub to_reach: String,
    /// What came out.
    pub measured: String,
    /// `None` when something that the figure needs was not measured.
    pub reached: Option<bool>,
}

impl Judged {
    fn new(what: &str, to_reach: String, outcome: Option<(String, bool)>) -> Self {
        let what = what.to_owned();
        match outcome {
            Some((measured, reached)) => Self { what, to_reach, measured, reached: Some(reached) },
            None => Self { what, to_reach, measured: NOT_MEASURED.to_owned(), reached: None },
        }
    }

    pub(crate) fn cells(&self) -> [String; 4] {
        let reached = match self.reached {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "?",
        };
        let Self { what, to_reach, measured, .. } = self.clone();
        [what, to_reach, measured, reached.to_owned()]
    }
}

/// What a verdict says where there is nothing to judge.
const NOT_MEASURED: &str = "not measured";

/// `what | to reach | measured | reached?`
pub fn table(verdicts: &[Judged]) -> TextTable {
    let mut table = TextTable::new(["what", "to reach", "measured", "reached?"]);
    for verdict in verdicts {
        table.row(verdict.cells());
    }
    table
}

/// Which figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    /// Those that any machine can show.
    Usual,
    /// Those that need real hardware.
    Hardware(Vec<HardwarePart>),
}

/// How the figures are measured.
#[derive(Debug, Clone)]
pub struct FiguresPlan {
    /// Which they are.
    pub list: List,
    /// Small parameters: shows that everything runs, judges nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Workloads to measure, and `idle`; empty for all.
    pub only: Vec<String>,
    /// Seconds over which the idle theater is watched.
    pub idle_seconds: usize,
    /// When so much time has passed, no further group begins.
    pub within: Option<Duration>,
}

/// What the figures came out at.
#[derive(Clone)]
pub struct FiguresOutcome {
    /// In the order of the list.
    pub verdicts: Vec<Judged>,
    /// All results behind them, one per group.
    pub results: Vec<Results>,
    /// Bytes of idle actors in other runtimes.
    pub peers_idle_bytes: Vec<(String, f64)>,
    /// What has failed: for each group that could not be measured why, and each case with a wrong
    /// result. The verdicts of the figures that need it say so too.
    pub failures: Vec<String>,
    /// Groups that did not begin, as the time was over.
    pub left_out: Vec<String>,
    /// Where they were measured.
    pub machine: Machine,
}

/// Told about the course of a run.
pub trait Watch {
    /// A group begins, with so many runs.
    fn group(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, case: &Case);
    /// A group has ended with these results; an error ends the whole run.
    fn results(&mut self, results: &Results, peers: &Peers) -> Result<(), BenchError>;
}

impl FiguresPlan {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// The peers that something is compared with.
    pub fn peers(&self) -> Vec<&'static str> {
        let groups = self.groups(environment::cores());
        let is_compared = |peer: &&str| groups.iter().any(|group| group.peers.contains(peer));
        let is_idle = |peer: &&str| self.wants_idle() && peers::ACTOR_RUNTIMES.contains(peer);
        peers::names().filter(|peer| is_compared(peer) || is_idle(peer)).collect()
    }

    fn wants_idle(&self) -> bool {
        self.list == List::Usual && self.wants("idle")
    }

    /// Measures everything; a workload that goes wrong ends none of the others. The idle actors
    /// come first: their memory is only visible in a fresh process.
    pub fn run(
        &self,
        peers: &mut Peers,
        watch: &mut dyn Watch,
    ) -> Result<FiguresOutcome, BenchError> {
        let mut outcome = FiguresOutcome {
            verdicts: Vec::new(),
            results: Vec::new(),
            peers_idle_bytes: Vec::new(),
            failures: Vec::new(),
            left_out: Vec::new(),
            machine: Machine::here(),
        };
        let begun = Instant::now();
        let mut idle_verdicts = Vec::new();
        if self.wants_idle() {
            watch.group("idle", 2);
            idle_verdicts = self.idle(peers, &mut outcome)?;
        }
        let mut groups = self.groups(outcome.machine.cores);
        // Stable: else in the order in which they stand.
        groups.sort_by_key(|group| workload_of(group).opens_devices);
        let can_be_checked = |group: &&Group| !workload_of(group).opens_devices;
        groups.iter().filter(can_be_checked).try_for_each(|group| self.check(group))?;
        for group in &groups {
            if self.within.is_some_and(|within| begun.elapsed() >= within) {
                outcome.left_out.push(group_name(group));
                let verdicts = group.figures.iter().map(|figure| self.left_out(group, figure));
                outcome.verdicts.extend(verdicts);
                continue;
            }
            let checked = if can_be_checked(&group) { Ok(()) } else { self.check(group) };
            let (results, wrong) = match checked.and_then(|()| self.group(group, peers, watch)) {
                Ok(measured) => measured,
                Err(error) if concerns_a_workload(&error) => {
                    outcome.failures.push(format!("{}: {error}", group_name(group)));
                    let failed =
                        group.figures.iter().map(|figure| self.failed(group, figure, &error));
                    outcome.verdicts.extend(failed);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let name = group_name(group);
            outcome.failures.extend(wrong.iter().map(|it| format!("{name}: {}", it.told())));
            outcome.verdicts.extend(self.verdicts(group, &results, &wrong));
            if !results.0.is_empty() {
                watch.results(&results, peers)?;
                outcome.results.push(results);
            }
        }
        outcome.verdicts.extend(idle_verdicts);
        Ok(outcome)
    }

    /// All that are wanted, for a machine of so many cores.
    pub(crate) fn groups(&self, cores: usize) -> Vec<Group> {
        let all = match &self.list {
            List::Usual => figures::groups(),
            List::Hardware(parts) => {
                parts.iter().flat_map(|part| hardware::groups(*part, cores)).collect()
            }
        };
        let mut groups: Vec<_> =
            all.into_iter().filter(|group| self.wants(group.workload)).collect();
        if self.quick {
            let figures = groups.iter_mut().flat_map(|group| &mut group.figures);
            figures.for_each(|figure| figure.longer = &[]);
        }
        groups
    }

    fn idle(&self, peers: &Peers, outcome: &mut FiguresOutcome) -> Result<Vec<Judged>, BenchError> {
        let params = Params::defaults(&[WORKERS]);
        let bytes = idle::bytes_per_actor(figures::IDLE_ACTOR_COUNT, &params)?;
        let watched = (figures::IDLE_THEATER_COUNT, self.idle_seconds);
        let percents = idle::cpu_percent(watched.0, watched.1, &params, || {})?;
        let count = idle::peers_params(figures::IDLE_ACTOR_COUNT);
        let names = peers.hellos().map(|hello| &hello.implementation);
        for name in names.filter(|name| peers::ACTOR_RUNTIMES.contains(&name.as_str())) {
            outcome.peers_idle_bytes.push((name.clone(), peers.idle_actor_bytes(name, &count)?));
        }
        Ok(vec![judge_bytes(bytes), judge_cpu(&percents)])
    }

    fn group(
        &self,
        group: &Group,
        peers: &mut Peers,
        watch: &mut dyn Watch,
    ) -> Result<(Results, Vec<Wrong>), BenchError> {
        let workload = workload_of(group);
        let running = peers.hellos().map(|hello| hello.implementation.clone());
        let compared: Vec<String> =
            running.filter(|name| group.peers.contains(&name.as_str())).collect();
        let mut plan = CasePlan::default();
        for (variant, params) in self.cases(group) {
            plan.add(workload, variant, &params, &compared);
        }
        watch.group(&group_name(group), self.rounds.runs(&plan));
        measure_right_ones(&plan, self.rounds, peers, |case| watch.run(case))
    }

    /// Of the figures of a group, of whose cases some may have come to a wrong result: a figure
    /// that needs one of these has failed, and the others are judged.
    fn verdicts(&self, group: &Group, results: &Results, wrong: &[Wrong]) -> Vec<Judged> {
        let workload = workload_of(group);
        let verdict = |figure: &Figure| {
            let params = self.params(group, figure.settings);
            let own = figure.own(&params);
            let beside = figure.goal.others().into_iter().map(|it| figure.beside(&params, it));
            let cases: Vec<Params> = [own.clone()].into_iter().chain(beside).collect();
            let is_own =
                |it: &&Wrong| cases.iter().any(|case| it.is_odeon(workload, figure.variant, case));
            if let Some(own) = wrong.iter().find(is_own) {
                return self.failed(group, figure, &own.error);
            }
            let judged = judge(workload, group, figure, &params, results);
            // Floors and peers: not all figures need them.
            let beside = wrong.iter().find(|it| is_beside(&it.case, &own));
            match beside.filter(|_| judged.reached.is_none()) {
                Some(beside) => self.failed(group, figure, &beside.error),
                None => judged,
            }
        };
        group.figures.iter().map(verdict).collect()
    }

    fn failed(&self, group: &Group, figure: &Figure, error: &BenchError) -> Judged {
        let verdict = self.verdict(group, figure, &Results::default());
        Judged { measured: format!("failed: {error}"), reached: Some(false), ..verdict }
    }

    fn left_out(&self, group: &Group, figure: &Figure) -> Judged {
        let verdict = self.verdict(group, figure, &Results::default());
        Judged { measured: format!("{NOT_MEASURED}: the time was over"), ..verdict }
    }

    /// From what was measured alone.
    pub(crate) fn verdict(&self, group: &Group, figure: &Figure, results: &Results) -> Judged {
        let params = self.params(group, figure.settings);
        judge_measured(workload_of(group), group, figure, &params, results)
    }

    /// What the figures of a group compare, and what is shown beside them, as far as this machine
    /// can run it.
    fn cases(&self, group: &Group) -> Vec<(Variant, Params)> {
        let can_run = |params: &Params| workload_of(group).missing(params).is_none();
        let mut cases = Vec::new();
        for figure in &group.figures {
            let params = self.params(group, figure.settings);
            let own = figure.own(&params);
            // WHY: runs that are long enough for the counters, of which nothing would come out.
            let is_energy = matches!(figure.goal, Goal::AtMostTimesEnergy(..));
            if can_run(&own) && !(is_energy && energy::missing().is_some()) {
                let others =
                    figure.goal.others().into_iter().map(|other| figure.beside(&params, other));
                let others: Vec<_> = others.filter(can_run).collect();
                cases.extend([own].into_iter().chain(others).map(|all| (figure.variant, all)));
            }
        }
        if let Some(sweep) = &group.sweep {
            let swept = sweep.cases(&self.params(group, &[])).into_iter().filter(can_run);
            cases.extend(swept.map(|params| (sweep.variant, params)));
        }
        cases
    }

    /// Whether each case can be run. WHY before all, but for those that open devices: one that
    /// cannot would end a run of half an hour.
    fn check(&self, group: &Group) -> Result<(), BenchError> {
        self.cases(group).iter().try_for_each(|(_, params)| workload_of(group).check(params))
    }

    /// The parameters of a group's cases.
    pub(crate) fn params(&self, group: &Group, own: &[Setting]) -> Params {
        let quick = if self.quick { group.quick } else { &[] };
        workload_of(group).defaults().with_all(&group.settings).with_all(quick).with_all(own)
    }
}

/// Whether a case is the floor that belongs to these parameters, or a peer's same work.
fn is_beside(case: &Case, params: &Params) -> bool {
    let parameters = case.workload.parameters;
    let same = match case.contender {
        Contender::Odeon(_) => None,
        Contender::Floor => Some(params.for_floor(parameters)),
        Contender::Peer(_) => params.for_peers(parameters),
    };
    same.is_some_and(|params| case.params == params)
}

/// WHY: the others can be measured, and a run takes half an hour.
fn concerns_a_workload(error: &BenchError) -> bool {
    use BenchError::{Lost, Runtime, Unfinished, WrongResult};
    matches!(error, Lost(_) | Runtime(_) | Unfinished { .. } | WrongResult(_))
}

/// The workload that a group runs.
pub(crate) fn workload_of(group: &Group) -> &'static Workload {
    workloads::find(group.workload).expect("a test checks that every group names a workload")
}

fn group_name(group: &Group) -> String {
    match (&group.figures[..], &group.sweep) {
        (_, Some(sweep)) => sweep.what.clone(),
        ([only], None) => only.what.clone(),
        _ => group.workload.to_owned(),
    }
}

#[cfg(test)]
mod tests;
