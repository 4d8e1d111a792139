//! Actors that begin, end and fail: what `started` does is logged, what follows a stop is not.

use super::ledger::{PATIENCE, processings, store, theater};
use super::slow_disk::SlowDisk;
use odeon_core::{AskError, EndReason, Message, Reply, Theater};
use odeon_durable::{DurableRef, SpawnDurable};
use odeon_log::Storage;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{TCounter, Tx};
use odeon_testkit::disk::SimulatedDisk;
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// Long enough for an answer that does not wait, mostly.
const A_MOMENT: Duration = Duration::from_millis(30);

/// Counts how often it has begun, and what it was told.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Counting {
    #[durable(1)]
    lives: TCounter,
    #[durable(2)]
    told: TCounter,
    #[durable(skip)]
    cannot_start: bool,
    #[durable(skip)]
    stopped: Arc<AtomicUsize>,
}

enum ToCounting {
    Add(i64, Reply<i64>),
    /// Adds as well, as the last message of all.
    AddAndStop(i64, Reply<i64>),
    /// Adds in vain.
    AddAndFail(#[expect(dead_code, reason = "the failure answers")] Reply<i64>),
    Look(Reply<(i64, i64)>),
}

impl Message for ToCounting {}

impl SpeculativeActor for Counting {
    type Msg = ToCounting;

    fn started<'t>(&'t self, tx: &mut Tx<'t>, _: &mut SpeculativeContext<'_, Self>) -> TxResult {
        self.lives.add(tx, 1)?;
        if self.cannot_start { silent_panic("it cannot start") } else { Ok(()) }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToCounting,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToCounting::Add(amount, reply) | ToCounting::AddAndStop(amount, reply) => {
                self.told.add(tx, *amount)?;
                ctx.reply(reply, self.told.get(tx)?);
                if matches!(message, ToCounting::AddAndStop(..)) {
                    ctx.stop();
                }
                Ok(())
            }
            ToCounting::AddAndFail(_) => {
                self.told.add(tx, 1_000)?;
                fail("as it was told")
            }
            ToCounting::Look(reply) => {
                ctx.reply(reply, (self.lives.get(tx)?, self.told.get(tx)?));
                Ok(())
            }
        }
    }

    fn stopped(&self) {
        self.stopped.fetch_add(1, SeqCst);
    }
}

struct Given {
    cannot_start: bool,
    stopped: Arc<AtomicUsize>,
}

impl Given {
    fn new() -> Self {
        Self { cannot_start: false, stopped: Arc::default() }
    }

    fn spawn(
        &self,
        theater: &Theater,
        storage: impl Storage + Clone + 'static,
        processing: &Processing,
    ) -> DurableRef<ToCounting> {
        let state = Counting {
            lives: TCounter::new(0),
            told: TCounter::new(0),
            cannot_start: self.cannot_start,
            stopped: self.stopped.clone(),
        };
        let spawned = theater.spawn_durable(&store(storage), "counting", state, processing.clone());
        spawned.expect("nobody else has the log")
    }
}

#[test]
fn what_started_does_is_logged_in_each_life() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        for life in 1..=3 {
            let theater = theater();
            let counting = Given::new().spawn(&theater, disk.clone(), &processing);
            assert_eq!(counting.ask(ToCounting::Look).wait(), Ok((life, 0)));
            let _ = theater.shutdown(PATIENCE);
        }
    }
}

/// And who is told of its end finds its log free.
#[test]
fn a_message_that_stops_is_the_last_one_in_the_log() {
    for processing in processings() {
        let (disk, given, theater) = (SimulatedDisk::new(1), Given::new(), theater());
        let mut told = 0;
        for life in 1..=20 {
            let counting = given.spawn(&theater, disk.clone(), &processing);
            let ended = counting.ended();
            assert_eq!(counting.ask(|reply| ToCounting::Add(1, reply)).wait(), Ok(told + 1));
            let stop = counting.ask(|reply| ToCounting::AddAndStop(2, reply));
            let behind: Vec<_> =
                (0..5).map(|_| counting.ask(|reply| ToCounting::Add(1_000, reply))).collect();
            // In any order, those of one sender may come before.
            let mut more = 0;
            for ask in behind {
                match ask.wait() {
                    Ok(_) => more += 1_000,
                    Err(error) => assert_ne!(error, AskError::Timeout),
                }
            }
            stop.wait().unwrap();
            told += 3 + more;
            assert_eq!(ended.wait().reason(), EndReason::Stopped);
            assert_eq!(given.stopped.load(SeqCst), 2 * life - 1, "{processing:?}");
            let again = given.spawn(&theater, disk.clone(), &processing);
            let found = again.ask(ToCounting::Look).wait();
            assert_eq!(found, Ok((2 * life as i64, told)), "{processing:?}");
            let ended = again.ended();
            drop(again);
            assert_eq!(ended.wait().reason(), EndReason::Stopped);
        }
    }
}

#[test]
fn a_stop_waits_for_the_disk() {
    for processing in processings() {
        let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
        let counting = Given::new().spawn(&theater, disk.clone(), &processing);
        counting.ask(|reply| ToCounting::Add(1, reply)).wait().unwrap();
        disk.close();
        let ended = counting.ended();
        let stop = counting.ask(|reply| ToCounting::AddAndStop(1, reply));
        disk.until_one_waits();
        assert_eq!(stop.wait_timeout(A_MOMENT), Err(AskError::Timeout));
        thread::scope(|scope| {
            let waits = scope.spawn(|| ended.wait().reason());
            thread::sleep(A_MOMENT);
            assert!(
                !waits.is_finished(),
                "{processing:?}: it has ended before its commit is there"
            );
            disk.open_again();
            assert_eq!(waits.join().unwrap(), EndReason::Stopped);
        });
    }
}

/// Supervision resumes it with its last good state, which is that of the log.
#[test]
fn failures_between_others_lose_nothing_and_leave_nothing() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        let theater_of_first = theater();
        let counting = Given::new().spawn(&theater_of_first, disk.clone(), &processing);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..40 {
                        let failed = counting.ask(ToCounting::AddAndFail).wait();
                        assert!(matches!(failed, Err(AskError::Failed(_))));
                        counting.ask(|reply| ToCounting::Add(1, reply)).wait().unwrap();
                    }
                });
            }
        });
        assert_eq!(counting.ask(ToCounting::Look).wait(), Ok((1, 120)));
        let _ = theater_of_first.shutdown(PATIENCE);
        let theater = theater();
        let counting = Given::new().spawn(&theater, disk.crash(), &processing);
        assert_eq!(counting.ask(ToCounting::Look).wait(), Ok((2, 120)));
    }
}

/// It goes on as it was found, as any speculative actor does.
#[test]
fn a_start_that_fails_leaves_nothing_in_the_log() {
    for processing in processings() {
        let (disk, theater_of_first) = (SimulatedDisk::new(1), theater());
        let cannot = Given { cannot_start: true, ..Given::new() };
        let counting = cannot.spawn(&theater_of_first, disk.clone(), &processing);
        assert_eq!(counting.ask(ToCounting::Look).wait(), Ok((0, 0)));
        assert_eq!(counting.ask(|reply| ToCounting::Add(1, reply)).wait(), Ok(1));
        assert_eq!(counting.durable_commits(), 2, "the begin of the log, and one: {processing:?}");
        let _ = theater_of_first.shutdown(PATIENCE);
        let theater = theater();
        let counting = Given::new().spawn(&theater, disk, &processing);
        assert_eq!(counting.ask(ToCounting::Look).wait(), Ok((1, 1)), "{processing:?}");
    }
}
