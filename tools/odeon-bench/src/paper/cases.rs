//! Cases of one figure, each measured as whole runs in turn with the others.

use super::{PaperPlan, WatchPaper};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::peers::Peers;
use crate::runner::{Case, CasePlan, Results, WRONG_RESULT, Wrong, measure_right_ones};
use crate::samples::Samples;
use crate::statistics::Spread;
use crate::table::short;
use crate::workload::{Variant, Workload};

/// Cases by their keys, and what came out.
pub(super) struct Cases<K> {
    workload: &'static Workload,
    keys: Vec<(K, Params)>,
    pub(super) results: Results,
    /// Those that have come to a wrong result: nothing is said of how fast they are.
    pub(super) wrong: Vec<Wrong>,
}

impl<K: Copy + PartialEq> Cases<K> {
    /// Checks all of them, and measures them as the part `name`.
    pub(super) fn measure(
        name: &str,
        workload: &'static Workload,
        keys: Vec<(K, Params)>,
        plan: &PaperPlan,
        watch: &mut dyn WatchPaper,
    ) -> Result<Self, BenchError> {
        let mut cases = CasePlan::default();
        for (_, params) in &keys {
            workload.check(params)?;
            cases.add_odeon(workload, Variant::Pool, params);
        }
        watch.part(name, plan.rounds.runs(&cases));
        let measured =
            measure_right_ones(&cases, plan.rounds, &mut Peers::none(), |case: &Case| {
                watch.run(case.params.to_string());
            });
        let (results, wrong) = measured?;
        Ok(Self { workload, keys, results, wrong })
    }

    #[cfg(any(test, feature = "theaters"))]
    pub(super) fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.keys.iter().map(|(key, _)| *key)
    }

    fn params(&self, key: K) -> Option<&Params> {
        self.keys.iter().find(|(known, _)| *known == key).map(|(_, params)| params)
    }

    pub(super) fn samples(&self, key: K) -> Option<&Samples> {
        self.results.odeon(self.workload, Variant::Pool, self.params(key)?)
    }

    /// Times of whole runs.
    pub(super) fn seconds(&self, key: K) -> Option<Spread> {
        let samples = self.samples(key)?;
        Some(samples.spread().times(samples.ops as f64 / 1e9))
    }

    /// Whether a case has come to a wrong result.
    pub(super) fn is_wrong(&self, key: K) -> bool {
        let params = self.params(key);
        let is_it = |wrong: &Wrong| {
            params.is_some_and(|params| wrong.is_odeon(self.workload, Variant::Pool, params))
        };
        self.wrong.iter().any(is_it)
    }

    /// The median and the range of a case, or that it is wrong; nothing if it was not measured.
    pub(super) fn cells(&self, key: K) -> Option<[String; 2]> {
        if self.is_wrong(key) {
            return Some([WRONG_RESULT.to_owned(), String::new()]);
        }
        let Spread { min, median, max } = self.seconds(key)?.times(1e3);
        Some([short(median), format!("{}..{}", short(min), short(max))])
    }

    /// What has come to a wrong result.
    pub(super) fn failures(&self, name: &str) -> Vec<String> {
        self.wrong.iter().map(|wrong| format!("{name}: {}", wrong.told())).collect()
    }
}

/// Operations and seconds of a run, or what is wrong.
#[cfg(test)]
type MadeUp = Result<(u64, f64), &'static str>;

#[cfg(test)]
impl<K: Copy + PartialEq> Cases<K> {
    /// What was never measured.
    pub(super) fn made_up(workload: &'static Workload, cases: Vec<(K, Params, MadeUp)>) -> Self {
        use crate::runner::{CaseOutcome, Contender};
        let (results, wrong) = (Results::default(), Vec::new());
        let mut made = Self { workload, keys: Vec::new(), results, wrong };
        for (key, params, outcome) in cases {
            let contender = Contender::Odeon(Variant::Pool);
            let case = Case { workload, contender, params: params.clone() };
            match outcome {
                Ok((ops, seconds)) => {
                    let ns_per_op = vec![seconds * 1e9 / ops as f64];
                    let samples = Samples { ops, ns_per_op, ..Samples::default() };
                    made.results.0.push(CaseOutcome { case, samples });
                }
                Err(what) => {
                    let error = BenchError::WrongResult(what.to_owned());
                    made.wrong.push(Wrong { case, error });
                }
            }
            made.keys.push((key, params));
        }
        made
    }
}
