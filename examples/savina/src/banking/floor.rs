//! All transfers without a runtime.

use super::BankingSetup;
use super::ledger::Ledger;
use crate::bank_transfers::INITIAL_BALANCE;
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;

pub(super) fn run(setup: &BankingSetup) -> Result<Timed, RunError> {
    let mut balances = vec![INITIAL_BALANCE; setup.accounts];
    let (timed, ()) = Timed::of(setup.transfers, || {
        for transfer in setup.drawn() {
            balances[transfer.source] -= transfer.amount;
            balances[transfer.destination] += transfer.amount;
        }
    });
    let (ledger, (finish, waiting)) = (Ledger::new(setup), finish_line(balances.len()));
    for (number, balance) in balances.into_iter().enumerate() {
        ledger.check(number, balance, &finish);
    }
    waiting.wait().map(|()| timed)
}
