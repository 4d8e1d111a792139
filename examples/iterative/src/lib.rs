//! Programs that repeat a step until they are content, in the manner of Hayduk's thesis, section
//! 6.5.1: an iteration actor cuts each round into pieces, worker actors do them, and it merges what
//! comes back.
//!
//! | concept | files |
//! |---|---|
//! | what a program says of its rounds | this one |
//! | the iteration actor | `iteration.rs` |
//! | a worker actor, whatever its worker is | `iteration/member.rs` |
//! | which rows belong to which piece | `shares.rs` |
//! | several pieces at once, on a core of a pool | `several.rs` |
//! | which devices are there for them | `devices.rs` |
//! | adding up on a device what its units have found | `sums.rs` |

#![deny(unsafe_code)]

pub mod devices;
mod iteration;
mod several;
mod shares;
pub mod sums;

use iteration::{Iteration, ToIteration, WorkerActor};
use odeon::prelude::*;
use odeon_device::{BalancingPool, Place, Worker};
use odeon_example_run::{RunError, runtime};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

pub use iteration::Members;
pub use several::Several;
pub use shares::shares;

/// TUNE: s, guessed 2026-11: the longest run of the reproduction takes some minutes on two cores;
/// one that has lost a piece must not hang a night of measuring.
const LIMIT: Duration = Duration::from_secs(1800);

/// TUNE: ms, guessed 2026-11: nothing that is looked at so often disturbs a run.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A part of a round.
pub trait RoundPiece: Send + 'static {
    /// Which of the round's pieces it is, from 0.
    fn number(&self) -> usize;
}

/// The rounds of a program: what the iteration actor does besides sending.
pub trait Rounds: Send + 'static {
    /// What a round is made of.
    type Piece: RoundPiece;

    /// The pieces of the first round, in the order of their numbers.
    fn first(&mut self) -> Vec<Self::Piece>;

    /// Merges a round, all its pieces in the order of their numbers. Answers the pieces of the
    /// next, or nothing at the end.
    fn next(&mut self, done: Vec<Self::Piece>) -> Option<Vec<Self::Piece>>;
}

/// Who does the pieces.
pub enum Crew<P: Send + 'static> {
    /// Worker actors, to which the iteration actor gives them.
    Members(Members<P>),
    /// Those of a pool, which finds out by itself who is best.
    Pool(BalancingPool<P>),
}

impl<P: RoundPiece> Crew<P> {
    /// Nobody yet.
    #[expect(clippy::new_without_default, reason = "a crew of nobody is no default")]
    pub const fn new() -> Self {
        Self::Members(Members::new())
    }

    /// Adds a worker actor: on the theater's workers, or on a thread of its own if its worker
    /// mostly waits for a device.
    ///
    /// # Errors
    /// If the thread cannot be started.
    ///
    /// # Panics
    /// If the crew is a pool.
    pub fn add(
        &mut self,
        theater: &Theater,
        worker: impl Worker<Work = P>,
    ) -> Result<(), RunError> {
        let (at_once, place) = (worker.most_at_once(), worker.place());
        let actor = WorkerActor::new(worker);
        let actor = match place {
            Place::Cpu => theater.spawn(actor),
            Place::Device => {
                theater.actor().dedicated("device-worker").spawn(actor).map_err(runtime)?
            }
        };
        let Self::Members(members) = self else { panic!("a pool makes its workers itself") };
        members.add(actor, at_once);
        Ok(())
    }
}

/// A run that is set up and has not begun.
pub struct CrewRun<R: Rounds> {
    iteration: ActorRef<ToIteration<R::Piece>>,
    end: Receiver<Result<R, RunError>>,
}

/// Who is told of the end of a run.
type RunEnd<R> = SyncSender<Result<R, RunError>>;

impl<R: Rounds> CrewRun<R> {
    /// Of this program, by this crew.
    ///
    /// # Panics
    /// If the crew is empty.
    pub fn new(theater: &Theater, rounds: R, crew: Crew<R::Piece>) -> Self {
        let is_empty = matches!(&crew, Crew::Members(members) if members.count() == 0);
        assert!(!is_empty, "somebody has to do the work");
        let (tell, end) = sync_channel(1);
        Self { iteration: theater.spawn(Iteration::new(rounds, crew, tell)), end }
    }

    /// All rounds; answers the program as they have left it.
    ///
    /// # Errors
    /// What a worker answers; if the end does not come.
    pub fn complete(self) -> Result<R, RunError> {
        self.complete_if(|| Ok(()))
    }

    /// As [`complete`](Self::complete), as long as `all_is_well` says so, which is asked from time
    /// to time.
    ///
    /// # Errors
    /// Also what `all_is_well` answers.
    pub fn complete_if(
        self,
        mut all_is_well: impl FnMut() -> Result<(), RunError>,
    ) -> Result<R, RunError> {
        self.iteration.send(ToIteration::Begin).map_err(runtime)?;
        let begun = Instant::now();
        loop {
            match self.end.recv_timeout(LOOK_EVERY) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) => all_is_well()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let what = "the iteration actor stopped before the end";
                    return Err(RunError::WrongResult(what.to_owned()));
                }
            }
            if begun.elapsed() > LIMIT {
                return Err(RunError::Unfinished { limit: LIMIT });
            }
        }
    }
}

#[cfg(test)]
mod tests;
