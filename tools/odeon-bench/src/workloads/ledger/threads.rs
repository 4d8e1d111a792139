//! The ledger behind a lock, entered into by threads.

use super::book::Book;
use super::entries::Plan;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use std::hint::black_box;
use std::sync::{Barrier, Mutex, PoisonError, RwLock};
use std::thread;

pub(super) fn with_mutex(plan: &Plan, params: &Params) -> Result<Measured, BenchError> {
    let book = Mutex::new(Book::new(plan.accounts()));
    let measured = by_threads(plan, params, |sender| {
        for entry in plan.entries_of(sender) {
            book.lock().unwrap_or_else(PoisonError::into_inner).apply(entry);
        }
    });
    let book = book.into_inner().unwrap_or_else(PoisonError::into_inner);
    plan.check(book.total()).map(|()| measured)
}

pub(super) fn with_rwlock(plan: &Plan, params: &Params) -> Result<Measured, BenchError> {
    let book = RwLock::new(Book::new(plan.accounts()));
    let measured = by_threads(plan, params, |sender| {
        for entry in plan.entries_of(sender) {
            if entry.is_read {
                black_box(book.read().unwrap_or_else(PoisonError::into_inner).look(entry));
            } else {
                book.write().unwrap_or_else(PoisonError::into_inner).apply(entry);
            }
        }
    });
    let book = book.into_inner().unwrap_or_else(PoisonError::into_inner);
    plan.check(book.total()).map(|()| measured)
}

/// As many threads as a theater would have workers, each with its part of the senders.
fn by_threads(plan: &Plan, params: &Params, enter: impl Fn(usize) + Sync) -> Measured {
    let threads = params.count("workers");
    let begin = Barrier::new(threads + 1);
    let (measured, ()) = thread::scope(|scope| {
        for thread in 0..threads {
            let (begin, enter) = (&begin, &enter);
            scope.spawn(move || {
                begin.wait();
                (thread..plan.senders).step_by(threads).for_each(enter);
                begin.wait();
            });
        }
        Measured::time(plan.total(), || {
            begin.wait();
            begin.wait();
        })
    });
    measured
}
