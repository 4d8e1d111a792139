//! Snapshots beside messages.

use super::ledger::{PATIENCE, audit, processings, spawn, store, theater, transfer};
use odeon_core::{Message, Reply};
use odeon_durable::SpawnDurable;
use odeon_log::Storage;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::disk::SimulatedDisk;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const CLIENTS: u32 = 3;

/// How many snapshots and segments there are.
fn files(disk: &SimulatedDisk) -> (usize, usize) {
    let names = disk.list().unwrap();
    let count = |part: &str| names.iter().filter(|name| name.contains(part)).count();
    (count("snapshot"), count("segment"))
}

#[test]
fn snapshots_are_made_beside_messages_and_the_log_stays_short() {
    for processing in processings() {
        let (disk, mut last) = (SimulatedDisk::new(1), None);
        for life in 0..3 {
            let theater = theater();
            let ledger = spawn(&theater, &store(disk.clone()), processing.clone()).unwrap();
            let found = audit(&ledger);
            found.check();
            assert!(last.is_none_or(|last| last == found));
            thread::scope(|scope| {
                for client in 0..CLIENTS {
                    let ledger = &ledger;
                    scope.spawn(move || transfer(ledger, client, 300 * life + 1, 300).1.unwrap());
                }
            });
            // If the thread of a snapshot was held up, the next one makes good for it.
            let (begun, mut number) = (Instant::now(), audit(&ledger).of_client(CLIENTS));
            while files(&disk).0 == 0 || files(&disk).1 >= 10 {
                assert!(begun.elapsed() < PATIENCE, "{:?}", disk.list());
                number += 1;
                transfer(&ledger, CLIENTS, number, 1).1.unwrap();
            }
            last = Some(audit(&ledger));
            let _ = theater.shutdown(PATIENCE);
            let (snapshots, segments) = files(&disk);
            assert!((1..=2).contains(&snapshots), "{:?}", disk.list());
            assert!(segments < 10, "{:?}", disk.list());
        }
    }
}

/// Numbers that are written slowly, from some moment on.
#[derive(Deserialize)]
struct Slow(u64);

static IS_SLOW: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

impl Serialize for Slow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if IS_SLOW.load(SeqCst) {
            WRITTEN.fetch_add(1, SeqCst);
            thread::sleep(Duration::from_millis(5));
        }
        serializer.serialize_u64(self.0)
    }
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Shelf {
    #[durable(1)]
    places: Vec<TVar<Slow>>,
}

struct Put(u64, Reply<()>);
impl Message for Put {}

impl SpeculativeActor for Shelf {
    type Msg = Put;

    fn handle<'t>(
        &'t self,
        Put(number, done): &'t Put,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.places[0].set(tx, Slow(*number))?;
        ctx.reply(done, ());
        Ok(())
    }
}

#[test]
fn the_end_of_an_actor_waits_for_no_snapshot() {
    const PLACES: usize = 4_000;
    let (theater, store) = (theater(), store(SimulatedDisk::new(1)).snapshot_after(1));
    let shelf = Shelf { places: (0..PLACES).map(|_| TVar::new(Slow(0))).collect() };
    let shelf = theater.spawn_durable(&store, "shelf", shelf, Processing::default()).unwrap();
    IS_SLOW.store(true, SeqCst);
    shelf.ask(|done| Put(1, done)).wait().unwrap();
    // One is what the message has written.
    while WRITTEN.load(SeqCst) < 2 {
        thread::yield_now();
    }
    drop(shelf);
    let _ = theater.shutdown(PATIENCE);
    assert!(WRITTEN.load(SeqCst) < PLACES);
}
