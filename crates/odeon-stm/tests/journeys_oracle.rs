//! Random journeys, interleaved part by part with each other and with ordinary transactions,
//! against a serial run: when a journey commits, its parts are run again, alone, on a copy of the
//! state, and have to see and do the same. One that has only read has seen a state that was there
//! at some time since its begin.

use crate::random::Random;
use odeon_stm::staged::{Attempted, Journey, attempt};
use odeon_stm::{Abort, Mode, TCounter, TMax, TVar, Tx, snapshot};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

const STATES: u64 = 3;
const JOURNEYS: usize = 3;
const OF_EACH: u64 = 4;

/// The variables of one participant.
struct State {
    words: Vec<TVar<u64>>,
    texts: Vec<TVar<String>>,
    counter: TCounter,
    greatest: TMax,
}

/// What they have to be.
#[derive(Debug, Clone, PartialEq, Default)]
struct Oracle {
    words: Vec<u64>,
    texts: Vec<String>,
    counter: i64,
    greatest: i64,
}

#[derive(Debug, Clone, Copy)]
enum Deed {
    Get(usize),
    Set(usize, u64),
    Add(usize, u64),
    Read(usize),
    Append(usize, u64),
    Count(i64),
    Counted,
    Raise(i64),
    Greatest,
}

fn deeds(random: &mut Random) -> Vec<Deed> {
    let one = |random: &mut Random| {
        let (place, value) = (random.below(OF_EACH) as usize, random.below(100));
        match random.below(9) {
            0 => Deed::Get(place),
            1 => Deed::Set(place, value),
            2 => Deed::Add(place, value),
            3 => Deed::Read(place),
            4 => Deed::Append(place, value),
            5 => Deed::Count(value as i64),
            6 => Deed::Counted,
            7 => Deed::Raise(value as i64),
            _ => Deed::Greatest,
        }
    };
    (0..random.below(4)).map(|_| one(random)).collect()
}

/// Does them all; answers what was seen.
fn act<'t>(deeds: &[Deed], state: &'t State, tx: &mut Tx<'t>) -> Result<Vec<String>, Abort<()>> {
    let mut seen = Vec::new();
    for deed in deeds {
        match *deed {
            Deed::Get(place) => seen.push(state.words[place].get(tx)?.to_string()),
            Deed::Set(place, value) => state.words[place].set(tx, value)?,
            Deed::Add(place, value) => state.words[place].update(tx, |word| word + value)?,
            Deed::Read(place) => seen.push(state.texts[place].read(tx)?.clone()),
            Deed::Append(place, value) => {
                state.texts[place].update(tx, |text| format!("{text:.20}{value}"))?;
            }
            Deed::Count(value) => state.counter.add(tx, value)?,
            Deed::Counted => seen.push(state.counter.get(tx)?.to_string()),
            Deed::Raise(value) => state.greatest.raise(tx, value)?,
            Deed::Greatest => seen.push(state.greatest.get(tx)?.to_string()),
        }
    }
    Ok(seen)
}

impl Oracle {
    fn new() -> Self {
        let of_each = OF_EACH as usize;
        Self { words: vec![0; of_each], texts: vec![String::new(); of_each], ..Self::default() }
    }

    fn act(&mut self, deeds: &[Deed]) -> Vec<String> {
        let mut seen = Vec::new();
        for deed in deeds {
            match *deed {
                Deed::Get(place) => seen.push(self.words[place].to_string()),
                Deed::Set(place, value) => self.words[place] = value,
                Deed::Add(place, value) => self.words[place] += value,
                Deed::Read(place) => seen.push(self.texts[place].clone()),
                Deed::Append(place, value) => {
                    self.texts[place] = format!("{:.20}{value}", self.texts[place]);
                }
                Deed::Count(value) => self.counter += value,
                Deed::Counted => seen.push(self.counter.to_string()),
                Deed::Raise(value) => self.greatest = self.greatest.max(value),
                Deed::Greatest => seen.push(self.greatest.to_string()),
            }
        }
        seen
    }
}

impl State {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            words: (0..OF_EACH).map(|_| TVar::new(0)).collect(),
            texts: (0..OF_EACH).map(|_| TVar::new(String::new())).collect(),
            counter: TCounter::new(0),
            greatest: TMax::new(0),
        })
    }

    fn seen_by_a_snapshot(&self) -> Oracle {
        snapshot(|view| {
            Ok(Oracle {
                words: self.words.iter().map(|word| word.get(view)).collect::<Result<_, _>>()?,
                texts: self
                    .texts
                    .iter()
                    .map(|text| text.read(view).cloned())
                    .collect::<Result<_, _>>()?,
                counter: self.counter.get(view)?,
                greatest: self.greatest.get(view)?,
            })
        })
        .expect("it is short")
    }
}

/// A part that has finished: where, what it did and what it saw.
type Done = (usize, Vec<Deed>, Vec<String>);

struct Traveller {
    journey: Journey,
    done: Vec<Done>,
    /// How many of them can be undone.
    undoable: usize,
    /// How many states were there before it began.
    since: usize,
}

