//! Messages that wait: for their guards, for a change of the state, for those before them.

use super::ledger::{PATIENCE, processings, store, theater};
use super::slow_disk::SlowDisk;
use odeon_core::{AskError, Message, Reply, Theater};
use odeon_durable::{DurableRef, SpawnDurable};
use odeon_log::Storage;
use odeon_macros::Durable;
use odeon_speculative::{Ordering, Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TCounter, TVar, TVec, Tx};
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::for_seeds;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// Long enough for an answer that does not wait, mostly.
const A_MOMENT: Duration = Duration::from_millis(30);

/// Too long for one that comes.
const LONG: Duration = Duration::from_secs(10);

/// Holds one item at most.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Place {
    #[durable(1)]
    item: TVar<Option<u32>>,
    #[durable(2)]
    taken: TCounter,
}

enum ToPlace {
    /// Waits while there is an item.
    Put(u32, Reply<()>),
    /// Waits while there is none.
    Take(Reply<u32>),
    /// Waits until so many were taken, by `tx.retry()`.
    UntilTaken(i64, Reply<i64>),
}

impl Message for ToPlace {
    const MAILBOXES: usize = 3;

    fn mailbox(&self) -> usize {
        match self {
            Self::Put(..) => 0,
            Self::Take(_) => 1,
            Self::UntilTaken(..) => 2,
        }
    }
}

impl SpeculativeActor for Place {
    type Msg = ToPlace;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(mailbox == 2 || self.item.get(tx)?.is_none() == (mailbox == 0))
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToPlace,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToPlace::Put(item, done) => {
                self.item.set(tx, Some(*item))?;
                ctx.reply(done, ());
            }
            ToPlace::Take(reply) => {
                let item = self.item.get(tx)?.expect("the guard has seen one");
                self.item.set(tx, None)?;
                self.taken.add(tx, 1)?;
                ctx.reply(reply, item);
            }
            ToPlace::UntilTaken(least, reply) => {
                let taken = self.taken.get(tx)?;
                if taken < *least {
                    return Ok(tx.retry()?);
                }
                ctx.reply(reply, taken);
            }
        }
        Ok(())
    }
}

fn place(
    theater: &Theater,
    storage: impl Storage + Clone + 'static,
    processing: &Processing,
) -> DurableRef<ToPlace> {
    let state = Place { item: TVar::new(None), taken: TCounter::new(0) };
    theater.spawn_durable(&store(storage), "place", state, processing.clone()).unwrap()
}

#[test]
fn a_message_that_waits_is_handled_in_the_state_that_lets_it_and_answered_with_the_disk() {
    for processing in processings() {
        let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
        let place = place(&theater, disk.clone(), &processing);
        let until = place.ask(|reply| ToPlace::UntilTaken(1, reply));
        let take = place.ask(ToPlace::Take);
        thread::sleep(A_MOMENT);
        assert_eq!(place.durable_commits(), 1, "what waits has done nothing");
        disk.close();
        let put = place.ask(|done| ToPlace::Put(7, done));
        disk.until_one_waits();
        assert_eq!(put.wait_timeout(A_MOMENT), Err(AskError::Timeout));
        assert_eq!(take.wait_timeout(A_MOMENT), Err(AskError::Timeout));
        assert_eq!(until.wait_timeout(A_MOMENT), Err(AskError::Timeout));
        disk.open_again();
        let ask = place.ask(|reply| ToPlace::UntilTaken(1, reply));
        assert_eq!(ask.wait(), Ok(1), "{processing:?}");
        assert_eq!(place.durable_commits(), 3);
    }
}

#[test]
fn guards_see_the_state_that_was_found_again() {
    for processing in processings() {
        let mut disk = SimulatedDisk::new(1);
        for life in 1..=5 {
            let theater = theater();
            let place = place(&theater, disk.clone(), &processing);
            if life > 1 {
                // Of the life before; nobody puts anything first.
                assert_eq!(place.ask(ToPlace::Take).wait(), Ok(life - 1));
            }
            place.ask(|done| ToPlace::Put(life, done)).wait().unwrap();
            let second = place.ask(|done| ToPlace::Put(99, done));
            assert_eq!(second.wait_timeout(A_MOMENT), Err(AskError::Timeout), "it is full");
            // What waits is not done when the actor is shut down.
            let _ = theater.shutdown(PATIENCE);
            disk = disk.crash();
        }
    }
}

