//! The same without actors, with the same function for the points: by plain `rayon`, and by one
//! loop.

use super::piece::NONE;
use super::{Centres, Clusters, Partial, Points, Stop, assign};
use odeon_example_run::RunError;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem::replace;

/// TUNE: rows that a thread takes at once; 2026-11: with 512 to 4,096 a round takes the same time,
/// as they are a tenth of a millisecond of work or more; fewer are better where a round is short.
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

    /// All rounds.
    pub fn cluster(&self, points: &Points, first: &Centres, stop: Stop) -> Clusters {
        self.0.install(|| cluster(points, first, stop))
    }
}

/// All rounds on this thread.
pub fn on_one_thread(points: &Points, first: &Centres, stop: Stop) -> Clusters {
    let stop = stop.begun();
    let mut previous = vec![NONE; points.rows()];
    let mut members = previous.clone();
    let mut partial = Partial::new(first.count(), points.dims());
    let mut centres = first.clone();
    let mut rounds = 0;
    loop {
        partial.clear();
        let all = points.values(0..points.rows());
        assign(all, &centres, &previous, &mut members, &mut partial);
        let means = partial.centres(&centres);
        let by = replace(&mut centres, means);
        rounds += 1;
        if stop.is_reached(rounds, partial.changed, points.rows()) {
            return Clusters { members, by, centres, rounds };
        }
        std::mem::swap(&mut previous, &mut members);
    }
}

fn cluster(points: &Points, first: &Centres, stop: Stop) -> Clusters {
    let (dims, stop) = (points.dims(), stop.begun());
    let mut previous = vec![NONE; points.rows()];
    let mut members = previous.clone();
    let mut centres = first.clone();
    let mut rounds = 0;
    loop {
        let empty = || Partial::new(centres.count(), dims);
        let rows = points.values(0..points.rows()).par_chunks(ROWS * dims);
        let parts = rows.zip(previous.par_chunks(ROWS)).zip(members.par_chunks_mut(ROWS));
        let merged = parts.fold(empty, |mut partial, ((points, previous), members)| {
            assign(points, &centres, previous, members, &mut partial);
            partial
        });
        let merged = merged.reduce(empty, |mut one, other| {
            one.merge(&other);
            one
        });
        let means = merged.centres(&centres);
        let by = replace(&mut centres, means);
        rounds += 1;
        if stop.is_reached(rounds, merged.changed, points.rows()) {
            return Clusters { members, by, centres, rounds };
        }
        std::mem::swap(&mut previous, &mut members);
    }
}
