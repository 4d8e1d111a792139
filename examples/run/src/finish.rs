//! How a run tells the driving thread that it is done: actors arrive at a finish line, the driving
//! thread waits.

use crate::RunError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// TUNE: s, guessed 2026-11: the longest sample of the figures takes some 10 s on two cores; a run
/// that has lost a message must not hang a night of measuring.
const LIMIT: Duration = Duration::from_secs(600);

/// TUNE: ms, guessed 2026-11: rare enough not to count, often enough for who waits.
const BETWEEN_CHECKS: Duration = Duration::from_millis(100);

/// The side of the actors; clones arrive at the same line.
#[derive(Clone)]
pub struct Finish(Arc<FinishState>);

struct FinishState {
    missing: AtomicUsize,
    done: SyncSender<Result<(), RunError>>,
}

/// The side of the driving thread.
pub struct FinishWaiter(Receiver<Result<(), RunError>>);

/// A line that is reached when `arrivals` have arrived; `arrivals` must not be 0.
pub fn finish_line(arrivals: usize) -> (Finish, FinishWaiter) {
    let (done, reached) = sync_channel(1);
    (
        Finish(Arc::new(FinishState { missing: AtomicUsize::new(arrivals), done })),
        FinishWaiter(reached),
    )
}

impl Finish {
    /// One of the expected arrivals.
    pub fn arrive(&self) {
        // ORDERING: AcqRel, so that whatever the arrived have written is visible to whom the last
        // one wakes.
        if self.0.missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end(Ok(()));
        }
    }

    /// Arrives if `right`, else ends the run with an error.
    pub fn arrive_if(&self, right: bool, wrong: impl FnOnce() -> String) {
        if right {
            self.arrive();
        } else {
            self.end(Err(RunError::WrongResult(wrong())));
        }
    }

    /// WHY: never blocks and ignores a full or closed channel: the first end counts, and the
    /// driving thread may have given up waiting.
    fn end(&self, outcome: Result<(), RunError>) {
        let _ = self.0.done.try_send(outcome);
    }
}

impl FinishWaiter {
    /// Blocks until the line is reached, the run has failed, or the time limit has passed.
    pub fn wait(&self) -> Result<(), RunError> {
        self.wait_beyond(Duration::ZERO)
    }

    /// As [`wait`](Self::wait), and `check` may end it with an error; it is asked some times a
    /// second.
    pub fn wait_while(
        &self,
        mut check: impl FnMut() -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let begun = std::time::Instant::now();
        loop {
            match self.0.recv_timeout(BETWEEN_CHECKS) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
                Err(RecvTimeoutError::Timeout) if begun.elapsed() > LIMIT => {
                    return Err(RunError::Unfinished { limit: LIMIT });
                }
                Err(RecvTimeoutError::Timeout) => check()?,
            }
        }
    }

    /// As [`wait`](Self::wait), for a run that is to last so long.
    pub fn wait_beyond(&self, lasting: Duration) -> Result<(), RunError> {
        let limit = LIMIT + lasting;
        match self.0.recv_timeout(limit) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => Err(RunError::Unfinished { limit }),
            Err(RecvTimeoutError::Disconnected) => Err(stopped()),
        }
    }
}

fn stopped() -> RunError {
    RunError::WrongResult("every actor stopped before the end was signalled".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_arrival_ends_the_wait() {
        let (finish, waiting) = finish_line(2);
        let other = finish.clone();
        std::thread::spawn(move || other.arrive());
        finish.arrive();
        waiting.wait().expect("both have arrived");
    }

    #[test]
    fn a_failure_and_a_loss_are_errors() {
        let (finish, waiting) = finish_line(2);
        finish.arrive_if(false, || "one and one is three".to_owned());
        assert_eq!(waiting.wait().unwrap_err().to_string(), "wrong result: one and one is three");

        let (finish, waiting) = finish_line(1);
        drop(finish);
        assert!(waiting.wait().unwrap_err().to_string().contains("before the end"));
    }

    #[test]
    fn what_is_looked_at_meanwhile_may_end_it() {
        let (_finish, waiting) = finish_line(1);
        let given_up = waiting.wait_while(|| Err(RunError::Runtime("gone".to_owned())));
        assert_eq!(given_up.unwrap_err().to_string(), "the runtime refused: gone");
    }
}
