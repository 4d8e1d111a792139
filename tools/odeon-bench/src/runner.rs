//! Measuring: all cases of a plan take turns, sample by sample, so that whatever disturbs the
//! machine disturbs all of them alike.

use crate::error::BenchError;
use crate::memory::{peak_rss_kib, reset_peak_rss};
use crate::parameter::Params;
use crate::peers::Peers;
use crate::samples::{Measured, Samples};
use crate::workload::{Variant, Workload};

/// Who does the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contender {
    /// Odeon, in one of its ways.
    Odeon(Variant),
    /// Nobody: the same work with no runtime.
    Floor,
    /// Another runtime, in a process of its own.
    Peer(String),
}

impl Contender {
    /// The name in results.
    pub fn implementation(&self) -> &str {
        match self {
            Self::Odeon(variant) => variant.implementation(),
            Self::Floor => "floor",
            Self::Peer(name) => name,
        }
    }
}

/// One thing to measure.
#[derive(Clone)]
pub struct Case {
    /// What is done.
    pub workload: &'static Workload,
    /// Who does it.
    pub contender: Contender,
    /// How much of it.
    pub params: Params,
}

impl Case {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is(other.workload, &other.contender, &other.params)
    }

    fn is(&self, workload: &Workload, contender: &Contender, params: &Params) -> bool {
        self.workload.name == workload.name
            && self.contender == *contender
            && self.params == *params
    }

    fn sample(&self, peers: &mut Peers) -> Result<Measured, BenchError> {
        let name = self.workload.name;
        reset_peak_rss();
        let mut measured = match &self.contender {
            Contender::Odeon(variant) => self.workload.run(*variant, &self.params)?,
            Contender::Floor => self.workload.floor(&self.params)?,
            Contender::Peer(peer) => return peers.sample(peer, name, &self.params),
        };
        measured.peak_rss_kib = peak_rss_kib();
        Ok(measured)
    }
}

/// Cases that will be measured in alternation; a case that several comparisons need is there once.
#[derive(Clone, Default)]
pub struct CasePlan {
    cases: Vec<Case>,
}

impl CasePlan {
    /// Adds Odeon, the floor, and every peer that can do the same.
    pub fn add(
        &mut self,
        workload: &'static Workload,
        variant: Variant,
        params: &Params,
        peers: &[String],
    ) {
        let parameters = workload.parameters;
        self.add_odeon(workload, variant, params);
        self.add_case(workload, Contender::Floor, params.for_floor(parameters));
        if let Some(shared) = params.for_peers(parameters) {
            for peer in peers {
                self.add_case(workload, Contender::Peer(peer.clone()), shared.clone());
            }
        }
    }

    /// Adds Odeon alone.
    pub fn add_odeon(&mut self, workload: &'static Workload, variant: Variant, params: &Params) {
        self.add_case(workload, Contender::Odeon(variant), params.clone());
    }

    /// Adds the floor alone.
    pub fn add_floor(&mut self, workload: &'static Workload, params: &Params) {
        let params = params.for_floor(workload.parameters);
        self.add_case(workload, Contender::Floor, params);
    }

    fn add_case(&mut self, workload: &'static Workload, contender: Contender, params: Params) {
        if !self.cases.iter().any(|case| case.is(workload, &contender, &params)) {
            self.cases.push(Case { workload, contender, params });
        }
    }

    /// The cases in the order in which they were added.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }
}

/// How often each case is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    /// Runs before the samples, not kept.
    pub warmup: usize,
    /// Runs that are kept, all of them.
    pub samples: usize,
}

impl Rounds {
    /// How many runs `measure` will make.
    pub fn runs(self, plan: &CasePlan) -> usize {
        (self.warmup + self.samples) * plan.cases.len()
    }
}