impl Traveller {
    fn new(history: &[Vec<Oracle>]) -> Self {
        let journey = Journey::begin(Mode::Logged);
        Self { journey, done: Vec::new(), undoable: 0, since: history.len() - 1 }
    }

    fn part(&mut self, states: &[Arc<State>], random: &mut Random) {
        let place = random.below(STATES) as usize;
        let (deeds, ending) = (deeds(random), random.below(8));
        let run = catch_unwind(AssertUnwindSafe(|| {
            self.journey.part(&states[place], |state, tx| {
                let seen = act(&deeds, state, tx)?;
                match ending {
                    0 => tx.fail(()),
                    1 => odeon_testkit::silent_panic("on purpose"),
                    _ => Ok(seen),
                }
            })
        }));
        if let Ok(Attempted::Finished((), seen)) = run {
            self.done.push((place, deeds, seen));
            self.undoable += 1;
        }
    }

    fn undo(&mut self) {
        assert_eq!(self.journey.undo_last(), self.undoable > 0);
        if self.undoable > 0 {
            self.undoable -= 1;
            self.done.pop();
        }
    }

    /// Whether it has committed, with what it has done then.
    fn commit(&mut self, history: &mut Vec<Vec<Oracle>>) -> bool {
        let (is_protected, has_written) = (self.journey.is_protected(), self.journey.has_written());
        match self.journey.commit_before_hooks() {
            Ok(after) => {
                assert!(after.is_nothing());
                // What is protected is as it was read until now.
                let first =
                    if has_written || is_protected { history.len() - 1 } else { self.since };
                let after = history[first..].iter().find_map(|oracles| self.after(oracles));
                history.push(after.unwrap_or_else(|| panic!("never so: {:?}", self.done)));
                if !has_written {
                    history.pop();
                }
                true
            }
            Err(_) => {
                assert!(!is_protected, "the commit of what is protected fails");
                false
            }
        }
    }
}

impl Traveller {
    /// What a serial run makes of `oracles`, if it sees the same.
    fn after(&self, oracles: &[Oracle]) -> Option<Vec<Oracle>> {
        let mut oracles = oracles.to_vec();
        let is_the_same = |(place, deeds, seen): &Done| oracles[*place].act(deeds) == *seen;
        self.done.iter().all(is_the_same).then_some(oracles)
    }
}

#[test]
fn random_journeys_do_what_a_serial_run_does() {
    odeon_testkit::for_seeds(400, |seed| {
        let mut random = Random::new(seed);
        let states: Vec<_> = (0..STATES).map(|_| State::new()).collect();
        let mut history = vec![vec![Oracle::new(); STATES as usize]];
        let mut travellers: Vec<_> = (0..JOURNEYS).map(|_| Traveller::new(&history)).collect();
        for _ in 0..150 {
            let traveller = &mut travellers[random.below(JOURNEYS as u64) as usize];
            match random.below(16) {
                0..6 => traveller.part(&states, &mut random),
                6..8 => {
                    if traveller.journey.protect().is_ok() {
                        assert!(traveller.journey.is_protected());
                        traveller.undoable = 0;
                    }
                }
                8 => traveller.undo(),
                9 => *traveller = Traveller::new(&history),
                10..13 => {
                    if traveller.commit(&mut history) || !traveller.journey.still_stands() {
                        *traveller = Traveller::new(&history);
                    }
                }
                _ => {
                    // An ordinary one, which gives up where it would have to wait.
                    let place = random.below(STATES) as usize;
                    let deeds = deeds(&mut random);
                    let run = attempt(states[place].clone(), Mode::Logged, |state, tx| {
                        act(&deeds, state, tx)
                    });
                    if let Attempted::Finished(finished, seen) = run {
                        if finished.commit().is_ok() {
                            let mut oracles = history.last().expect("the first one").clone();
                            assert_eq!(oracles[place].act(&deeds), seen, "{deeds:?}");
                            history.push(oracles);
                        }
                    }
                }
            }
            let place = random.below(STATES) as usize;
            let oracles = history.last().expect("the first one");
            assert_eq!(states[place].seen_by_a_snapshot(), oracles[place]);
        }
        drop(travellers);
        for (state, oracle) in states.iter().zip(&history[history.len() - 1]) {
            assert_eq!(state.seen_by_a_snapshot(), *oracle);
            let writes_all = || {
                let run = attempt(state.clone(), Mode::Logged, |state, tx| {
                    state.words.iter().try_for_each(|word| word.update(tx, |word| word + 1))?;
                    state.counter.get(tx)?;
                    Ok::<_, Abort<()>>(state.greatest.raise(tx, i64::MAX)?)
                });
                let Attempted::Finished(finished, ()) = run else { return false };
                finished.commit().is_ok()
            };
            // Not at the first try if a transaction of another test is irrevocable just then. What
            // is held stays held.
            let try_again = |_| {
                let is_over = writes_all();
                if !is_over {
                    std::thread::sleep(Duration::from_millis(1));
                }
                is_over
            };
            assert!((0..5_000).any(try_again), "something is held");
        }
    });
}
