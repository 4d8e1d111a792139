//! What `read-write` and `disjoint` write, and what must be there at the end: each variable holds
//! the mark of a transaction, and none that the same thread has overwritten. Where one thread has
//! its variables for itself, all that it has read is known as well.

use super::case::TxPlan;
use super::places::{Drawn, Places};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::{TVar, atomically};

/// Bits for the number of a transaction within its thread; `--transactions` needs 30 at most.
const NUMBER_BITS: u32 = 48;

/// The mark of a thread's transaction; never 0, which is what variables hold at first.
fn mark(thread: usize, number: u64) -> u64 {
    (thread as u64) << NUMBER_BITS | (number + 1)
}

/// Variables that no transaction has touched.
pub(super) fn unmarked(plan: &TxPlan) -> Vec<TVar<u64>> {
    (0..plan.variables).map(|_| TVar::new(0)).collect()
}

/// All transactions of one thread; answers the sum of what they have read.
pub(super) fn transact(plan: &TxPlan, thread: usize, variables: &[TVar<u64>]) -> u64 {
    each(plan, thread, |drawn, mark| {
        atomically(|tx| {
            let mut seen = 0_u64;
            for place in drawn.read() {
                seen = seen.wrapping_add(variables[place].get(tx)?);
            }
            for place in drawn.written() {
                variables[place].set(tx, mark)?;
            }
            Ok(seen)
        })
    })
}

/// The same on plain memory, for one thread.
pub(super) fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let plan = &plan.alone();
    let (measured, mut ended) = threads::run(
        plan,
        |_| vec![0; plan.variables],
        |thread, variables| overwrite(plan, thread, variables),
    );
    let (variables, seen) = ended.remove(0);
    check_own(plan, 0, &variables, seen).map(|()| measured)
}

fn overwrite(plan: &TxPlan, thread: usize, variables: &mut [u64]) -> u64 {
    each(plan, thread, |drawn, mark| {
        let seen = drawn.read().fold(0_u64, |seen, place| seen.wrapping_add(variables[place]));
        drawn.written().for_each(|place| variables[place] = mark);
        seen
    })
}

/// Runs the transactions of one thread, each of which answers the sum of what it has read; adds
/// that up.
#[inline]
fn each(plan: &TxPlan, thread: usize, mut transact: impl FnMut(&Drawn<'_>, u64) -> u64) -> u64 {
    let mut places = Places::of_thread(plan, thread);
    let transact = |number| transact(&places.draw(), mark(thread, number));
    (0..plan.share(thread)).map(transact).fold(0, u64::wrapping_add)
}

/// The marks that a thread leaves if nobody else writes; 0 where it writes nothing.
fn last_marks(plan: &TxPlan, thread: usize) -> Vec<u64> {
    let mut marks = vec![0; plan.variables];
    overwrite(plan, thread, &mut marks);
    marks
}

/// Refuses variables of one thread that do not hold its last marks, and a wrong sum of what it has
/// read.
pub(super) fn check_own(
    plan: &TxPlan,
    thread: usize,
    values: &[u64],
    seen: u64,
) -> Result<(), BenchError> {
    let mut marks = vec![0; plan.variables];
    let expected = overwrite(plan, thread, &mut marks);
    if seen != expected {
        let problem = format!("thread {thread} has read {seen:#x} altogether, not {expected:#x}");
        return Err(BenchError::WrongResult(problem));
    }
    check(values, |place| values[place] == marks[place])
}

/// Refuses variables of all threads that do not hold the last mark of one of them.
pub(super) fn check_shared(plan: &TxPlan, values: &[u64]) -> Result<(), BenchError> {
    let (mut is_written, mut is_last) = (vec![false; values.len()], vec![false; values.len()]);
    for thread in 0..plan.threads {
        for (place, mark) in last_marks(plan, thread).into_iter().enumerate() {
            is_written[place] |= mark != 0;
            is_last[place] |= mark != 0 && mark == values[place];
        }
    }
    check(values, |place| if is_written[place] { is_last[place] } else { values[place] == 0 })
}

fn check(values: &[u64], is_right: impl Fn(usize) -> bool) -> Result<(), BenchError> {
    match (0..values.len()).find(|place| !is_right(*place)) {
        None => Ok(()),
        Some(place) => Err(BenchError::WrongResult(format!(
            "variable {place} holds {:#x}, which no last write has left",
            values[place]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_and_an_invented_write_are_noticed() {
        let plan =
            TxPlan { threads: 2, variables: 6, length: 2, transactions: 9, nodes: 1, seed: 3 };
        let first = last_marks(&plan, 0);
        let second = last_marks(&plan, 1);
        let merged: Vec<u64> = first.iter().zip(&second).map(|(a, b)| *a.max(b)).collect();
        check_shared(&plan, &merged).expect("every variable has a last mark");
        let seen = overwrite(&plan, 1, &mut vec![0; plan.variables]);
        check_own(&plan, 1, &second, seen).expect("these are its own");
        assert!(check_own(&plan, 1, &second, seen + 1).is_err());
        let place = merged.iter().position(|mark| *mark != 0).expect("something was written");
        for wrong in [0, merged[place] + 1, mark(7, 0)] {
            let mut values = merged.clone();
            values[place] = wrong;
            let error = check_shared(&plan, &values).unwrap_err().to_string();
            assert!(error.contains(&format!("variable {place} holds {wrong:#x}")), "{error}");
        }
        assert!(check_own(&plan, 0, &second, seen).is_err());
    }
}
