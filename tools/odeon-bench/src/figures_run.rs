//! Measuring the figures and judging them.

use crate::energy;
use crate::environment::Machine;
use crate::error::BenchError;
use crate::figures::{self, Figure, Goal, Group, Setting};
use crate::idle::{self, BytesPerActor};
use crate::parameter::Params;
use crate::peers::{self, Peers};
use crate::runner::{Case, Plan, Results, Rounds, measure};
use crate::samples::Samples;
use crate::statistics::Spread;
use crate::table::{Table, factor, short};
use crate::workload::{Variant, WORKERS, Workload};
use crate::workloads;

/// One line of the table of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Name of the figure.
    pub what: String,
    /// The promise.
    pub to_reach: String,
    /// What came out.
    pub measured: String,
    /// `None` when something that the figure needs was not measured.
    pub reached: Option<bool>,
}

impl Verdict {
    fn judged(what: &str, to_reach: String, outcome: Option<(String, bool)>) -> Self {
        let what = what.to_owned();
        match outcome {
            Some((measured, reached)) => Self { what, to_reach, measured, reached: Some(reached) },
            None => Self { what, to_reach, measured: "not measured".to_owned(), reached: None },
        }
    }
}

/// `what | to reach | measured | reached?`
pub fn table(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new(["what", "to reach", "measured", "reached?"]);
    for verdict in verdicts {
        let reached = match verdict.reached {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "?",
        };
        let Verdict { what, to_reach, measured, .. } = verdict.clone();
        table.row([what, to_reach, measured, reached.to_owned()]);
    }
    table
}

/// How the figures are measured.
#[derive(Debug, Clone)]
pub struct FiguresPlan {
    /// Small parameters: shows that everything runs, judges nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Workloads to measure, and `idle`; empty for all.
    pub only: Vec<String>,
    /// Seconds over which the idle theater is watched.
    pub idle_seconds: usize,
}

/// What the figures came out at.
#[derive(Clone)]
pub struct FiguresOutcome {
    /// In the order of the list.
    pub verdicts: Vec<Verdict>,
    /// All results behind them, one per group.
    pub results: Vec<Results>,
    /// Bytes of idle actors in other runtimes.
    pub peers_idle_bytes: Vec<(String, f64)>,
    /// Why figures could not be measured: one for each group. Their verdicts say so too.
    pub failures: Vec<String>,
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

    /// Measures everything; a workload that goes wrong ends none of the others. The idle actors come first: their memory is only visible in a fresh
    /// process.
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
            machine: Machine::here(),
        };
        let mut idle_verdicts = Vec::new();
        if self.wants("idle") {
            watch.group("idle", 2);
            idle_verdicts = self.idle(peers, &mut outcome)?;
        }
        let mut groups: Vec<_> =
            figures::groups().into_iter().filter(|group| self.wants(group.workload)).collect();
        if self.quick {
            let figures = groups.iter_mut().flat_map(|group| &mut group.figures);
            figures.for_each(|figure| figure.longer = &[]);
        }
        // Stable: else in the order in which they stand.
        groups.sort_by_key(|group| workload_of(group).opens_devices());
        let can_be_checked = |group: &&Group| !workload_of(group).opens_devices();
        groups.iter().filter(can_be_checked).try_for_each(|group| self.check(group))?;
        for group in &groups {
            let checked = if can_be_checked(&group) { Ok(()) } else { self.check(group) };
            let results = match checked.and_then(|()| self.group(group, peers, watch)) {
                Ok(results) => results,
                Err(error) if concerns_a_workload(&error) => {
                    outcome.failures.push(format!("{}: {error}", group_name(group)));
                    let failed =
                        group.figures.iter().map(|figure| self.failed(group, figure, &error));
                    outcome.verdicts.extend(failed);
                    continue;
                }
                Err(error) => return Err(error),
            };
            watch.results(&results, peers)?;
            let workload = workload_of(group);
            for figure in &group.figures {
                let params = self.params(group, figure.settings);
                outcome.verdicts.push(judge(workload, group, figure, &params, &results));
            }
            outcome.results.push(results);
        }
        outcome.verdicts.extend(idle_verdicts);
        Ok(outcome)
    }

    fn idle(
        &self,
        peers: &Peers,
        outcome: &mut FiguresOutcome,
    ) -> Result<Vec<Verdict>, BenchError> {
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
    ) -> Result<Results, BenchError> {
        let workload = workload_of(group);
        let running = peers.hellos().map(|hello| hello.implementation.clone());
        let compared: Vec<String> =
            running.filter(|name| group.peers.contains(&name.as_str())).collect();
        let mut plan = Plan::default();
        for (variant, params) in self.cases(group) {
            plan.add(workload, variant, &params, &compared);
        }
        watch.group(&group_name(group), self.rounds.runs(&plan));
        measure(&plan, self.rounds, peers, |case| watch.run(case))
    }

    fn failed(&self, group: &Group, figure: &Figure, error: &BenchError) -> Verdict {
        let params = self.params(group, figure.settings);
        let nothing = Results::default();
        let verdict = judge(workload_of(group), group, figure, &params, &nothing);
        Verdict { measured: format!("failed: {error}"), reached: Some(false), ..verdict }
    }

    /// What the figures of a group compare, as far as this machine can run it.
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
        cases
    }

    /// Whether each case can be run. WHY before all, but for those that open devices: one that cannot would end a run of half an hour.
    fn check(&self, group: &Group) -> Result<(), BenchError> {
        self.cases(group).iter().try_for_each(|(_, params)| workload_of(group).check(params))
    }

    fn params(&self, group: &Group, own: &[Setting]) -> Params {
        let quick = if self.quick { group.quick } else { &[] };
        let settings = group.settings.iter().chain(quick).chain(own);
        let start = Params::defaults(workload_of(group).about().parameters);
        settings.fold(start, |params, (name, value)| params.with(name, *value))
    }
}

