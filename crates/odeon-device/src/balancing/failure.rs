//! What a pool tells about its workers.

use std::fmt;

use super::piece::WorkerError;

/// Something that went wrong with a worker: told to the function given to
/// [`Balancing::on_failure`](super::Balancing::on_failure), on the worker's thread.
///
/// Shown as a sentence: `gpu 0: the device is lost: reset by its driver; 4 pieces are done again,
/// the worker is made anew`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerFailure {
    /// The kind of the worker.
    pub kind: String,
    /// Its number among those of its kind.
    pub number: usize,
    /// What went wrong.
    pub error: WorkerError,
    /// The pieces that it had in hand, which are done by others, or again. None if it could not be
    /// made.
    pub pieces: usize,
    /// What becomes of the worker.
    pub then: Then,
}

/// What becomes of a worker that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It goes on with other pieces.
    GoesOn,
    /// It is made anew, after a pause.
    MadeAnew,
    /// It is left out: the pool runs on the others.
    LeftOut,
}

impl fmt::Display for WorkerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}; ", self.kind, self.number, self.error)?;
        match self.pieces {
            0 => {}
            1 => f.write_str("1 piece is done again, ")?,
            pieces => write!(f, "{pieces} pieces are done again, ")?,
        }
        f.write_str(match self.then {
            Then::GoesOn => "the worker goes on",
            Then::MadeAnew => "the worker is made anew",
            Then::LeftOut => "the worker is left out",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DeviceError;

    #[test]
    fn says_what_happened_and_what_becomes_of_it() {
        let mut failure = WorkerFailure {
            kind: "gpu".into(),
            number: 0,
            error: WorkerError::Error(DeviceError::Lost("reset by its driver".into())),
            pieces: 4,
            then: Then::MadeAnew,
        };
        let said = "gpu 0: the device is lost: reset by its driver; 4 pieces are done again, the worker is made anew";
        assert_eq!(failure.to_string(), said);
        (failure.pieces, failure.then) = (0, Then::LeftOut);
        failure.error = WorkerError::Panic("ouch".into());
        assert_eq!(failure.to_string(), "gpu 0: panicked: ouch; the worker is left out");
    }
}
