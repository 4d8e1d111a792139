//! What a case of `stm` brings, and what it is told.

use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;

/// One way to use transactional memory.
pub(super) struct Case {
    /// The word on the command line.
    pub(super) name: &'static str,
    /// Runs it on `odeon-stm`, and checks the result.
    pub(super) run: fn(&TxPlan) -> Result<Measured, BenchError>,
    /// The same work without transactions.
    pub(super) floor: fn(&TxPlan) -> Result<Measured, BenchError>,
}

/// The parameters of a run, read once.
#[derive(Debug, Clone)]
pub(super) struct TxPlan {
    pub(super) threads: usize,
    pub(super) variables: usize,
    pub(super) length: usize,
    pub(super) transactions: u64,
    pub(super) nodes: u32,
    pub(super) seed: u64,
}

impl TxPlan {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            threads: params.count("threads"),
            variables: params.count("variables"),
            length: params.count("length"),
            transactions: params.number("transactions"),
            nodes: u32::try_from(params.number("nodes")).expect("the range of nodes is smaller"),
            seed: params.number("seed"),
        }
    }

    /// The same work for one thread.
    pub(super) fn alone(&self) -> Self {
        Self { threads: 1, ..self.clone() }
    }

    /// The transactions of one of the threads.
    pub(super) fn share(&self, thread: usize) -> u64 {
        let (threads, thread) = (self.threads as u64, thread as u64);
        self.transactions / threads + u64::from(thread < self.transactions % threads)
    }

    /// Refuses a run in which some transactions did not see what they should; `right` counts the
    /// others of each thread.
    pub(super) fn check_all(&self, right: impl IntoIterator<Item = u64>) -> Result<(), BenchError> {
        let (all, right) = (self.transactions, right.into_iter().sum::<u64>());
        if right == all {
            return Ok(());
        }
        Err(BenchError::WrongResult(format!("{right} of {all} transactions saw the right state")))
    }

    /// Refuses a total that is not one for each transaction.
    pub(super) fn check_total(&self, total: u64) -> Result<(), BenchError> {
        let all = self.transactions;
        if total == all {
            return Ok(());
        }
        Err(BenchError::WrongResult(format!("{all} transactions have counted to {total}")))
    }
}
