//! One run: a way, workers, a load.

use crate::{ScaleLoad, ScaleWay};
use odeon_bench::error::BenchError;
use odeon_bench::memory::cpu_time_ns;
use odeon_bench::statistics::Spread;
use odeon_example_run::{Timed, runtime, theater_with};
use odeon_example_shared_state::ledger::{Accounts, LedgerPlan, SenderEntries};
use odeon_example_shared_state::{
    Looks, Plain, Runs, SharedState, Sharing, Speculative, ToState, enter, spawn,
};
use odeon_speculative::{Processing, SpeculativeRef};
use odeon_stm::try_atomically;
use std::iter::Take;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What one run took for a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Took {
    /// From the first to the last, of all workers together.
    pub(crate) ns: f64,
    /// Processor time of all threads, without that of the check of the outcome.
    pub(crate) cpu_ns: f64,
    /// Messages of the run.
    pub(crate) messages: u64,
}

/// Runs once, and checks what came out.
pub(crate) fn run(
    way: ScaleWay,
    workers: usize,
    load: &ScaleLoad,
    run_ms: u64,
    seed: u64,
) -> Result<Took, BenchError> {
    let plan = load.plan(run_ms, seed);
    let before = cpu_time_ns();
    let timed = match way {
        ScaleWay::Floor => floor(&plan, workers),
        ScaleWay::Transactions => transactions(&plan)?,
        ScaleWay::Width(width) => by_width(&plan, workers, width)?,
        ScaleWay::Mode(mode) => {
            let sharing = Sharing { mode, workers, lasting: Duration::ZERO };
            odeon_example_shared_state::run(&plan, sharing, &mut NoLooks)?
        }
    };
    let used = cpu_time_ns() - before;
    let messages = timed.ops.max(1);
    let each = |ns: f64| ns / messages as f64;
    let checked = if way == ScaleWay::Floor { 0 } else { checking_cpu_ns(&plan) };
    Ok(Took {
        ns: each(timed.elapsed.as_nanos() as f64),
        cpu_ns: each(used.saturating_sub(checked) as f64),
        messages,
    })
}

/// Nobody looks.
struct NoLooks;

impl Looks for NoLooks {
    fn begins<M: odeon_core::Message>(&mut self, _: &SpeculativeRef<M>) {}

    fn passes(&mut self, _: Duration) {}
}

/// Processor time that it takes to find out whether the outcome is right.
fn checking_cpu_ns(plan: &LedgerPlan) -> u64 {
    let before = cpu_time_ns();
    let _ = plan.check(vec![0], &vec![1; plan.senders()]);
    cpu_time_ns() - before
}

/// The deeds that one of some threads does, as many as any other, each sender's one after the
/// other.
fn part_of(plan: &LedgerPlan, thread: usize, threads: usize) -> Vec<Take<SenderEntries>> {
    let from = |thread: usize| (plan.deeds() as usize * thread).div_ceil(threads);
    let (begin, end, each) = (from(thread), from(thread + 1), plan.entries as usize);
    let of_sender = |sender: usize| {
        let first = sender * each;
        let (begin, end) = (begin.max(first), end.min(first + each));
        (begin < end).then(|| {
            let mut deeds = plan.deeds_of(sender);
            deeds.by_ref().take(begin - first).for_each(drop);
            deeds.take(end - begin)
        })
    };
    (0..plan.senders()).filter_map(of_sender).collect()
}

/// Each thread with its part of the deeds and a ledger of its own.
fn floor(plan: &LedgerPlan, threads: usize) -> Timed {
    let begin = Barrier::new(threads + 1);
    let one = |thread: usize| {
        let (mut own, part) = (plan.plain(), part_of(plan, thread, threads));
        begin.wait();
        part.into_iter().flatten().for_each(|deed| own.apply(deed));
        begin.wait();
        own.outcome()
    };
    let one = &one;
    thread::scope(|scope| {
        (0..threads).for_each(|thread| drop(scope.spawn(move || one(thread))));
        let (timed, ()) = Timed::of(plan.deeds(), || {
            begin.wait();
            begin.wait();
        });
        timed
    })
}

/// The transactions of a concurrent actor, one after the other.
fn transactions(plan: &LedgerPlan) -> Result<Timed, BenchError> {
    let accounts: Accounts = plan.speculative();
    let (timed, done) = Timed::of(plan.deeds(), || {
        let mut deeds = (0..plan.senders()).flat_map(|sender| plan.deeds_of(sender));
        deeds.try_for_each(|deed| try_atomically(|tx| accounts.apply(deed, tx)))
    });
    let total = done.and_then(|()| try_atomically(|tx| accounts.outcome(tx)));
    plan.check(vec![total.map_err(runtime)?], &vec![1; plan.senders()]).map(|()| timed)
}

