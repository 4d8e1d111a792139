//! Cases that are looked at in their course: what was done until when.

use super::{PaperPlan, WatchPaper};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::plot::{Axis, Lines};
use crate::statistics::Spread;
use std::time::Duration;

/// Looks at one run, the first before its beginning and the last after its end.
#[derive(Debug, Clone)]
pub(super) struct RunCourse {
    pub(super) ops: u64,
    pub(super) elapsed: Duration,
    /// When, and what was counted until then.
    pub(super) looks: Vec<(Duration, Vec<u64>)>,
}

impl RunCourse {
    /// At the end.
    pub(super) fn total(&self, counter: usize) -> f64 {
        self.looks.last().map_or(0.0, |(_, counts)| counts[counter] as f64)
    }

    /// At the end of the time between two looks: what was done meanwhile, in a second.
    fn per_second(&self, counter: usize) -> Vec<(f64, f64)> {
        let steps = self.looks.windows(2).filter_map(|pair| {
            let [(begin, before), (end, after)] = pair else { return None };
            let elapsed = (*end - *begin).as_secs_f64();
            let done = after[counter].saturating_sub(before[counter]);
            // The last look may follow at once.
            (elapsed > 1e-4).then(|| (end.as_secs_f64(), done as f64 / elapsed))
        });
        steps.collect()
    }
}

/// How often to look.
#[derive(Clone, Copy)]
pub(super) struct Every {
    pub(super) full: Duration,
    pub(super) quick: Duration,
}

/// The runs of all cases, by their keys.
pub(super) struct Courses<K>(Vec<(K, Vec<RunCourse>)>);

impl<K: Copy + PartialEq> Courses<K> {
    /// Runs all cases in turn, each by `record`.
    pub(super) fn record(
        name: &str,
        cases: &[(K, Params)],
        every: Every,
        plan: &PaperPlan,
        watch: &mut dyn WatchPaper,
        record: impl Fn(&Params, Duration) -> Result<RunCourse, BenchError>,
    ) -> Result<Self, BenchError> {
        let (count, rounds) = (cases.len(), plan.rounds.warmup + plan.rounds.samples);
        watch.part(name, rounds * count);
        let every = if plan.quick { every.quick } else { every.full };
        let mut all: Vec<_> = cases.iter().map(|(key, _)| (*key, Vec::new())).collect();
        for round in 0..rounds {
            for turn in 0..count {
                // WHY: every round begins with another case, as in the runner.
                let index = (round + turn) % count;
                watch.run(cases[index].1.to_string());
                let course = record(&cases[index].1, every)?;
                if round >= plan.rounds.warmup {
                    all[index].1.push(course);
                }
            }
        }
        Ok(Self(all))
    }

    fn of(&self, key: K) -> &[RunCourse] {
        let found = self.0.iter().find(|(known, _)| *known == key);
        found.map_or(&[], |(_, courses)| courses)
    }

    /// Of all runs of a case.
    pub(super) fn median(&self, key: K, of: impl Fn(&RunCourse) -> f64) -> Option<f64> {
        let all: Vec<f64> = self.of(key).iter().map(of).collect();
        (!all.is_empty()).then(|| Spread::of(&all).median)
    }

    /// What was counted in a second of the first run of each case.
    pub(super) fn chart(
        &self,
        title: String,
        y_title: &'static str,
        lines: impl IntoIterator<Item = (String, K, usize)>,
    ) -> Lines {
        let line = |(name, key, counter): (String, K, usize)| {
            Some((name, self.of(key).first()?.per_second(counter)))
        };
        let series = lines.into_iter().filter_map(line).collect();
        Lines { title, x_title: "seconds", y_title, x: Axis::Linear, y: Axis::Linear, series }
    }
}

#[cfg(test)]
impl<K> Courses<K> {
    pub(super) fn made_up(courses: impl IntoIterator<Item = (K, Vec<RunCourse>)>) -> Self {
        Self(courses.into_iter().collect())
    }
}
