//! `transfer`: a bank. A transaction takes money from one account and gives as much to each of the
//! others that it touches; with two of them it is the usual transfer.

use super::case::{Case, TxPlan};
use super::places::{Drawn, Places};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::{TVar, atomically};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) const CASE: Case = Case { name: "transfer", run, floor };

/// Of each account before the first transfer. Balances are numbers modulo 2^64: none is refused.
const INITIAL_BALANCE: u64 = 1_000_000;

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let accounts: Vec<TVar<u64>> =
        (0..plan.variables).map(|_| TVar::new(INITIAL_BALANCE)).collect();
    let (measured, transfers) = threads::run_unprepared(plan, |thread| {
        each(plan, thread, |drawn| {
            atomically(|tx| {
                for &place in drawn.places {
                    accounts[place]
                        .update(tx, |balance| balance.wrapping_add(change(drawn, place)))?;
                }
                Ok(())
            });
        })
    });
    check(plan, transfers.iter().sum(), accounts.iter().map(|account| account.peek()))?;
    Ok(measured)
}

/// A mutex for each account; a transfer locks its accounts in ascending order.
fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let accounts: Vec<Mutex<u64>> =
        (0..plan.variables).map(|_| Mutex::new(INITIAL_BALANCE)).collect();
    let (measured, transfers) = threads::run_unprepared(plan, |thread| match plan.length {
        2 => each(plan, thread, |drawn| {
            let [low, high] = [drawn.places[0], drawn.places[1]];
            let (mut of_low, mut of_high) = (lock(&accounts[low]), lock(&accounts[high]));
            *of_low = of_low.wrapping_add(change(drawn, low));
            *of_high = of_high.wrapping_add(change(drawn, high));
        }),
        length => {
            let mut locked = Vec::with_capacity(length);
            each(plan, thread, |drawn| {
                locked.extend(drawn.places.iter().map(|place| lock(&accounts[*place])));
                for (balance, &place) in locked.iter_mut().zip(drawn.places) {
                    **balance = balance.wrapping_add(change(drawn, place));
                }
                locked.clear();
            })
        }
    });
    check(plan, transfers.iter().sum(), accounts.iter().map(|account| *lock(account)))?;
    Ok(measured)
}

fn lock(account: &Mutex<u64>) -> MutexGuard<'_, u64> {
    account.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does all transfers of a thread, and says how many they are.
#[inline]
fn each(plan: &TxPlan, thread: usize, mut transfer: impl FnMut(&Drawn<'_>)) -> u64 {
    let mut places = Places::of_thread(plan, thread);
    let transfers = plan.share(thread);
    (0..transfers).for_each(|_| transfer(&places.draw()));
    transfers
}

/// What the transfer adds to the account at `place`.
#[inline]
fn change(drawn: &Drawn<'_>, place: usize) -> u64 {
    if place == drawn.payer() {
        let others = drawn.places.len() as u64 - 1;
        (drawn.amount() * others).wrapping_neg()
    } else {
        drawn.amount()
    }
}

/// Money moves, stays the same altogether, and is where the transfers have put it.
fn check(
    plan: &TxPlan,
    transfers: u64,
    balances: impl Iterator<Item = u64>,
) -> Result<(), BenchError> {
    plan.check_total(transfers)?;
    let mut expected = vec![INITIAL_BALANCE; plan.variables];
    for thread in 0..plan.threads {
        each(plan, thread, |drawn| {
            for &place in drawn.places {
                expected[place] = expected[place].wrapping_add(change(drawn, place));
            }
        });
    }
    let balances: Vec<u64> = balances.collect();
    let sum = |balances: &[u64]| balances.iter().copied().fold(0, u64::wrapping_add);
    let (is, should_be) = (sum(&balances), INITIAL_BALANCE.wrapping_mul(plan.variables as u64));
    if is != should_be {
        let problem = format!("the balances add up to {is}; expected {should_be}");
        return Err(BenchError::WrongResult(problem));
    }
    match (0..plan.variables).find(|place| balances[*place] != expected[*place]) {
        None => Ok(()),
        Some(place) => Err(BenchError::WrongResult(format!(
            "account {place} has {}; expected {}",
            balances[place], expected[place]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_and_misdirected_money_is_noticed() {
        let plan =
            TxPlan { threads: 1, variables: 3, length: 2, transactions: 0, nodes: 1, seed: 3 };
        let check = |balances: [u64; 3]| check(&plan, 0, balances.into_iter());
        let all = INITIAL_BALANCE;
        check([all, all, all]).expect("nothing has moved");
        let lost = check([all, all - 5, all]).unwrap_err().to_string();
        assert!(lost.contains("add up to 2999995; expected 3000000"), "{lost}");
        let moved = check([all, all - 5, all + 5]).unwrap_err().to_string();
        assert!(moved.contains("account 1 has 999995; expected 1000000"), "{moved}");
    }
}
