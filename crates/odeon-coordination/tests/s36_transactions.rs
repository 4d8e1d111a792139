//! S36: coordinated transactions that actors of several theaters take part in.

mod bank;

use bank::{Bank, FIRST};
use odeon_speculative::CoordinationError;

#[test]
fn s36_all_take_part_or_none() {
    let mut bank = Bank::new(1, 3, 1);
    let (_, transfer) = bank.transfer(0, &[(0, -30), (1, 10), (2, 20)]);
    assert_eq!(bank.outcome(transfer), Ok(()));
    let (_, transfer) = bank.transfer(0, &[(1, 50), (2, -500)]);
    let failed = bank.outcome(transfer);
    let Err(CoordinationError::Failed { participant, why }) = failed else { panic!("{failed:?}") };
    assert_eq!((participant, &*why), (bank.account(0, 2).id(), "not covered"));
    let settled = bank.settled();
    let balances: Vec<i64> = settled.values().map(|(balance, _)| *balance).collect();
    assert_eq!(balances, [FIRST - 30, FIRST + 10, FIRST + 20]);
    bank.check_that_all_is_over();
}
