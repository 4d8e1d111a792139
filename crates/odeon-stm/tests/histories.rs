//! Recorded histories of several threads: each has to be strictly serialisable and opaque.

mod checker;
mod handmade;

use crate::random::Random;
use checker::{Transaction, Variable, serial_order};
use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Mode, Rollback, TVar, Tx, View, atomically, snapshot};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};

/// A moment later than all that were told before.
fn now() -> u64 {
    static CLOCK: AtomicU64 = AtomicU64::new(0);
    CLOCK.fetch_add(1, Ordering::SeqCst)
}

/// Variables of both kinds: in place, and behind a pointer.
struct State {
    inline: Vec<TVar<u64>>,
    boxed: Vec<TVar<[u64; 2]>>,
}

impl State {
    fn new(variables: usize) -> Self {
        Self {
            inline: (0..variables.div_ceil(2)).map(|_| TVar::new(0)).collect(),
            boxed: (0..variables / 2).map(|_| TVar::new([0, !0])).collect(),
        }
    }

    fn read<'t, V: View<'t>>(&'t self, view: &mut V, of: Variable) -> Result<u64, Rollback> {
        if of % 2 == 0 {
            return self.inline[of / 2].get(view);
        }
        let value = self.boxed[of / 2].read(view)?;
        assert_eq!(value[0], !value[1], "torn, or freed");
        Ok(value[0])
    }

    fn write<'t>(&'t self, tx: &mut Tx<'t>, to: Variable, value: u64) -> Result<(), Rollback> {
        if to % 2 == 0 {
            self.inline[to / 2].set(tx, value)
        } else {
            self.boxed[to / 2].set(tx, [value, !value])
        }
    }
}

/// One step of a transaction.
#[derive(Debug, Clone, Copy)]
enum Step {
    Read(Variable),
    Write(Variable, u64),
    /// Lets another thread run.
    Rest,
}

fn program(random: &mut Random, variables: usize, thread: u64, number: u64) -> Vec<Step> {
    (0..1 + random.below(5))
        .map(|place| {
            let variable = random.below(variables as u64) as Variable;
            match random.below(5) {
                0 | 1 => Step::Read(variable),
                2 | 3 => Step::Write(variable, 1 + (thread << 32 | number << 8 | place)),
                _ => Step::Rest,
            }
        })
        .collect()
}

/// Notes what the attempts of one transaction do.
#[derive(Default)]
struct Notes {
    begin: u64,
    running: Transaction,
    ended: Vec<Transaction>,
}

impl Notes {
    fn new(what: &str) -> Self {
        let begin = now();
        Self {
            begin,
            running: Transaction { what: what.into(), ..Transaction::default() },
            ended: Vec::new(),
        }
    }

    /// An attempt begins; one before was rolled back.
    fn attempt(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.roll_back();
        }
        self.running.begin = self.begin;
        self.running.reads.clear();
        self.running.writes.clear();
    }

    fn roll_back(&mut self) {
        let moment = now();
        let what = self.running.what.clone();
        let rolled_back = std::mem::take(&mut self.running);
        self.ended.push(Transaction { end: moment, ..rolled_back.without_effect() });
        self.running.what = what;
        self.begin = moment;
    }

    fn commit(mut self) -> Vec<Transaction> {
        self.running.end = now();
        self.ended.push(self.running);
        self.ended
    }
}

fn run<'t>(
    state: &'t State,
    tx: &mut Tx<'t>,
    steps: &[Step],
    notes: &mut Transaction,
) -> Result<(), Rollback> {
    for step in steps {
        match *step {
            Step::Read(of) => notes.has_read(of, state.read(tx, of)?),
            Step::Write(to, value) => {
                state.write(tx, to, value)?;
                notes.has_written(to, value);
            }
            Step::Rest => std::thread::yield_now(),
        }
    }
    Ok(())
}

