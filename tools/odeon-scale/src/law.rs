//! The Universal Scalability Law: with N workers, `X(N) = x N / (1 + s (N - 1) + k N (N - 1))`
//! messages are handled in a unit of time. `x` is what one does, `s` the part of the work that is
//! serial, `k` what each pair of workers costs for agreeing with each other.
//!
//! Neil J. Gunther: "A General Theory of Computational Scalability Based on Rational Functions",
//! 2008, arXiv 0808.1431. As `N / X(N)` is linear in `1/x`, `s/x` and `k/x`, the fit is one of
//! linear least squares, and what one worker does is fitted too: it is no better known than the
//! rest. How far to trust it, the bootstrap says (B. Efron: "Bootstrap Methods: Another Look at
//! the Jackknife", 1979): what is fitted again and again to samples drawn from the samples.
//!
//! The law is one of numbers of workers that do the same work. An actor on one worker has no shards
//! and handles each message in its own turn, which is less work: fits begin with two workers.

use crate::least_squares::solve;
use crate::measurements::Point;
use odeon_bench::statistics::Spread;
use odeon_example_run::SplitMix64;
use serde::Serialize;

/// Numbers of workers below which three unknowns say nothing that can be trusted.
pub const FEWEST: usize = 6;

/// The number of workers that fits begin with: see the module.
pub const FROM_WORKERS: usize = 2;

/// The law with its three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScalabilityLaw {
    /// Of one worker, for a message.
    pub one_ns: f64,
    /// The serial part of the work.
    pub sigma: f64,
    /// What pairs of workers cost.
    pub kappa: f64,
}

impl ScalabilityLaw {
    /// Time for a message with so many workers.
    pub fn ns_at(&self, workers: f64) -> f64 {
        let pairs = workers * (workers - 1.0);
        self.one_ns * (1.0 + self.sigma * (workers - 1.0) + self.kappa * pairs) / workers
    }

    /// The number of workers that do most; infinite if more always do more.
    pub fn best_workers(&self) -> f64 {
        if self.sigma >= 1.0 {
            1.0
        } else if self.kappa > 0.0 {
            ((1.0 - self.sigma) / self.kappa).sqrt().max(1.0)
        } else {
            f64::INFINITY
        }
    }

    /// The closest to points of workers and ns for a message: each counts by how far off it is in
    /// per cent. No part may be negative, so each set of parts is fitted without the others.
    fn closest(points: &[(usize, f64)]) -> Option<Self> {
        let row = |(workers, ns): &(usize, f64)| {
            let (workers, all) = (*workers as f64, *workers as f64 * ns);
            ([1.0, workers - 1.0, workers * (workers - 1.0)], all, 1.0 / (all * all))
        };
        let rows: Vec<Row<3>> = points.iter().map(row).collect();
        let sets = [
            solve(&rows),
            solve(&with_columns(&rows, [0, 1])).map(|[one, serial]| [one, serial, 0.0]),
            solve(&with_columns(&rows, [0, 2])).map(|[one, pairs]| [one, 0.0, pairs]),
            solve(&with_columns(&rows, [0])).map(|[one]| [one, 0.0, 0.0]),
        ];
        let is_possible = |[one, serial, pairs]: &[f64; 3]| {
            *one > 0.0 && *serial >= 0.0 && *pairs >= 0.0 && one.is_finite()
        };
        let by_residual =
            |a: &[f64; 3], b: &[f64; 3]| residual(&rows, a).total_cmp(&residual(&rows, b));
        let closest = sets.into_iter().flatten().filter(is_possible).min_by(by_residual);
        closest.map(|[one, serial, pairs]| Self {
            one_ns: one,
            sigma: serial / one,
            kappa: pairs / one,
        })
    }
}

/// Columns, value, weight.
type Row<const K: usize> = ([f64; K], f64, f64);

fn with_columns<const K: usize>(rows: &[Row<3>], columns: [usize; K]) -> Vec<Row<K>> {
    rows.iter()
        .map(|(of, value, weight)| (columns.map(|column| of[column]), *value, *weight))
        .collect()
}

/// The sum of the squares of what is missing, by their weights.
fn residual(rows: &[Row<3>], factors: &[f64; 3]) -> f64 {
    let missing = |(columns, value, weight): &Row<3>| {
        let there: f64 = columns.iter().zip(factors).map(|(column, factor)| column * factor).sum();
        weight * (there - value).powi(2)
    };
    rows.iter().map(missing).sum()
}

/// The law that some points follow, and how closely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fit {
    /// By the medians of each number of workers.
    pub law: ScalabilityLaw,
    /// How far the points are off it, in per cent (root of the mean square).
    pub residual_percent: f64,
    /// 95 of 100 fits to medians of samples drawn from the samples lie between these.
    pub sigma_between: (f64, f64),
    /// The same.
    pub kappa_between: (f64, f64),
    /// Of [`DRAWS`], those that no law fits.
    pub failed_draws: usize,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFit {
    /// So many numbers of workers are too few.
    TooFew(usize),
    /// The points say nothing.
    Degenerate,
}

impl std::fmt::Display for NoFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooFew(workers) => write!(
                f,
                "no fit of the Universal Scalability Law: it needs {FEWEST} real numbers of workers from {FROM_WORKERS} on, and there are {workers}"
            ),
            Self::Degenerate => f.write_str("no fit: the points say nothing about the law"),
        }
    }
}

/// Fits again of samples drawn from the samples.
pub const DRAWS: usize = 400;

/// The law of one way with one load.
///
/// # Errors
/// If there are too few numbers of workers.
pub fn fit(course: &[&Point], seed: u64) -> Result<Fit, NoFit> {
    let is_of_it = |point: &&&Point| point.workers >= FROM_WORKERS && !point.ns.is_empty();
    let course: Vec<&&Point> = course.iter().filter(is_of_it).collect();
    if course.len() < FEWEST {
        return Err(NoFit::TooFew(course.len()));
    }
    let points: Vec<(usize, f64)> =
        course.iter().map(|point| (point.workers, point.spread().median)).collect();
    let law = ScalabilityLaw::closest(&points).ok_or(NoFit::Degenerate)?;
    let off = points.iter().map(|(workers, ns)| (law.ns_at(*workers as f64) / ns - 1.0).powi(2));
    let mut random = SplitMix64::new(seed);
    let mut drawn_median = |samples: &[f64]| {
        let drawn = |_: &f64| samples[(random.next() % samples.len() as u64) as usize];
        Spread::of(&samples.iter().map(drawn).collect::<Vec<f64>>()).median
    };
    let mut laws = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let points: Vec<(usize, f64)> =
            course.iter().map(|point| (point.workers, drawn_median(&point.ns))).collect();
        laws.extend(ScalabilityLaw::closest(&points));
    }
    Ok(Fit {
        law,
        residual_percent: 100.0 * (off.sum::<f64>() / points.len() as f64).sqrt(),
        sigma_between: middle_95(laws.iter().map(|law| law.sigma)),
        kappa_between: middle_95(laws.iter().map(|law| law.kappa)),
        failed_draws: DRAWS - laws.len(),
    })
}

fn middle_95(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = (part * sorted.len().saturating_sub(1) as f64).round() as usize;
        sorted.get(index).copied().unwrap_or(f64::NAN)
    };
    (at(0.025), at(0.975))
}

#[cfg(test)]
mod tests;