/// Measures a plan; `before_run` is told each run, for a progress display.
///
/// # Errors
/// The first of any case.
pub fn measure(
    plan: &CasePlan,
    rounds: Rounds,
    peers: &mut Peers,
    before_run: impl FnMut(&Case),
) -> Result<Results, BenchError> {
    let (results, mut wrong) = measure_right_ones(plan, rounds, peers, before_run)?;
    if wrong.is_empty() { Ok(results) } else { Err(wrong.remove(0).error) }
}

/// As [`measure`], and goes on without a case that comes to a wrong result: the others have
/// measured what they have measured.
///
/// # Errors
/// If a run comes to no result.
pub fn measure_right_ones(
    plan: &CasePlan,
    rounds: Rounds,
    peers: &mut Peers,
    mut before_run: impl FnMut(&Case),
) -> Result<(Results, Vec<Wrong>), BenchError> {
    let count = plan.cases.len();
    let mut samples: Vec<Result<Samples, BenchError>> = Vec::new();
    samples.resize_with(count, || Ok(Samples::default()));
    for round in 0..rounds.warmup + rounds.samples {
        for turn in 0..count {
            // WHY: every round begins with another case, so that none always follows the same one.
            let index = (round + turn) % count;
            let (case, so_far) = (&plan.cases[index], &mut samples[index]);
            let Ok(kept) = so_far else { continue };
            before_run(case);
            match case.sample(peers) {
                Ok(measured) if round >= rounds.warmup => kept.push(measured),
                Ok(_) => {}
                Err(error @ BenchError::WrongResult(_)) => *so_far = Err(error),
                Err(error) => return Err(error),
            }
        }
    }
    let (mut results, mut wrong) = (Results::default(), Vec::new());
    for (case, samples) in plan.cases.iter().cloned().zip(samples) {
        match samples {
            Ok(samples) => results.0.push(CaseOutcome { case, samples }),
            Err(error) => wrong.push(Wrong { case, error }),
        }
    }
    Ok((results, wrong))
}

/// What a table says in the place of times.
pub const WRONG_RESULT: &str = "wrong result";

/// A case one of whose runs has come to a wrong result.
pub struct Wrong {
    /// What was measured.
    pub case: Case,
    /// What is wrong.
    pub error: BenchError,
}

impl Wrong {
    /// A line on it: who, with which parameters, and what is wrong.
    pub fn told(&self) -> String {
        let Case { contender, params, .. } = &self.case;
        format!("{} {params}: {}", contender.implementation(), self.error)
    }

    /// Whether it is the case of Odeon with these parameters.
    pub(crate) fn is_odeon(&self, workload: &Workload, variant: Variant, params: &Params) -> bool {
        self.case.is(workload, &Contender::Odeon(variant), params)
    }
}

/// One case with its samples.
#[derive(Clone)]
pub struct CaseOutcome {
    /// What was measured.
    pub case: Case,
    /// What came out.
    pub samples: Samples,
}

/// All outcomes of a plan, in its order.
#[derive(Clone, Default)]
pub struct Results(pub Vec<CaseOutcome>);

impl Results {
    /// Odeon's samples for these parameters.
    pub fn odeon(
        &self,
        workload: &Workload,
        variant: Variant,
        params: &Params,
    ) -> Option<&Samples> {
        self.find(workload, &Contender::Odeon(variant), params)
    }

    /// The floor that belongs to these parameters.
    pub fn floor(&self, workload: &Workload, params: &Params) -> Option<&Samples> {
        let params = params.for_floor(workload.parameters);
        self.find(workload, &Contender::Floor, &params)
    }

    /// A peer's samples for the same work.
    pub fn peer(&self, workload: &Workload, peer: &str, params: &Params) -> Option<&Samples> {
        let params = params.for_peers(workload.parameters)?;
        self.find(workload, &Contender::Peer(peer.to_owned()), &params)
    }

    fn find(
        &self,
        workload: &Workload,
        contender: &Contender,
        params: &Params,
    ) -> Option<&Samples> {
        let outcome = self.0.iter().find(|outcome| outcome.case.is(workload, contender, params));
        outcome.map(|outcome| &outcome.samples)
    }