/// One transaction by `atomically`.
fn plainly(state: &State, steps: &[Step]) -> Vec<Transaction> {
    let mut notes = Notes::new("atomically");
    let mut is_first = true;
    atomically(|tx| {
        notes.attempt(&mut is_first);
        run(state, tx, steps, &mut notes.running)
    });
    notes.commit()
}

fn by_snapshot(state: &State, steps: &[Step]) -> Vec<Transaction> {
    let mut notes = Notes::new("snapshot");
    notes.running.begin = notes.begin;
    snapshot(|view| {
        for step in steps {
            match *step {
                Step::Read(of) | Step::Write(of, _) => {
                    notes.running.has_read(of, state.read(view, of)?);
                }
                Step::Rest => std::thread::yield_now(),
            }
        }
        Ok(())
    })
    .expect("no limit is near");
    notes.commit()
}

/// One transaction in stages, perhaps prepared, until it commits.
fn in_stages(
    state: &Arc<State>,
    steps: &[Step],
    prepares: bool,
    random: &mut Random,
) -> Vec<Transaction> {
    let notes = Arc::new(Mutex::new(Notes::new(if prepares { "prepared" } else { "staged" })));
    let mut is_first = true;
    loop {
        notes.lock().unwrap().attempt(&mut is_first);
        let seen = notes.clone();
        let outcome = attempt(state.clone(), Mode::Logged, |state, tx| {
            Ok::<_, Abort<()>>(run(state, tx, steps, &mut seen.lock().unwrap().running)?)
        });
        if let Attempted::Finished(finished, ()) = outcome {
            if prepares {
                if let Ok(prepared) = finished.prepare() {
                    std::thread::yield_now();
                    if random.below(4) == 0 {
                        prepared.roll_back();
                    } else {
                        // By another thread, now and then.
                        if random.below(4) == 0 {
                            std::thread::scope(|scope| _ = scope.spawn(|| prepared.commit()));
                        } else {
                            prepared.commit();
                        }
                        break;
                    }
                }
            } else if finished.commit().is_ok() {
                break;
            }
        }
        std::thread::yield_now();
    }
    std::mem::take(&mut *notes.lock().unwrap()).commit()
}

fn record(seed: u64, threads: u64, variables: usize, transactions: u64) -> Vec<Transaction> {
    let state = Arc::new(State::new(variables));
    let (history, start) = (Mutex::new(Vec::new()), Barrier::new(threads as usize));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (state, history, start) = (&state, &history, &start);
            scope.spawn(move || {
                let mut random = Random::new(seed.wrapping_mul(31).wrapping_add(thread));
                start.wait();
                let mut mine = Vec::new();
                for number in 0..transactions {
                    let steps = program(&mut random, variables, thread, number);
                    mine.extend(match random.below(8) {
                        0 | 1 => by_snapshot(state, &steps),
                        2 => in_stages(state, &steps, false, &mut random),
                        3 => in_stages(state, &steps, true, &mut random),
                        _ => plainly(state, &steps),
                    });
                }
                history.lock().unwrap().append(&mut mine);
            });
        }
    });
    history.into_inner().unwrap()
}

#[test]
fn recorded_histories_are_strictly_serialisable() {
    let (checked, rolled_back) = (Cell::new(0), Cell::new(0));
    odeon_testkit::for_seeds(3_000, |seed| {
        let threads = 2 + seed % 3;
        let history = record(seed, threads, 2 + (seed % 4) as usize, 12 / threads);
        // Now and then a storm of rollbacks makes a history that is too long to search.
        if history.len() <= 40 {
            checked.set(checked.get() + 1);
            rolled_back.set(rolled_back.get() + history.len() - (12 / threads * threads) as usize);
            if serial_order(&history, 5).is_none() {
                for transaction in &history {
                    eprintln!("{transaction:?}");
                }
                panic!("no serial order explains this history");
            }
        }
    });
    eprintln!("{} histories with {} rollbacks", checked.get(), rolled_back.get());
}
