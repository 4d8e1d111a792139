//! Random interleavings of several attempts, step by step on one thread: the same seed, the same
//! history. Each history is checked for strict serialisability and opacity, and engines broken on
//! purpose do not pass. Attempts have parts that are undone, protect what they have so far, and go
//! on.

use super::{Engine, Step};
use crate::Mode;
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, PartStart};
use crate::domain::cell::Cell;
use crate::words::flaw::Flaw;
use crate::words::version_word::VariableHolder;
use checker::{Transaction, serial_order};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[path = "../../tests/histories/checker.rs"]
mod checker;
#[path = "../../tests/random.rs"]
mod random;

/// Attempts that run at once.
const PLACES: u64 = 4;
const VARIABLES: usize = 3;
/// Transactions of one history.
const TRANSACTIONS: u64 = 20;

/// A place at which one attempt after the other runs, with the same slot.
struct Place {
    step: Step,
    is_idle: bool,
    notes: Transaction,
    /// Parts that can be undone, with the notes at their begin.
    parts: Vec<(PartStart, Transaction)>,
}

struct World {
    random: Random,
    cells: Vec<Cell>,
    places: Vec<Place>,
    clock: u64,
    history: Vec<Transaction>,
}

impl World {
    fn new(engine: Engine, seed: u64) -> Self {
        let place = |_| Place {
            step: Step(Attempt::new(engine.0).unwrap()),
            is_idle: true,
            notes: Transaction::default(),
            parts: Vec::new(),
        };
        Self {
            random: Random::new(seed),
            cells: (0..VARIABLES).map(|_| engine.cell(0)).collect(),
            places: (0..PLACES).map(place).collect(),
            clock: 0,
            history: Vec::new(),
        }
    }

    fn now(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn begin(&mut self, place: usize) {
        let begin = self.now();
        let snapshot = self.random.below(4) == 0;
        let Place { step, is_idle, notes, .. } = &mut self.places[place];
        if snapshot {
            snapshot::begin(&mut step.0, usize::MAX);
        } else {
            step.0.begin_loose(Mode::Logged);
        }
        *is_idle = false;
        let what = if snapshot { "snapshot" } else { "logged" };
        *notes =
            Transaction { what: format!("{what} at {place}"), begin, ..Transaction::default() };
    }

    fn end(&mut self, place: usize, committed: bool) {
        let end = self.now();
        let Place { step, is_idle, notes, parts } = &mut self.places[place];
        if committed {
            step.end();
        } else {
            step.0.let_go_prepared();
            crate::attempt::between::roll_back(&mut step.0, crate::Cause::Dropped);
        }
        *is_idle = true;
        parts.clear();
        let notes = Transaction { end, ..std::mem::take(notes) };
        self.history.push(if committed { notes } else { notes.without_effect() });
    }

    /// The last part has no effect, but what it has read was there.
    fn undo_part(&mut self, place: usize) {
        let end = self.now();
        let Place { step, notes, parts, .. } = &mut self.places[place];
        let Some((part, before)) = parts.pop() else { return };
        step.0.undo_part(part);
        let undone = Transaction { end, ..std::mem::replace(notes, before) };
        self.history.push(undone.without_effect());
    }

    /// A step at this place was in vain: the attempt goes on, without its last part, or rolls back.
    fn give_way(&mut self, place: usize) {
        if self.random.below(2) == 0 {
            return self.end(place, false);
        }
        crate::attempt::between::step_back(&mut self.places[place].step.0, crate::Cause::Dropped);
        self.undo_part(place);
    }

    /// One step at one place.
    fn step(&mut self, place: usize) {
        if self.places[place].is_idle {
            return self.begin(place);
        }
        let (choice, variable) = (self.random.below(14), self.random.below(VARIABLES as u64));
        let value = self.now();
        let Place { step, notes, parts, .. } = &mut self.places[place];
        let variable = variable as usize;
        let cell = &self.cells[variable];
        let is_snapshot = step.0.mode == Mode::Snapshot;
        match choice {
            0..4 => match step.0.read(cell) {
                Ok(seen) => notes.has_read(variable, seen),
                Err(_) if is_snapshot => panic!("a snapshot without a limit has what it needs"),
                Err(_) => self.give_way(place),
            },
            4..6 if !is_snapshot => {
                step.set(cell, value);
                notes.has_written(variable, value);
            }
            6 if !is_snapshot => {
                let mut seen = None;
                let update = |bits| {
                    seen = Some(bits);
                    value
                };
                match step.0.update(cell, WriteKind::Plain, update) {
                    Ok(()) => {
                        notes.has_read(variable, seen.expect("it was read"));
                        notes.has_written(variable, value);
                    }
                    Err(_) => self.give_way(place),
                }
            }
            7 | 8 if !is_snapshot => match step.0.prepare_more() {
                Ok(()) => {
                    assert!(step.0.is_protected());
                    parts.drain(..).rev().for_each(|(part, _)| step.0.keep_part(part));
                }
                Err(_) => self.give_way(place),
            },
            9 | 10 if !is_snapshot => parts.push((step.0.begin_part(), notes.clone())),
            11 => self.undo_part(place),
            12 => self.end(place, false),
            _ => {
                let is_protected = step.0.is_protected();
                match step.0.commit_all() {
                    Ok(()) => self.end(place, true),
                    Err(_) if is_protected => panic!("the commit of what is protected fails"),
                    Err(_) => self.give_way(place),
                }
            }
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Attempts under way are dropped by nobody.
            std::mem::forget(std::mem::take(&mut self.places));
        }
    }
}

/// The history that this seed makes.
fn history(engine: Engine, seed: u64) -> Vec<Transaction> {
    let mut world = World::new(engine, seed);
    while (world.history.len() as u64) < TRANSACTIONS {
        let place = world.random.below(PLACES) as usize;
        world.step(place);
    }
    for place in 0..PLACES as usize {
        if !world.places[place].is_idle {
            world.end(place, false);
        }
    }
    let is_free = |cell: &Cell| cell.word().held() == VariableHolder::Free;
    assert!(world.cells.iter().all(is_free), "somebody holds a variable for ever");
    std::mem::take(&mut world.history)
}

#[test]
fn random_interleavings_are_strictly_serialisable() {
    odeon_testkit::for_seeds(4_000, |seed| {
        let history = history(Engine::sound(), seed);
        assert!(serial_order(&history, VARIABLES).is_some(), "{history:#?}");
    });
}

/// The first seed at which an engine with this flaw is found out.
fn found_out(flaw: Flaw) -> Option<u64> {
    (0..2_000).find(|seed| {
        let engine = Engine::with(flaw);
        // Some flaws are met by the engine's own assertions.
        let history = catch_unwind(AssertUnwindSafe(|| history(engine, *seed)));
        history.map_or(true, |history| serial_order(&history, VARIABLES).is_none())
    })
}

#[test]
fn flawed_engines_are_found_out() {
    let flaws = [
        Flaw::NoValidation,
        Flaw::UncheckedExtension,
        Flaw::WriteThrough,
        Flaw::NothingKept,
        Flaw::BornTooLate,
        Flaw::ReadsUnprotected,
        Flaw::UpgradeOverOthers,
    ];
    for flaw in flaws {
        assert!(found_out(flaw).is_some(), "{flaw:?}");
    }
}
