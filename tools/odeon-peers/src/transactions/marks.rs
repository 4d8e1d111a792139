//! `read-write` and `disjoint`: a transaction reads half of its variables and writes its mark into
//! the others. At the end each variable holds a mark that the same thread has not overwritten.
//! Where one thread has its variables for itself, all that it has read is known as well.

use super::places::Places;
use super::{Library, threads, values, variables};
use crate::params::Stm;
use crate::peer::Sample;

/// Bits for the number of a transaction within its thread; Odeon's benchmark asks for 30 at most.
const NUMBER_BITS: u32 = 48;

/// The mark of a thread's transaction; never 0, which is what variables hold at first.
fn mark(thread: usize, number: u64) -> u64 {
    ((thread as u64) << NUMBER_BITS) | (number + 1)
}

/// All threads on the same variables.
pub fn read_write<L: Library>(params: &Stm) -> Result<Sample, String> {
    let variables = variables::<L>(params, 0);
    let (sample, ended) =
        threads::run(params, || (), |thread, ()| transact::<L>(params, thread, &variables));
    let held = values::<L>(&variables);
    match ended[..] {
        [((), seen)] => check_own(params, 0, &held, seen)?,
        _ => check_shared(params, &held)?,
    }
    Ok(sample)
}

/// Each thread on variables that it has made.
pub fn disjoint<L: Library>(params: &Stm) -> Result<Sample, String> {
    let (sample, ended) = threads::run(
        params,
        || variables::<L>(params, 0),
        |thread, variables| transact::<L>(params, thread, variables),
    );
    for (thread, (variables, seen)) in ended.iter().enumerate() {
        check_own(params, thread, &values::<L>(variables), *seen)?;
    }
    Ok(sample)
}

/// All transactions of one thread; returns the sum of what they have read.
fn transact<L: Library>(params: &Stm, thread: usize, variables: &[L::Variable]) -> u64 {
    let mut places = Places::of_thread(params, thread);
    let mut all_seen = 0_u64;
    for number in 0..threads::share(params, thread) {
        let (drawn, mark) = (places.draw(), mark(thread, number));
        let seen = L::atomically(|transaction| {
            let mut seen = 0_u64;
            for place in drawn.read() {
                seen = seen.wrapping_add(L::read(&variables[place], transaction)?);
            }
            for place in drawn.written() {
                L::write(&variables[place], transaction, mark)?;
            }
            Ok(seen)
        });
        all_seen = all_seen.wrapping_add(seen);
    }
    all_seen
}

/// The marks that a thread leaves if nobody else writes, 0 where it writes nothing; and the sum of
/// what it reads then.
fn alone(params: &Stm, thread: usize) -> (Vec<u64>, u64) {
    let (mut marks, mut seen) = (vec![0; params.variables], 0_u64);
    let mut places = Places::of_thread(params, thread);
    for number in 0..threads::share(params, thread) {
        let drawn = places.draw();
        drawn.read().for_each(|place| seen = seen.wrapping_add(marks[place]));
        drawn.written().for_each(|place| marks[place] = mark(thread, number));
    }
    (marks, seen)
}

fn check_own(params: &Stm, thread: usize, held: &[u64], seen: u64) -> Result<(), String> {
    let (marks, expected) = alone(params, thread);
    if seen != expected {
        return Err(format!("thread {thread} has read {seen:#x} altogether, not {expected:#x}"));
    }
    check(held, |place| held[place] == marks[place])
}

fn check_shared(params: &Stm, held: &[u64]) -> Result<(), String> {
    let (mut is_written, mut is_last) = (vec![false; held.len()], vec![false; held.len()]);
    for thread in 0..params.threads {
        for (place, mark) in alone(params, thread).0.into_iter().enumerate() {
            is_written[place] |= mark != 0;
            is_last[place] |= mark != 0 && mark == held[place];
        }
    }
    check(held, |place| if is_written[place] { is_last[place] } else { held[place] == 0 })
}

fn check(held: &[u64], is_right: impl Fn(usize) -> bool) -> Result<(), String> {
    match (0..held.len()).find(|place| !is_right(*place)) {
        None => Ok(()),
        Some(place) => {
            Err(format!("variable {place} holds {:#x}, which no last write has left", held[place]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_and_an_invented_write_are_noticed() {
        let params = Stm { threads: 1, variables: 6, transactions: 9, ..Stm::default() };
        let (held, seen) = alone(&params, 0);
        assert_eq!(check_shared(&params, &held), Ok(()));
        assert_eq!(check_own(&params, 0, &held, seen), Ok(()));
        assert!(check_own(&params, 0, &held, seen + 1).is_err());
        let place = held.iter().position(|mark| *mark != 0).unwrap();
        for wrong in [0, held[place] + 1, mark(7, 0)] {
            let mut held = held.clone();
            held[place] = wrong;
            let error = check_shared(&params, &held).unwrap_err();
            assert!(error.contains(&format!("variable {place} holds {wrong:#x}")), "{error}");
        }
    }
}
