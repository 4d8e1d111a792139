//! What came out of all runs.

use crate::running::Took;
use crate::way::PLAIN;
use crate::{ScaleLoad, ScaleWay, locks};
use odeon_bench::statistics::Spread;
use odeon_sync::LockCounts;

/// All runs of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Who handled the messages.
    pub way: ScaleWay,
    /// Worker threads.
    pub workers: usize,
    /// What was done.
    pub load: ScaleLoad,
    /// Of each run: ns for a message, of all workers together.
    pub ns: Vec<f64>,
    /// Of each run: processor time for a message, of all threads.
    pub cpu_ns: Vec<f64>,
    /// Messages of all runs.
    pub messages: u64,
    /// What each lock was held and waited for in all runs, in a build that counts.
    pub locks: Vec<LockCounts>,
}

impl Point {
    pub(crate) fn new(way: ScaleWay, workers: usize, load: ScaleLoad) -> Self {
        let (ns, cpu_ns, locks) = (Vec::new(), Vec::new(), Vec::new());
        Self { way, workers, load, ns, cpu_ns, messages: 0, locks }
    }

    pub(crate) fn push(&mut self, took: Took, before: &[LockCounts], after: &[LockCounts]) {
        self.ns.push(took.ns);
        self.cpu_ns.push(took.cpu_ns);
        self.messages += took.messages;
        locks::add(&mut self.locks, before, after);
    }

    /// Of the ns for a message.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.ns)
    }

    /// The least of all runs. Whatever else a machine does makes runs longer, never shorter, so
    /// this is what simulations are held against.
    pub fn fastest_ns(&self) -> f64 {
        self.spread().min
    }
}

/// All cases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurements {
    /// In the order of the plan.
    pub points: Vec<Point>,
}

impl Measurements {
    /// One case.
    pub fn of(&self, way: ScaleWay, workers: usize, load: ScaleLoad) -> Option<&Point> {
        let is_it = |point: &&Point| (point.way, point.workers, point.load) == (way, workers, load);
        self.points.iter().find(is_it)
    }

    /// How many times as many messages as a plain actor with as many workers, by the medians.
    pub fn speed_up(&self, point: &Point) -> Option<f64> {
        let plain = self.of(PLAIN, point.workers, point.load)?;
        Some(plain.spread().median / point.spread().median)
    }

    /// Processor time for a message beside that of the bare handler on one thread.
    pub fn cpu_beside(&self, point: &Point) -> Option<f64> {
        let bare = self.of(ScaleWay::Floor, 1, point.load)?;
        Some(Spread::of(&point.cpu_ns).median - bare.spread().median)
    }

    /// All loads, each once.
    pub fn loads(&self) -> Vec<ScaleLoad> {
        let mut loads = Vec::new();
        for point in &self.points {
            if !loads.contains(&point.load) {
                loads.push(point.load);
            }
        }
        loads
    }

    /// The cases of a way with a load, by their workers.
    pub fn course(&self, way: ScaleWay, load: ScaleLoad) -> Vec<&Point> {
        let is_its = |point: &&Point| (point.way, point.load) == (way, load);
        let mut course: Vec<&Point> = self.points.iter().filter(is_its).collect();
        course.sort_by_key(|point| point.workers);
        course
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const LOAD: ScaleLoad =
        ScaleLoad { handler_ns: 100, senders: 4, conflict: 0, reads: 0 };

    pub(crate) fn point(way: ScaleWay, workers: usize, load: ScaleLoad, ns: &[f64]) -> Point {
        let cpu_ns = ns.iter().map(|ns| ns * workers as f64).collect();
        Point { ns: ns.to_vec(), cpu_ns, ..Point::new(way, workers, load) }
    }

    #[test]
    fn points_are_compared_with_the_plain_actor_and_the_bare_handler() {
        let concurrent = ScaleWay::Mode("concurrent");
        let points = vec![
            point(ScaleWay::Floor, 1, LOAD, &[100.0]),
            point(PLAIN, 2, LOAD, &[150.0, 160.0, 170.0]),
            point(concurrent, 2, LOAD, &[80.0]),
            point(concurrent, 1, LOAD, &[180.0]),
        ];
        let all = Measurements { points };
        let two = all.of(concurrent, 2, LOAD).expect("it is there");
        assert_eq!((all.speed_up(two), all.cpu_beside(two)), (Some(2.0), Some(60.0)));
        assert_eq!(all.speed_up(all.course(concurrent, LOAD)[0]), None, "no plain one beside it");
        assert_eq!(all.course(concurrent, LOAD).len(), 2);
        assert_eq!(all.loads(), [LOAD]);
        assert_eq!(all.of(PLAIN, 2, LOAD).expect("it is there").fastest_ns(), 150.0);
    }
}