    /// The floor of any outcome; a floor is its own.
    pub fn floor_of(&self, outcome: &CaseOutcome) -> Option<&Samples> {
        self.floor(outcome.case.workload, &outcome.case.params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{Parameter, Value};
    use crate::workloads;
    use std::time::Duration;

    #[test]
    fn cases_alternate_and_floors_are_shared() {
        let workload = workloads::find("fjthrput").expect("fjthrput is a workload");
        let small = [("actors", 2), ("messages", 10)];
        let start = workload.defaults();
        let base =
            small.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)));
        let many = base.clone().with("mailboxes", Value::Number(64));
        let mut plan = CasePlan::default();
        plan.add(workload, Variant::Pool, &base, &[]);
        plan.add(workload, Variant::Pool, &many, &[]);
        assert_eq!(plan.cases().len(), 3, "two of Odeon, one floor");

        let rounds = Rounds { warmup: 1, samples: 3 };
        let mut order = Vec::new();
        let results = measure(&plan, rounds, &mut Peers::none(), |case| {
            order.push(case.contender.implementation().to_owned());
        });
        let results = results.expect("it runs");
        assert_eq!(order.len(), rounds.runs(&plan));
        assert_eq!(order[..4], ["odeon-pool", "floor", "odeon-pool", "floor"]);
        for outcome in &results.0 {
            assert_eq!(outcome.samples.ns_per_op.len(), 3);
            assert_eq!(outcome.samples.ops, 20);
            assert!(results.floor_of(outcome).is_some());
        }
        assert!(results.odeon(workload, Variant::Pool, &many).is_some());
        assert!(results.peer(workload, "tokio", &base).is_none());
    }

    static ONE_WAY_IS_WRONG: Workload = Workload {
        operation: "run",
        parameters: &[Parameter::word("way", "", &["good", "bad"]).outside_floor()],
        ..Workload::new("onewayiswrong", one_way_is_wrong, |_| {
            Ok(Measured::new(1, Duration::from_nanos(5)))
        })
    };

    fn one_way_is_wrong(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        match params.word("way") {
            "good" => Ok(Measured::new(1, Duration::from_nanos(10))),
            _ => Err(BenchError::WrongResult("one and one is three".to_owned())),
        }
    }

    #[test]
    fn a_wrong_result_leaves_the_others_theirs_and_has_a_row() {
        let good = ONE_WAY_IS_WRONG.defaults();
        let bad = good.clone().with("way", Value::Word("bad"));
        let mut plan = CasePlan::default();
        plan.add(&ONE_WAY_IS_WRONG, Variant::Pool, &bad, &[]);
        plan.add(&ONE_WAY_IS_WRONG, Variant::Pool, &good, &[]);
        let rounds = Rounds { warmup: 1, samples: 3 };
        let mut runs = 0;
        let measured = measure_right_ones(&plan, rounds, &mut Peers::none(), |_| runs += 1);
        let (results, wrong) = measured.expect("only one is wrong");
        assert_eq!(runs, 1 + 2 * 4, "who is wrong once is not run again");
        let right: Vec<_> =
            results.0.iter().map(|outcome| outcome.case.contender.implementation()).collect();
        assert_eq!(right, ["floor", "odeon-pool"]);
        assert!(results.0.iter().all(|outcome| outcome.samples.ns_per_op.len() == 3));
        assert_eq!(wrong[0].error.to_string(), "wrong result: one and one is three");
        let table = crate::report::table_with(&results, &wrong).to_text();
        let row = table.lines().find(|line| line.contains("bad")).expect("a row of its own");
        assert!(row.starts_with("odeon-pool") && row.ends_with("wrong result"), "{table}");
        let error = measure(&plan, rounds, &mut Peers::none(), |_| {}).err().expect("one is wrong");
        assert_eq!(error.to_string(), "wrong result: one and one is three");
    }
}