fn by_width(plan: &LedgerPlan, workers: usize, width: usize) -> Result<Timed, BenchError> {
    let theater = theater_with(workers)?;
    let actor = spawn(plan, &theater, Processing::concurrent().width(width));
    let runs = Runs::once(plan.senders()).into();
    let timed = enter(plan, &theater, &[actor.actor_ref()], &runs)?;
    let total = actor.ask(ToState::Outcome).wait().map_err(runtime)?;
    plan.check(vec![total], &vec![1; plan.senders()]).map(|()| timed)
}

/// What it takes to wake a sleeping thread.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WakeCosts {
    /// How long it takes who wakes it, in ns.
    pub waker_ns: f64,
    /// How long it takes until the one that is woken runs, in ns.
    pub sleeper_ns: f64,
}

/// The medians of some times: what a thread usually waits for, not what it may wait for at best.
pub fn wake_costs() -> WakeCosts {
    const TIMES: usize = 200;
    /// TUNE: guessed 2026-11: who sleeps so long sleeps deeply.
    const ASLEEP: Duration = Duration::from_micros(200);
    let (origin, woken_at, rounds) = (Instant::now(), AtomicU64::new(0), AtomicUsize::new(0));
    let since = |origin: Instant| origin.elapsed().as_nanos() as u64;
    let (mut wakers, mut sleepers) = (Vec::with_capacity(TIMES), Vec::with_capacity(TIMES));
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            for round in 0..TIMES {
                // ORDERING: Acquire: pairs with the Release of `rounds`: the zero comes before the
                // time, and does not overwrite it.
                while rounds.load(Ordering::Acquire) <= round {
                    thread::park();
                }
                // ORDERING: Relaxed: nothing but the time itself is read.
                woken_at.store(since(origin).max(1), Ordering::Relaxed);
            }
        });
        for _ in 0..TIMES {
            thread::sleep(ASLEEP);
            // ORDERING: Relaxed: the Release below has it come first.
            woken_at.store(0, Ordering::Relaxed);
            // ORDERING: Release: pairs with the Acquire of `rounds`; if weaker, the zero could
            // come last, and this thread wait for ever.
            rounds.fetch_add(1, Ordering::Release);
            let begun = since(origin);
            sleeper.thread().unpark();
            wakers.push((since(origin) - begun) as f64);
            let at = loop {
                // ORDERING: Relaxed: see above.
                match woken_at.load(Ordering::Relaxed) {
                    0 => thread::yield_now(),
                    at => break at,
                }
            };
            sleepers.push(at.saturating_sub(begun) as f64);
        }
    });
    WakeCosts { waker_ns: Spread::of(&wakers).median, sleeper_ns: Spread::of(&sleepers).median }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(senders: usize, handler_ns: u64) -> LedgerPlan {
        ScaleLoad { handler_ns, senders, conflict: 0, reads: 0 }.plan(1, 1)
    }

    fn parts(plan: &LedgerPlan, threads: usize) -> Vec<usize> {
        let of_thread = |thread| part_of(plan, thread, threads).into_iter().flatten().count();
        (0..threads).map(of_thread).collect()
    }

    #[test]
    fn threads_share_the_deeds_of_one_sender_and_of_several() {
        let one = plan(1, 900);
        assert_eq!(one.deeds(), 1000);
        assert_eq!(parts(&one, 2), [500, 500]);
        let three = plan(3, 900);
        let shared = parts(&three, 2);
        assert_eq!(shared.iter().sum::<usize>() as u64, three.deeds());
        assert!(shared[0].abs_diff(shared[1]) <= 1, "{shared:?}");
        let entries = |thread, threads| -> Vec<String> {
            let part = part_of(&three, thread, threads);
            part.into_iter().flatten().map(|deed| format!("{deed:?}")).collect()
        };
        let halves = [entries(0, 2), entries(1, 2)].concat();
        assert_eq!(halves, entries(0, 1), "none is left out");
    }

    #[test]
    fn waking_takes_time() {
        let WakeCosts { waker_ns, sleeper_ns } = wake_costs();
        assert!(waker_ns > 0.0 && sleeper_ns > 0.0);
    }
}
