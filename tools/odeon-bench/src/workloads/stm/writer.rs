//! `writer`: one thread never stops moving marks between variables; each other thread meanwhile
//! adds all of them up, in one snapshot after the other. Only the writer is measured: one thread is
//! the writer alone. A snapshot that does not see a right sum, runs twice or is broken off makes
//! the run fail.

use super::case::{Case, TxPlan};
use super::locked_marks::LockedMarks;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_example_run::SplitMix64;
use odeon_stm::{TVar, atomically, snapshot};
use std::cell::Cell;
use std::hint::black_box;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const CASE: Case = Case { name: "writer", run, floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let marks: Vec<TVar<i64>> = (0..plan.variables).map(|_| TVar::new(0)).collect();
    let see = || {
        let calls = Cell::new(0);
        let sum = snapshot(|view| {
            calls.set(calls.get() + 1);
            marks.iter().map(|mark| mark.get(view)).sum::<Result<i64, _>>()
        });
        Reads { snapshots: 1, right: u64::from(sum == Ok(0)), calls: calls.get() }
    };
    let (measured, reads) = write_beside(plan, see, |from, to| {
        atomically(|tx| {
            marks[from].update(tx, |mark| mark - 1)?;
            marks[to].update(tx, |mark| mark + 1)
        });
    });
    reads.check()?;
    let moved: Vec<i64> = marks.iter().map(TVar::peek).collect();
    check(plan, &moved).map(|()| measured)
}

/// What no transactional memory can do without: each variable is locked to be written, and looked
/// at to be read. Whether readers see marks that are on their way is nobody's concern.
fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let marks = LockedMarks::new(plan.variables);
    let see = || {
        black_box(marks.sum());
        Reads::default()
    };
    let (measured, _) = write_beside(plan, see, |from, to| marks.move_one(from, to));
    check(plan, &marks.into_values()).map(|()| measured)
}

/// One thread that writes, measured, and others that look again and again.
fn write_beside(
    plan: &TxPlan,
    see: impl Fn() -> Reads + Sync,
    write: impl Fn(usize, usize),
) -> (Measured, Reads) {
    let (reading, ended) = (Barrier::new(plan.threads), AtomicBool::new(false));
    let read = || read_on(&see, &reading, &ended);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (1..plan.threads).map(|_| scope.spawn(read)).collect();
        let measured = {
            let _ending = ReadersEnding(&ended);
            reading.wait();
            Measured::time(plan.transactions, || {
                moves(plan).for_each(|(from, to)| write(from, to));
            })
        };
        let ended = readers.into_iter().map(|reader| reader.join());
        let reads = ended.map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)));
        (measured.0, reads.fold(Reads::default(), Reads::with))
    })
}

/// Lets the readers go home, also if the writer panics.
struct ReadersEnding<'a>(&'a AtomicBool);

impl Drop for ReadersEnding<'_> {
    fn drop(&mut self) {
        // ORDERING: Relaxed: readers look again and again, and only stop for it.
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What readers saw.
#[derive(Debug, Default, PartialEq)]
struct Reads {
    snapshots: u64,
    right: u64,
    /// Calls of the closure: more than there were snapshots would be repetitions.
    calls: u64,
}

impl Reads {
    fn with(self, more: Self) -> Self {
        let Self { snapshots, right, calls } = more;
        Self {
            snapshots: self.snapshots + snapshots,
            right: self.right + right,
            calls: self.calls + calls,
        }
    }

    fn check(&self) -> Result<(), BenchError> {
        if self.right == self.snapshots && self.calls == self.snapshots {
            return Ok(());
        }
        let Self { snapshots, right, calls } = self;
        let found = format!("{right} of {snapshots} snapshots, in {calls} calls, saw a right sum");
        Err(BenchError::WrongResult(found))
    }
}

/// Looks until the writer has ended; the writer begins after the first time.
fn read_on(see: impl Fn() -> Reads, reading: &Barrier, ended: &AtomicBool) -> Reads {
    let mut reads = see();
    reading.wait();
    // ORDERING: Relaxed, as in `ReadersEnding`.
    while !ended.load(Ordering::Relaxed) {
        reads = reads.with(see());
    }
    reads
}

/// From where to where a mark is moved.
fn moves(plan: &TxPlan) -> impl Iterator<Item = (usize, usize)> {
    let mut random = SplitMix64::new(plan.seed);
    let variables = plan.variables as u64;
    (0..plan.transactions).map(move |_| {
        let from = random.next() % variables;
        let to = (from + 1 + random.next() % (variables - 1)) % variables;
        (from as usize, to as usize)
    })
}

fn check(plan: &TxPlan, marks: &[i64]) -> Result<(), BenchError> {
    let mut expected = vec![0; plan.variables];
    for (from, to) in moves(plan) {
        expected[from] -= 1;
        expected[to] += 1;
    }
    if marks == expected {
        return Ok(());
    }
    Err(BenchError::WrongResult("a mark was lost or moved to another place".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_or_repeated_snapshot_is_noticed() {
        let right = Reads { snapshots: 3, right: 3, calls: 3 };
        right.check().expect("all is well");
        assert!(Reads { snapshots: 3, right: 2, calls: 3 }.check().is_err());
        assert!(Reads { snapshots: 3, right: 3, calls: 4 }.check().is_err());
    }
}
