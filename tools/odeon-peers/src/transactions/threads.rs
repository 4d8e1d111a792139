//! Threads that begin together, and the time from the first one's begin to the last one's end.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::params::Stm;
use crate::peer::Sample;

/// The transactions of one of the threads.
pub fn share(params: &Stm, thread: usize) -> u64 {
    let (threads, thread) = (params.threads as u64, thread as u64);
    params.transactions / threads + u64::from(thread < params.transactions % threads)
}

/// Runs `work` on each thread, on what `prepare` has made there; only `work` is measured. Returns
/// what the threads have prepared and found out.
pub fn run<S: Send, R: Send>(
    params: &Stm,
    prepare: impl Fn() -> S + Sync,
    work: impl Fn(usize, &S) -> R + Sync,
) -> (Sample, Vec<(S, R)>) {
    let ready = Barrier::new(params.threads);
    let one = |index| {
        let state = prepare();
        ready.wait();
        let begin = Instant::now();
        let result = work(index, &state);
        (begin, Instant::now(), (state, result))
    };
    let one = &one;
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..params.threads).map(|index| scope.spawn(move || one(index))).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let begin = ended.iter().map(|(begin, _, _)| *begin).min().expect("there is a thread");
    let end = ended.iter().map(|(_, end, _)| *end).max().expect("there is a thread");
    let sample = Sample { ops: params.transactions, elapsed: end - begin };
    (sample, ended.into_iter().map(|(_, _, found)| found).collect())
}
