//! `transfer`: a transaction takes money from one account and gives as much to each of the others
//! that it touches.

use super::places::{Drawn, Places};
use super::{Library, threads, values, variables};
use crate::params::Stm;
use crate::peer::Sample;

/// Of each account before the first transfer. Balances are numbers modulo 2^64: none is refused.
const INITIAL_BALANCE: u64 = 1_000_000;

pub fn run<L: Library>(params: &Stm) -> Result<Sample, String> {
    let accounts = variables::<L>(params, INITIAL_BALANCE);
    let (sample, _) = threads::run(
        params,
        || (),
        |thread, ()| {
            let mut places = Places::of_thread(params, thread);
            for _ in 0..threads::share(params, thread) {
                transfer::<L>(&accounts, &places.draw());
            }
        },
    );
    check(params, &values::<L>(&accounts))?;
    Ok(sample)
}

fn transfer<L: Library>(accounts: &[L::Variable], drawn: &Drawn<'_>) {
    L::atomically(|transaction| {
        for &place in drawn.places {
            let balance = L::read(&accounts[place], transaction)?;
            let balance = balance.wrapping_add(change(drawn, place));
            L::write(&accounts[place], transaction, balance)?;
        }
        Ok(())
    });
}

/// What the transfer adds to the account at `place`.
fn change(drawn: &Drawn<'_>, place: usize) -> u64 {
    if place == drawn.payer() {
        let others = drawn.places.len() as u64 - 1;
        (drawn.amount() * others).wrapping_neg()
    } else {
        drawn.amount()
    }
}

/// Money moves, stays the same altogether, and is where the transfers have put it.
fn check(params: &Stm, balances: &[u64]) -> Result<(), String> {
    let mut expected = vec![INITIAL_BALANCE; params.variables];
    for thread in 0..params.threads {
        let mut places = Places::of_thread(params, thread);
        for _ in 0..threads::share(params, thread) {
            let drawn = places.draw();
            for &place in drawn.places {
                expected[place] = expected[place].wrapping_add(change(&drawn, place));
            }
        }
    }
    let sum = |balances: &[u64]| balances.iter().copied().fold(0, u64::wrapping_add);
    let (is, should_be) = (sum(balances), INITIAL_BALANCE * params.variables as u64);
    if is != should_be {
        return Err(format!("the balances add up to {is}, not {should_be}"));
    }
    match (0..balances.len()).find(|place| balances[*place] != expected[*place]) {
        None => Ok(()),
        Some(place) => {
            Err(format!("account {place} has {}, not {}", balances[place], expected[place]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_and_misdirected_money_is_noticed() {
        // No thread transfers anything.
        let params = Stm { threads: 0, variables: 3, ..Stm::default() };
        let all = INITIAL_BALANCE;
        assert_eq!(check(&params, &[all; 3]), Ok(()));
        let lost = check(&params, &[all, all - 5, all]).unwrap_err();
        assert_eq!(lost, "the balances add up to 2999995, not 3000000");
        let moved = check(&params, &[all, all - 5, all + 5]).unwrap_err();
        assert_eq!(moved, "account 1 has 999995, not 1000000");
    }
}
