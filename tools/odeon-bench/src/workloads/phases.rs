//! `phases`: a ledger whose entries begin to meet, and cease to, while it runs. How many messages
//! does an adaptive actor need until it is about as fast as the fixed mode that is best in the new
//! phase? Not a workload of [`ALL`](super::ALL): what comes out is no time of one operation.

mod looks;

use crate::statistics::Spread;
use crate::workload::prelude::*;
use looks::{WorkDone, messages_until};
use odeon_example_run::{theater_with, watch};
use odeon_example_shared_state::ledger::LedgerPlan;
use odeon_example_shared_state::{Runs, SharedState, ToState, Work, enter, processing, spawn};
use std::time::Duration;

/// Per cent of the entries that meet, phase by phase.
pub const CONFLICTS: [u64; 3] = [0, 100, 0];

/// The modes whose best is to be reached.
const FIXED: [&str; 2] = ["sequential", "concurrent"];
const ADAPTIVE: &str = "adaptive";

/// TUNE: guessed 2026-11: short against the 2 ms after which an actor looks at its own throughput.
const LOOK: Duration = Duration::from_micros(250);
/// TUNE: messages, guessed 2026-11: over so many the throughput is taken; some milliseconds of
/// entries of 2 us.
const WINDOW: u64 = 4096;

/// What is run.
#[derive(Debug, Clone)]
pub struct PhasesPlan {
    /// Computing of each entry.
    pub handler_ns: u64,
    /// Actors that send.
    pub senders: u64,
    /// Entries of all senders in each phase.
    pub entries: u64,
    /// Worker threads of the runtime.
    pub workers: u64,
    /// Runs of each mode, taken in turn.
    pub samples: usize,
    /// How far from the best, in per cent of its throughput, is near enough.
    pub within_percent: u64,
}

/// What came out for one phase.
#[derive(Debug, Clone)]
pub struct PhaseResult {
    /// Per cent of the entries that meet.
    pub conflict: u64,
    /// The best fixed mode.
    pub best: &'static str,
    /// Its median time for an entry.
    pub best_ns: f64,
    /// The adaptive actor's, over the whole phase.
    pub adaptive_ns: f64,
    /// Of each run of the adaptive actor: messages until it was near enough; `None` if it never
    /// was.
    pub messages: Vec<Option<u64>>,
}

impl PhasesPlan {
    /// Runs all modes, and compares; `before_run` is told the mode of each run.
    pub fn run(
        &self,
        mut before_run: impl FnMut(&'static str),
    ) -> Result<Vec<PhaseResult>, BenchError> {
        let modes = [FIXED[0], FIXED[1], ADAPTIVE];
        let mut runs: [Vec<Phases>; 3] = Default::default();
        for sample in 0..self.samples {
            for turn in 0..modes.len() {
                // WHY: every round begins with another mode, so that none always follows the same
                // one.
                let index = (sample + turn) % modes.len();
                before_run(modes[index]);
                runs[index].push(self.run_once(modes[index])?);
            }
        }
        let [sequential, concurrent, adaptive] = runs;
        let fixed = [sequential, concurrent];
        Ok((0..CONFLICTS.len()).map(|phase| self.judge(phase, &fixed, &adaptive)).collect())
    }

    /// How many runs there will be.
    pub fn runs(&self) -> usize {
        self.samples * (FIXED.len() + 1)
    }

    fn judge(&self, phase: usize, fixed: &[Vec<Phases>; 2], adaptive: &[Phases]) -> PhaseResult {
        let median = |runs: &[Phases]| {
            let all: Vec<f64> = runs.iter().map(|run| run[phase].measured.ns_per_op()).collect();
            Spread::of(&all).median
        };
        let of_modes = FIXED.iter().zip(fixed).map(|(mode, runs)| (*mode, median(runs)));
        let best = of_modes.min_by(|a, b| a.1.total_cmp(&b.1));
        let (best, best_ns) = best.expect("there are fixed modes");
        let near_enough = (100 - self.within_percent) as f64 / 100.0 * 1e9 / best_ns;
        let window = WINDOW.min(self.entries / 8).max(1);
        let messages =
            adaptive.iter().map(|run| messages_until(&run[phase].looks, near_enough, window));
        PhaseResult {
            conflict: CONFLICTS[phase],
            best,
            best_ns,
            adaptive_ns: median(adaptive),
            messages: messages.collect(),
        }
    }

    fn run_once(&self, mode: &str) -> Result<Phases, BenchError> {
        let theater = theater_with(self.workers as usize)?;
        let plans = CONFLICTS.map(|conflict| self.plan(conflict));
        let ledger = spawn(&plans[0], &theater, processing(mode));
        let actors = [ledger.actor_ref()];
        let mut run = Phases::new();
        for plan in &plans {
            let before = ledger.speculation().commits;
            let mut looks = vec![WorkDone::default()];
            let look = |elapsed| {
                looks.push(WorkDone { elapsed, done: ledger.speculation().commits - before });
            };
            let runs = Runs::once(plan.senders()).into();
            let measured = watch(LOOK, look, || enter(plan, &theater, &actors, &runs))?;
            run.push(PhaseRun { measured: measured.into(), looks });
        }
        let total = ledger.ask(ToState::Outcome).wait().map_err(runtime)?;
        let often = vec![CONFLICTS.len() as u64; plans[0].senders()];
        plans[0].check(vec![total], &often).map(|()| run)
    }

    /// Nothing is only looked at.
    fn plan(&self, conflict: u64) -> LedgerPlan {
        LedgerPlan {
            senders: self.senders as usize,
            entries: self.entries.div_ceil(self.senders),
            conflict,
            reads: 0,
            work: Work::of_ns(self.handler_ns),
            seed: 1,
            is_named: false,
        }
    }
}

/// All phases of one run.
type Phases = Vec<PhaseRun>;

struct PhaseRun {
    measured: Measured,
    looks: Vec<WorkDone>,
}

#[cfg(test)]
mod tests;
