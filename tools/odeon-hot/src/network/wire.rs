//! What is said over one connection, by whatever protocol. Answers come in the order of requests.

use odeon_bench::error::BenchError;
use odeon_example_ledger::{Transfer, Verdict};

/// One side of one connection.
pub(super) trait Wire: Send {
    /// Adds what is said before all transfers; answers how many answers that has.
    fn greet(&mut self, to: &mut Vec<u8>) -> usize;

    /// Adds a request for a transfer.
    fn ask(&mut self, transfer: &Transfer, to: &mut Vec<u8>);

    /// Takes the next answer off the front of what has come; nothing if it is not whole yet. One to
    /// the greeting is [`Verdict::Done`] too.
    ///
    /// # Errors
    /// If it is no answer that is known, or says that something has failed.
    fn answer(&mut self, from: &mut &[u8]) -> Result<Option<Verdict>, BenchError>;
}

/// What a keeper says that is no verdict.
pub(super) fn refused(what: impl std::fmt::Display) -> BenchError {
    BenchError::Lost(format!("the keeper of the ledger says {what}"))
}

/// What the functions of keepers answer that can only answer a number.
pub(super) fn verdict_of(number: &[u8]) -> Result<Verdict, BenchError> {
    match number {
        b"0" => Ok(Verdict::Done),
        b"1" => Ok(Verdict::NotCovered),
        b"2" => Ok(Verdict::NoAccount),
        other => Err(refused(String::from_utf8_lossy(other))),
    }
}
