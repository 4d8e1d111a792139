//! All transfers without a runtime.

use super::ledger::Ledger;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::workloads::bank_transfers::{INITIAL_BALANCE, Transfers};
use odeon_example_run::finish_line;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let mut balances = vec![INITIAL_BALANCE; params.count("accounts")];
    let (measured, ()) = Measured::time(params.number("transfers"), || {
        for transfer in Transfers::new(params) {
            balances[transfer.source] -= transfer.amount;
            balances[transfer.destination] += transfer.amount;
        }
    });
    let (ledger, (finish, waiting)) = (Ledger::new(params), finish_line(balances.len()));
    for (number, balance) in balances.into_iter().enumerate() {
        ledger.check(number, balance, &finish);
    }
    waiting.wait().map(|()| measured)
}
