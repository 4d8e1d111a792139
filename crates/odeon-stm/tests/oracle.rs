//! Random transactions on one thread against an oracle that just copies its state: writes, changes
//! that commute, links, nested closures and alternatives, errors and panics.

use crate::random::Random;
use odeon_stm::{
    Abort, TCounter, TLink, TMax, TMin, TVar, Tx, atomically, snapshot, try_atomically,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

const OF_EACH: usize = 20;

/// The variables under test.
struct State {
    words: Vec<TVar<u64>>,
    texts: Vec<TVar<String>>,
    counter: TCounter,
    greatest: TMax,
    least: TMin,
    links: Vec<TLink<u64>>,
}

/// What they have to be.
#[derive(Debug, Clone, PartialEq)]
struct Oracle {
    words: Vec<u64>,
    texts: Vec<String>,
    counter: i64,
    greatest: i64,
    least: i64,
    links: Vec<Option<u64>>,
}

impl State {
    fn new() -> (Self, Oracle) {
        let state = Self {
            words: (0..OF_EACH).map(|_| TVar::new(0)).collect(),
            texts: (0..OF_EACH).map(|_| TVar::new(String::new())).collect(),
            counter: TCounter::new(0),
            greatest: TMax::new(0),
            least: TMin::new(0),
            links: (0..OF_EACH).map(|_| TLink::new(None)).collect(),
        };
        let oracle = Oracle {
            words: vec![0; OF_EACH],
            texts: vec![String::new(); OF_EACH],
            counter: 0,
            greatest: 0,
            least: 0,
            links: vec![None; OF_EACH],
        };
        (state, oracle)
    }

    fn check(&self, oracle: &Oracle) {
        let seen = snapshot(|view| {
            Ok(Oracle {
                words: self.words.iter().map(|word| word.get(view)).collect::<Result<_, _>>()?,
                texts: self
                    .texts
                    .iter()
                    .map(|text| text.read(view).cloned())
                    .collect::<Result<_, _>>()?,
                counter: self.counter.get(view)?,
                greatest: self.greatest.get(view)?,
                least: self.least.get(view)?,
                links: self
                    .links
                    .iter()
                    .map(|link| link.get(view).map(Option::<&u64>::copied))
                    .collect::<Result<_, _>>()?,
            })
        });
        assert_eq!(seen.as_ref(), Ok(oracle));
        assert_eq!(self.counter.peek(), oracle.counter);
        assert_eq!(self.texts[3].peek(), oracle.texts[3]);
        assert_eq!(self.links[3].peek().as_deref(), oracle.links[3].as_ref());
    }
}

/// An error of the closure's own.
#[derive(Debug, PartialEq)]
struct Refused;

/// Some steps; those of closures within it up to `depth`.
fn steps<'t>(
    state: &'t State,
    tx: &mut Tx<'t>,
    oracle: &mut Oracle,
    random: &mut Random,
    depth: u32,
) -> Result<(), Abort<Refused>> {
    for _ in 0..random.below(12) {
        let place = random.below(OF_EACH as u64) as usize;
        let value = random.below(1_000);
        let signed = value as i64 - 500;
        match random.below(if depth > 0 { 18 } else { 14 }) {
            0 | 1 => assert_eq!(state.words[place].get(tx)?, oracle.words[place]),
            2 => assert_eq!(*state.words[place].read(tx)?, oracle.words[place]),
            3 => assert_eq!(*state.texts[place].read(tx)?, oracle.texts[place]),
            4 => assert_eq!(state.links[place].get(tx)?.copied(), oracle.links[place]),
            5 => assert_eq!(state.counter.get(tx)?, oracle.counter),
            6 => {
                assert_eq!(state.greatest.get(tx)?, oracle.greatest);
                assert_eq!(state.least.get(tx)?, oracle.least);
            }
            7 => {
                state.words[place].set(tx, value)?;
                oracle.words[place] = value;
            }
            8 => {
                state.words[place].update(tx, |word| word ^ value)?;
                oracle.words[place] ^= value;
            }
            9 => {
                state.texts[place].update(tx, |text| format!("{:.20}{value}", text))?;
                oracle.texts[place] = format!("{:.20}{value}", oracle.texts[place]);
            }
            10 => {
                state.counter.add(tx, signed)?;
                oracle.counter += signed;
            }
            11 => {
                state.greatest.raise(tx, signed)?;
                oracle.greatest = oracle.greatest.max(signed);
            }
            12 => {
                state.least.lower(tx, signed)?;
                oracle.least = oracle.least.min(signed);
            }
            13 => {
                let link = (value > 200).then_some(value);
                let shared =
                    if value % 2 == 0 { state.links[0].share(tx)? } else { link.map(Arc::new) };
                oracle.links[place] = if value % 2 == 0 { oracle.links[0] } else { link };
                state.links[place].set(tx, shared)?;
            }
            14 | 15 => {
                let mut within = oracle.clone();
                let outcome = tx.nested(|tx| steps(state, tx, &mut within, random, depth - 1))?;
                if outcome.is_ok() {
                    *oracle = within;
                }
            }
            16 => {
                // Always the second: the first undoes itself by a retry, at whatever depth it was.
                let (mut first, mut second) = (oracle.clone(), oracle.clone());
                let mut other = random.clone();
                tx.or_else(
                    |tx| {
                        steps(state, tx, &mut first, &mut other, depth - 1)?;
                        Ok(tx.retry()?)
                    },
                    |tx| steps(state, tx, &mut second, random, depth - 1),
                )?;
                *oracle = second;
            }
            _ if value % 3 == 0 => return tx.fail(Refused),
            _ if value % 7 == 0 => odeon_testkit::silent_panic("on purpose"),
            _ => (),
        }
    }
    Ok(())
}

#[test]
fn random_transactions_do_what_the_oracle_says() {
    odeon_testkit::for_seeds(300, |seed| {
        let mut random = Random::new(seed);
        let (state, mut oracle) = State::new();
        for _ in 0..60 {
            let mut after = oracle.clone();
            let run = catch_unwind(AssertUnwindSafe(|| {
                try_atomically(|tx| {
                    after = oracle.clone();
                    steps(&state, tx, &mut after, &mut random, 3)
                })
            }));
            match run {
                Ok(Ok(())) => oracle = after,
                Ok(Err(Refused)) => (),
                Err(panic) if panic.downcast_ref() == Some(&"on purpose") => (),
                Err(panic) => resume_unwind(panic),
            }
            state.check(&oracle);
        }
        atomically(|tx| state.counter.add(tx, 1));
    });
}
