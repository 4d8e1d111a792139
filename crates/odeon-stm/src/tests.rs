//! Unit tests of the engine: attempts of several transactions, interleaved step by step on one
//! thread.
//!
//! Each anomaly is shown twice: the engine prevents it, and an engine broken on purpose does not,
//! so the test would notice.

mod anomalies;
mod interleavings;
mod journeys;
#[cfg(odeon_loom)]
mod loom;
mod prepared;
mod reclamation;
mod relaxed;
mod snapshots;

use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::domain::Domain;
use crate::domain::cell::Cell;
use crate::words::flaw::Flaw;

/// An engine of a test's own.
#[derive(Clone, Copy)]
struct Engine(&'static Domain);

impl Engine {
    fn sound() -> Self {
        Self(Domain::new())
    }

    fn with(flaw: Flaw) -> Self {
        Self(Domain::with(Some(flaw)))
    }

    /// A variable of this engine.
    fn cell(self, bits: u64) -> Cell {
        Cell::new_in(self.0, bits)
    }

    /// A transaction that has begun.
    fn begin(self) -> Step {
        self.begin_in(Mode::Logged)
    }

    fn begin_in(self, mode: Mode) -> Step {
        let mut attempt = Attempt::new(self.0).unwrap();
        match mode {
            Mode::Snapshot => snapshot::begin(&mut attempt, usize::MAX),
            _ => attempt.begin(mode),
        }
        Step(attempt)
    }
}

/// Whether it has committed: in a straight line if that is possible.
fn commit_in_some_way(attempt: &mut Attempt) -> bool {
    attempt.stopped.is_none() && attempt.commit_if_simple() || attempt.commit().is_ok()
}

/// A transaction in the hand of a test.
struct Step(Box<Attempt>);

impl Step {
    /// The value, or `None` if the attempt has to roll back.
    fn get(&mut self, cell: &Cell) -> Option<u64> {
        self.0.read(cell).ok()
    }

    fn set(&mut self, cell: &Cell, value: u64) -> bool {
        self.0.write(cell, value, WriteKind::Plain).is_ok()
    }

    fn add(&mut self, cell: &Cell, more: u64) -> bool {
        self.0.update(cell, WriteKind::Plain, |bits| bits + more).is_ok()
    }

    /// Whether it has committed.
    fn commit(mut self) -> bool {
        let committed = commit_in_some_way(&mut self.0);
        if !committed {
            self.roll_back();
        } else {
            self.end();
        }
        committed
    }

    fn roll_back(mut self) {
        crate::attempt::between::roll_back(&mut self.0, crate::Cause::Dropped);
    }

    fn end(&mut self) {
        self.0.end();
    }
}
