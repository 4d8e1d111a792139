//! What is clustered, and what must come out.

use super::{Centres, Clusters, Points, Stop, Tolerance, check, sequential};
use odeon_example_run::RunError;
use std::sync::Arc;

/// Points, where their centres begin, and when to stop.
pub struct KmeansTask {
    /// The points.
    pub points: Arc<Points>,
    /// The centres of the first round.
    pub first: Centres,
    /// When the rounds end.
    pub stop: Stop,
    expected: Clusters,
}

impl KmeansTask {
    /// From so many of the points, drawn by the seed.
    ///
    /// # Errors
    /// If there are fewer points than centres.
    pub fn new(points: Points, centres: usize, seed: u64, stop: Stop) -> Result<Self, RunError> {
        if centres > points.rows() {
            let problem = format!("{centres} centres need as many points, not {}", points.rows());
            return Err(RunError::bad_argument("--centres", problem));
        }
        let first = Centres::drawn(&points, centres, seed);
        let expected = match stop {
            // From where nothing changes any more it is the same, however many rounds follow.
            Stop::Lasting(_) => sequential(&points, &first, Stop::Changes(0)),
            stop => sequential(&points, &first, stop),
        };
        Ok(Self { points: Arc::new(points), first, stop, expected })
    }

    /// Whether these are right.
    ///
    /// # Errors
    /// If they are not, with what is wrong.
    pub fn check(&self, clusters: &Clusters, within: Tolerance) -> Result<(), RunError> {
        let expected = self.expected_after(clusters.rounds);
        check(&self.points, clusters, &expected, self.stop, within)
    }

    /// What must have come out of a run of so many rounds, if the time has decided how many.
    fn expected_after(&self, rounds: u64) -> Clusters {
        let settled = self.expected.rounds;
        match self.stop {
            Stop::Lasting(_) if settled < Stop::MOST_ROUNDS && settled <= rounds => {
                Clusters { rounds, ..self.expected.clone() }
            }
            Stop::Lasting(_) => sequential(&self.points, &self.first, Stop::After(rounds)),
            _ => self.expected.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use std::time::Duration;

    #[test]
    fn what_is_expected_goes_on_when_nothing_changes_any_more() {
        let lasting = Stop::Lasting(Duration::from_secs(1));
        let task = KmeansTask::new(generate(300, 2, 16, 7), 16, 7, lasting).expect("300 points");
        for rounds in [1, 2, 1_000] {
            let expected = sequential(&task.points, &task.first, Stop::After(rounds));
            assert_eq!(task.expected_after(rounds), expected);
        }
    }
}
