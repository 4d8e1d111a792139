//! Transactional memories: threads of their own run `stm` on variables of numbers.
//!
//! The libraries have the same interface under different types, so the cases are written once, for
//! any [`Library`].

mod bank;
mod fast_stm;
mod marks;
mod places;
mod rust_stm;
mod threads;

use crate::params::{Case, Stm};
use crate::peer::{Memory, Sample};

pub const STM: Memory =
    Memory { name: "stm", version: env!("ODEON_PEERS_STM"), stm: run::<rust_stm::RustStm> };

pub const FAST_STM: Memory = Memory {
    name: "fast-stm",
    version: env!("ODEON_PEERS_FAST_STM"),
    stm: run::<fast_stm::FastStm>,
};

/// What the cases need of a library.
trait Library {
    type Variable: Send + Sync;
    type Transaction;
    /// What ends an attempt that has to be run again.
    type Stop;

    fn variable(value: u64) -> Self::Variable;

    /// The value outside of any transaction.
    fn peek(variable: &Self::Variable) -> u64;

    fn read(
        variable: &Self::Variable,
        transaction: &mut Self::Transaction,
    ) -> Result<u64, Self::Stop>;

    fn write(
        variable: &Self::Variable,
        transaction: &mut Self::Transaction,
        value: u64,
    ) -> Result<(), Self::Stop>;

    fn atomically<R>(body: impl Fn(&mut Self::Transaction) -> Result<R, Self::Stop>) -> R;
}

fn run<L: Library>(params: &Stm) -> Result<Sample, String> {
    match params.case {
        Case::ReadWrite => marks::read_write::<L>(params),
        Case::Disjoint => marks::disjoint::<L>(params),
        Case::Transfer => bank::run::<L>(params),
    }
}

fn variables<L: Library>(params: &Stm, value: u64) -> Vec<L::Variable> {
    (0..params.variables).map(|_| L::variable(value)).collect()
}

fn values<L: Library>(variables: &[L::Variable]) -> Vec<u64> {
    variables.iter().map(L::peek).collect()
}