#[test]
fn what_is_put_is_taken_once_whatever_has_crashed() {
    for_seeds(60, |seed| {
        let processing = &processings()[seed as usize % processings().len()];
        let mut disk = SimulatedDisk::new(seed);
        disk.fail_at(20 + seed, DiskFault::Crash);
        let theater_of_first = theater();
        let first = place(&theater_of_first, disk.clone(), processing);
        let (put, taken) = thread::scope(|scope| {
            let puts = scope.spawn(|| {
                let put = |item: &u32| first.ask(|done| ToPlace::Put(*item, done)).wait().is_ok();
                (1..200).take_while(put).count() as u32
            });
            let takes = scope.spawn(|| {
                let take = |_| first.ask(ToPlace::Take).wait_timeout(LONG).ok();
                (1..200).map_while(take).collect::<Vec<u32>>()
            });
            (puts.join().unwrap(), takes.join().unwrap())
        });
        let heard = taken.len() as u32;
        assert!(taken.into_iter().eq(1..=heard));
        assert!(heard <= put + 1);
        let _ = theater_of_first.shutdown(PATIENCE);
        drop(first);
        disk = disk.crash();
        let theater = theater();
        let second = place(&theater, disk, processing);
        let least = i64::from(heard);
        let gone = second.ask(|reply| ToPlace::UntilTaken(least, reply)).wait().unwrap() as u32;
        assert!((heard..=heard + 1).contains(&gone), "{gone} were taken, {heard} were heard of");
        // What was put and not taken is there; at most one that nobody has heard of may be.
        let next = second.ask(ToPlace::Take);
        match next.wait_timeout(if gone < put { PATIENCE } else { A_MOMENT }) {
            Ok(item) => assert!(item == gone + 1 && item <= put + 1, "{item}, {gone}, {put}"),
            Err(_) => assert!(gone >= put, "{put} were put, {gone} taken"),
        }
    });
}

/// Notes what arrives.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Arrivals {
    #[durable(1)]
    numbers: TVec<u64>,
}

enum ToArrivals {
    Arrive(u64, Reply<usize>),
    Retry(#[expect(dead_code, reason = "it is not answered")] Reply<()>),
    Look(Reply<Vec<u64>>),
}

impl Message for ToArrivals {}

impl SpeculativeActor for Arrivals {
    type Msg = ToArrivals;

    fn handle<'t>(
        &'t self,
        message: &'t ToArrivals,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToArrivals::Arrive(number, reply) => {
                if number % 7 == 0 {
                    // So that those behind would be there first.
                    thread::yield_now();
                }
                let place = self.numbers.push(tx, *number)?;
                ctx.reply(reply, place);
            }
            ToArrivals::Retry(_) => return Ok(tx.retry()?),
            ToArrivals::Look(reply) => {
                let numbers = self.numbers.fold(tx, Vec::new(), |mut all, number| {
                    all.push(*number);
                    all
                })?;
                ctx.reply(reply, numbers);
            }
        }
        Ok(())
    }
}

fn arrivals(theater: &Theater, disk: &SimulatedDisk) -> DurableRef<ToArrivals> {
    let in_order = Processing::concurrent().width(4).ordering(Ordering::Mailbox);
    let state = Arrivals { numbers: TVec::new() };
    theater.spawn_durable(&store(disk.clone()), "arrivals", state, in_order).unwrap()
}

#[test]
fn in_the_order_of_arrival_the_log_has_the_first_ones() {
    for_seeds(30, |seed| {
        let disk = SimulatedDisk::new(seed);
        disk.fail_at(10 + 3 * seed, DiskFault::Crash);
        let theater_of_first = theater();
        let first = arrivals(&theater_of_first, &disk);
        let (arrival, heard) = (Mutex::new(0), Mutex::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..60 {
                        // Numbers are in the order of arrival.
                        let mut last = arrival.lock().unwrap();
                        let number = *last;
                        *last += 1;
                        let ask = first.ask(|reply| ToArrivals::Arrive(number, reply));
                        drop(last);
                        let Ok(place) = ask.wait() else { return };
                        assert_eq!(place as u64, number);
                        let mut heard = heard.lock().unwrap();
                        *heard = (*heard).max(number + 1);
                    }
                });
            }
        });
        let _ = theater_of_first.shutdown(PATIENCE);
        let theater = theater();
        let second = arrivals(&theater, &disk.crash());
        let found = second.ask(ToArrivals::Look).wait().unwrap();
        assert!(found.iter().copied().eq(0..found.len() as u64), "{found:?}");
        assert!(found.len() >= heard.into_inner().unwrap() as usize);
    });
}

#[test]
fn in_the_order_of_arrival_nobody_waits_for_a_change() {
    let (theater, disk) = (theater(), SimulatedDisk::new(1));
    let arrivals = arrivals(&theater, &disk);
    arrivals.ask(|reply| ToArrivals::Arrive(0, reply)).wait().unwrap();
    assert!(matches!(arrivals.ask(ToArrivals::Retry).wait(), Err(AskError::Failed(_))));
    assert_eq!(arrivals.ask(|reply| ToArrivals::Arrive(1, reply)).wait(), Ok(1));
    assert_eq!(arrivals.durable_commits(), 3);
}
