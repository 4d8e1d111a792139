//! A part of a handler says that the transaction borrows the variables, by one lifetime for both:
//! as rustc suggests, and as `correct_use.rs` does.

use odeon::prelude::*;

struct Bank {
    accounts: Vec<TVar<u64>>,
}

impl Bank {
    fn pay_in(&self, tx: &mut Tx<'_>, account: usize, amount: u64) -> TxResult {
        Ok(self.accounts[account].update(tx, |balance| balance + amount)?)
    }
}

fn double(account: &TVar<u64>, tx: &mut Tx) -> TxResult {
    let balance = account.get(tx)?;
    account.set(tx, 2 * balance)?;
    Ok(())
}

fn main() {}
