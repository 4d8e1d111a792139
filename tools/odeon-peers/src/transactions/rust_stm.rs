//! The library `stm`.

use stm::{StmError, TVar, Transaction};

use super::Library;

pub struct RustStm;

impl Library for RustStm {
    type Variable = TVar<u64>;
    type Transaction = Transaction;
    type Stop = StmError;

    fn variable(value: u64) -> TVar<u64> {
        TVar::new(value)
    }

    fn peek(variable: &TVar<u64>) -> u64 {
        variable.read_atomic()
    }

    fn read(variable: &TVar<u64>, transaction: &mut Transaction) -> Result<u64, StmError> {
        variable.read(transaction)
    }

    fn write(
        variable: &TVar<u64>,
        transaction: &mut Transaction,
        value: u64,
    ) -> Result<(), StmError> {
        variable.write(transaction, value)
    }

    fn atomically<R>(body: impl Fn(&mut Transaction) -> Result<R, StmError>) -> R {
        stm::atomically(body)
    }
}
