//! `#[derive(Durable)]` by the names of the facade.
#![cfg(all(feature = "durable", not(any(odeon_loom, odeon_shuttle))))]

use odeon::durable::state::Restorer;
use odeon::prelude::*;
use odeon::stm::{Rollback, snapshot};

#[derive(Durable)]
#[durable(removed(4))]
struct Account<T: Send + Sync + 'static> {
    #[durable(1)]
    owner: TVar<T>,
    #[durable(3, was(2, TVar<i32> = TVar::new(9), widen))]
    balance: TVar<i64>,
    #[durable(skip)]
    note: Vec<T>,
}

fn widen<'t>(old: &'t TVar<i32>, new: &'t TVar<i64>, tx: &mut Tx<'t>) -> Result<(), Rollback> {
    let balance = i64::from(old.get(tx)?);
    new.set(tx, balance)
}

fn accounts() -> [Account<String>; 2] {
    [1, 2].map(|balance| Account {
        owner: TVar::new(String::new()),
        balance: TVar::new(balance),
        note: Vec::new(),
    })
}

fn told(state: &impl Durable) -> Vec<(Vec<u32>, Vec<u8>)> {
    let mut told = Vec::new();
    snapshot(|view| {
        state.node().tell(view, &mut |name, change| told.push((name.to_vec(), change.to_vec())))
    })
    .expect("it is short");
    told
}

#[test]
fn a_state_is_made_again() {
    let before = accounts();
    odeon::stm::atomically(|tx| {
        before[1].owner.set(tx, String::from("Ada"))?;
        before[1].balance.set(tx, 70)
    });
    let after = accounts();
    let mut restorer = Restorer::new(&after);
    for (name, change) in told(&before) {
        restorer.apply(&name, &change).unwrap();
    }
    restorer.apply(&[0, 4], b"a field that was removed").unwrap();
    restorer.finish();
    assert_eq!(after[1].owner.peek(), "Ada");
    assert_eq!(after.each_ref().map(|account| account.balance.peek()), [1, 70]);
    assert!(after[0].note.is_empty());
}

#[test]
fn a_field_of_another_type_is_taken_over() {
    let [(_, old)] = <[_; 1]>::try_from(told(&TVar::new(-3_i32))).unwrap();
    let after = accounts();
    let mut restorer = Restorer::new(&after);
    restorer.apply(&[0, 2], &old).unwrap();
    restorer.finish();
    assert_eq!(after.each_ref().map(|account| account.balance.peek()), [-3, 2]);
}