/// WHY: the others can be measured, and a run takes half an hour.
fn concerns_a_workload(error: &BenchError) -> bool {
    use BenchError::{Runtime, Unfinished, WrongResult};
    matches!(error, Runtime(_) | Unfinished { .. } | WrongResult(_))
}

fn workload_of(group: &Group) -> &'static dyn Workload {
    workloads::find(group.workload).expect("a test checks that every group names a workload")
}

fn group_name(group: &Group) -> String {
    match &group.figures[..] {
        [only] => only.what.clone(),
        _ => group.workload.to_owned(),
    }
}

fn in_words(settings: &[Setting]) -> String {
    let words: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

fn judge(
    workload: &dyn Workload,
    group: &Group,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Verdict {
    let mut verdict = judge_measured(workload, group, figure, params, results);
    let was_run = results.odeon(workload, figure.variant, &figure.own(params)).is_some();
    let missing = if was_run { None } else { workload.missing(params) };
    if let (None, Some(what)) = (verdict.reached, missing) {
        verdict.measured = format!("not measured: {what}");
    }
    verdict
}

fn judge_measured(
    workload: &dyn Workload,
    group: &Group,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Verdict {
    let own = results.odeon(workload, figure.variant, &figure.own(params));
    let odeon = own.map(Samples::median);
    let operation = workload.about().operation;
    match figure.goal {
        Goal::AtMostFloors(times) => {
            let floor = results.floor(workload, params).map(|samples| samples.median());
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let ratio = odeon / floor;
                let text =
                    format!("{} ({} ns, floor {} ns)", factor(ratio), short(odeon), short(floor));
                (text, ratio <= times)
            });
            let to_reach = format!("at most {times:.2}x its floor, per {operation}");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostMicrosecondsAboveFloor(limit) => {
            let floor = results.floor(workload, params).map(|samples| samples.median());
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let above = (odeon - floor) / 1000.0;
                let (all, floor) = (odeon / 1000.0, floor / 1000.0);
                (format!("{above:.2} us ({all:.2} us, floor {floor:.2} us)"), above <= limit)
            });
            let to_reach = format!("at most {limit} us above its floor, per {operation}");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostMiBAboveFloor(limit) => {
            let peak = |samples: Option<&Samples>| samples?.peak_rss_kib;
            let floor = peak(results.floor(workload, params));
            let odeon = peak(own);
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let above = odeon.saturating_sub(floor);
                let text = format!("{:.1} MiB", above as f64 / 1024.0);
                (text, above <= limit << 10)
            });
            let to_reach = format!("at most {limit} MiB above its floor");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::GrowsAtMostKiBPerMinute(limit) => {
            let growth = own.and_then(Samples::median_growth);
            let outcome = growth.map(|kib| (format!("{kib:.0} KiB a minute"), kib <= limit));
            let to_reach = format!("at most {limit} KiB a minute");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::P50AtMostMicroseconds(limit) => {
            let latency = latency(workload, figure, params, results);
            let outcome = latency.map(|[half, most]| {
                (format!("{half:.1} us (99 of 100: {most:.1} us)"), half <= limit)
            });
            let to_reach = format!("half take at most {limit} us per {operation}");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::P99AtMostMicroseconds(limit) => {
            let latency = latency(workload, figure, params, results);
            let outcome = latency.map(|[half, most]| {
                (format!("{most:.1} us (half of them {half:.1} us)"), most <= limit)
            });
            let to_reach = format!("99 of 100 take at most {limit} us per {operation}");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostNanoseconds(limit) => {
            let outcome = odeon.map(|odeon| (format!("{} ns", short(odeon)), odeon <= limit));
            let limit = if limit.fract() == 0.0 { limit.to_string() } else { short(limit) };
            Verdict::judged(&figure.what, format!("at most {limit} ns per {operation}"), outcome)
        }
        Goal::TimesFasterThanPeers(times) => {
            let fastest = fastest_peer(workload, group.peers, params, results);
            let outcome = odeon.zip(fastest).map(|(odeon, (peer, fastest))| {
                let ratio = fastest / odeon;
                let text = format!(
                    "{} ({} ns, {peer} {} ns)",
                    factor(ratio),
                    short(odeon),
                    short(fastest)
                );
                (text, ratio >= times)
            });
            let rivals = match group.peers {
                [only] => (*only).to_owned(),
                several => format!("the fastest of {}", several.join(", ")),
            };
            let to_reach = format!("at least {times:.1}x faster than {rivals}");
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimes(times, other) => {
            let other_params = figure.beside(params, other);
            let outcome = odeon.zip(results.odeon(workload, figure.variant, &other_params));
            let outcome = outcome.map(|(odeon, other)| against(odeon, other.median(), times));
            let to_reach = format!("at most {times:.2}x the time with {}", in_words(other));
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimesBest(times, others) => {
            let best = fastest(workload, figure, params, others, results);
            let outcome = odeon.zip(best).map(|(odeon, (which, best))| {
                let (text, reached) = against(odeon, best.median(), times);
                (format!("{text}: {which}"), reached)
            });
            let to_reach =
                format!("at most {times:.2}x the time of the fastest of {} others", others.len());
            Verdict::judged(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimesEnergy(times, others) => {
            let own = own.and_then(Samples::median_joules);
            let best = fastest(workload, figure, params, others, results);
            let best = best.and_then(|(which, best)| Some((which, best.median_joules()?)));
            let both = own.zip(best);
            let unknown = both.as_ref().and_then(|(own, (_, best))| {
                [own, best].into_iter().find(|joules| !joules.is_known()).copied()
            });
            let known = both.filter(|_| unknown.is_none());
            let outcome = known.map(|(own, (which, best))| {
                let [own_nj, best_nj] = [own, best].map(|joules| short(joules.value * 1e9));
                let ratio = own.value / best.value;
                let text = format!("{} ({own_nj} nJ against {best_nj} nJ): {which}", factor(ratio));
                (text, ratio <= times)
            });
            let to_reach =
                format!("at most {times:.2}x the energy of the fastest of {} others", others.len());
            let mut verdict = Verdict::judged(&figure.what, to_reach, outcome);
            if let Some(joules) = unknown {
                verdict.measured = joules.too_short();
            } else if let (None, Some(why)) = (verdict.reached, energy::missing()) {
                verdict.measured = format!("not measured: {why}");
            }
            verdict
        }
    }
}

/// The fastest of other cases of the group, of those that were measured.
fn fastest<'a>(
    workload: &dyn Workload,
    figure: &Figure,
    params: &Params,
    others: &[&[Setting]],
    results: &'a Results,
) -> Option<(String, &'a Samples)> {
    let timed = others.iter().filter_map(|other| {
        Some((
            in_words(other),
            results.odeon(workload, figure.variant, &figure.beside(params, other))?,
        ))
    });
    timed.min_by(|(_, one), (_, other)| one.median().total_cmp(&other.median()))
}

/// How one time compares with another, and whether it is at most so many times that.
fn against(odeon: f64, other: f64, times: f64) -> (String, bool) {
    let ratio = odeon / other;
    let text = format!("{} ({} ns against {} ns)", factor(ratio), short(odeon), short(other));
    (text, ratio <= times)
}

/// What half, and 99 of 100, of the operations took at most, in us.
fn latency(
    workload: &dyn Workload,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Option<[f64; 2]> {
    let samples = results.odeon(workload, figure.variant, params)?;
    let (half_ns, most_ns) = samples.median_latency()?;
    Some([half_ns, most_ns].map(|ns| ns / 1000.0))
}

/// The best of the peers; `None` unless all of them have been measured.
fn fastest_peer<'a>(
    workload: &dyn Workload,
    peers: &[&'a str],
    params: &Params,
    results: &Results,
) -> Option<(&'a str, f64)> {
    let medians = peers
        .iter()
        .map(|peer| Some((*peer, results.peer(workload, peer, params)?.median())))
        .collect::<Option<Vec<_>>>()?;
    medians.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
}

fn judge_bytes(bytes: BytesPerActor) -> Verdict {
    let limit = figures::IDLE_ACTOR_BYTES;
    let part = |name: &str, bytes: Option<f64>| match bytes {
        Some(bytes) => format!("{} bytes {name}", short(bytes)),
        None => format!("{name}: not known"),
    };
    let outcome = bytes.most().map(|most| {
        let parts = [part("requested", bytes.requested), part("resident", bytes.resident)];
        (parts.join(", "), most <= limit)
    });
    Verdict::judged(figures::IDLE_ACTOR, format!("at most {limit} bytes"), outcome)
}

fn judge_cpu(percents: &[f64]) -> Verdict {
    let limit = figures::IDLE_THEATER_PERCENT;
    let Spread { min, median, max } = Spread::of(percents);
    let text = format!("{median:.3} % ({min:.3}..{max:.3} in {} windows of 1 s)", percents.len());
    let outcome = (!percents.is_empty()).then_some((text, median <= limit));
    Verdict::judged(figures::IDLE_THEATER, format!("at most {limit} % of one core"), outcome)
}

#[cfg(test)]
mod tests;
