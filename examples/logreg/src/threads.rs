//! The same without actors, with the same function for the points: by plain `rayon`, and by one
//! loop.

use super::{Fitted, Labelled, Partial, Steps, gradient};
use odeon_example_run::RunError;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// TUNE: rows that a thread takes at once, as in k-means.
const ROWS: usize = 1024;

/// Threads that share loops.
pub struct Threads(ThreadPool);

impl Threads {
    /// So many.
    ///
    /// # Errors
    /// If they cannot be started.
    pub fn new(count: usize) -> Result<Self, RunError> {
        let pool = ThreadPoolBuilder::new().num_threads(count).build();
        pool.map(Self).map_err(|error| RunError::Runtime(error.to_string()))
    }

    /// All steps.
    pub fn descend(&self, samples: &Labelled, steps: Steps) -> Fitted {
        let Labelled { points, labels } = samples;
        let dims = points.dims();
        let empty = || Partial::new(dims + 1);
        self.0.install(|| {
            rounds(samples, steps, |weights| {
                let rows = points.values(0..points.rows()).par_chunks(ROWS * dims);
                let parts = rows.zip(labels.par_chunks(ROWS));
                let merged = parts.fold(empty, |mut partial, (points, labels)| {
                    gradient(points, labels, weights, &mut partial);
                    partial
                });
                merged.reduce(empty, |mut one, other| {
                    one.merge(&other);
                    one
                })
            })
        })
    }
}

/// All steps on this thread.
pub fn on_one_thread(samples: &Labelled, steps: Steps) -> Fitted {
    let Labelled { points, labels } = samples;
    rounds(samples, steps, |weights| {
        let mut partial = Partial::new(weights.len());
        gradient(points.values(0..points.rows()), labels, weights, &mut partial);
        partial
    })
}

fn rounds(samples: &Labelled, steps: Steps, sum_up: impl Fn(&[f32]) -> Partial) -> Fitted {
    let rows = samples.points.rows();
    let mut weights = vec![0.0; samples.points.dims() + 1];
    let mut loss = 0.0;
    for _ in 0..steps.rounds {
        let partial = sum_up(&weights);
        weights = partial.step(&weights, rows, steps.rate);
        loss = partial.loss / rows as f64;
    }
    Fitted { weights, loss }
}
