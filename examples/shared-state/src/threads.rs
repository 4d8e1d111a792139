//! The state behind a lock, used by threads.

use super::lasting::{self, Runs};
use super::{Deed, Looks, Plain, SharedState, Sharing};
use odeon_example_run::{RunError, Timed};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};
use std::thread;

pub(super) fn with_mutex<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    let state = Mutex::new(shared.plain());
    let (timed, runs) = by_threads(shared, sharing, looks, |sender| {
        for deed in shared.deeds_of(sender) {
            state.lock().unwrap_or_else(PoisonError::into_inner).apply(deed);
        }
    })?;
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.check(vec![state.outcome()], &runs).map(|()| timed)
}

pub(super) fn with_rwlock<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    let state = RwLock::new(shared.plain());
    let (timed, runs) = by_threads(shared, sharing, looks, |sender| {
        for deed in shared.deeds_of(sender) {
            if deed.is_read() {
                state.read().unwrap_or_else(PoisonError::into_inner).look(deed);
            } else {
                state.write().unwrap_or_else(PoisonError::into_inner).apply(deed);
            }
        }
    })?;
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.check(vec![state.outcome()], &runs).map(|()| timed)
}

/// As many threads as a theater would have workers, each with its part of the senders; as long as
/// they shall.
fn by_threads<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    looks: &mut impl Looks,
    send: impl Fn(usize) + Sync,
) -> Result<(Timed, Vec<u64>), RunError> {
    let threads = sharing.workers;
    lasting::run(shared, sharing.lasting, looks, |runs| {
        let begin = Barrier::new(threads + 1);
        let one = |thread| {
            begin.wait();
            while send_all(shared.senders(), thread, threads, runs, &send) {}
            begin.wait();
        };
        let one = &one;
        let (timed, ()) = thread::scope(|scope| {
            (0..threads).for_each(|thread| drop(scope.spawn(move || one(thread))));
            Timed::of(shared.deeds(), || {
                begin.wait();
                begin.wait();
            })
        });
        Ok(timed)
    })
}

/// Every sender of a thread once; answers whether there is to be another round.
fn send_all(
    senders: usize,
    thread: usize,
    threads: usize,
    runs: &Runs,
    send: &impl Fn(usize),
) -> bool {
    (thread..senders).step_by(threads).fold(false, |_, sender| {
        send(sender);
        runs.goes_on(sender)
    })
}
