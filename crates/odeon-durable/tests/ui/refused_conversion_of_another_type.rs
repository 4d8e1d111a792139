//! What takes an old value over takes it from the type that the field had, to the one that it has.

use odeon_macros::Durable;
use odeon_stm::{Rollback, TCounter, TMap, Tx};

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Bank {
    #[durable(2, was(1, Vec<TCounter>, add))]
    total: TCounter,
}

fn add<'t>(old: &'t TMap<u32, i64>, new: &'t TCounter, tx: &mut Tx<'t>) -> Result<(), Rollback> {
    let sum = old.fold(tx, 0, |sum, _, amount| sum + amount)?;
    new.add(tx, sum)
}

fn main() {}
