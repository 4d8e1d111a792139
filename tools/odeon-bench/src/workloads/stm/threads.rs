//! Threads that begin together, and the time from the first one's begin to the last one's end.

use super::case::TxPlan;
use crate::samples::Measured;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::time::Instant;

/// Runs `work` on each thread of the plan, on what `prepare` has made there; only `work` is
/// measured. Answers what the threads have prepared and found out, in their order.
pub(super) fn run<S: Send, R: Send>(
    plan: &TxPlan,
    prepare: impl Fn(usize) -> S + Sync,
    work: impl Fn(usize, &mut S) -> R + Sync,
) -> (Measured, Vec<(S, R)>) {
    let ready = Barrier::new(plan.threads);
    let one = |thread| {
        let mut state = prepare(thread);
        ready.wait();
        // WHY by each thread: a clock on the driving thread would wait for a core that these have.
        let begin = Instant::now();
        let result = work(thread, &mut state);
        (begin, Instant::now(), (state, result))
    };
    let one = &one;
    let ended: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..plan.threads).map(|thread| scope.spawn(move || one(thread))).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let begin = ended.iter().map(|(begin, _, _)| *begin).min().expect("there is a thread");
    let end = ended.iter().map(|(_, end, _)| *end).max().expect("there is a thread");
    let measured = Measured::new(plan.transactions, end - begin);
    (measured, ended.into_iter().map(|(_, _, found)| found).collect())
}

/// [`run`] with nothing to prepare.
pub(super) fn run_unprepared<R: Send>(
    plan: &TxPlan,
    work: impl Fn(usize) -> R + Sync,
) -> (Measured, Vec<R>) {
    let (measured, found) = run(plan, |_| (), |thread, ()| work(thread));
    (measured, found.into_iter().map(|((), result)| result).collect())
}
