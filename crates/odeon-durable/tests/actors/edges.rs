//! What users' code does where nobody expects it, and disks, and first states that differ.

use super::ledger::{PATIENCE, ToLedger, processings, spawn, store, theater, transfer};
use super::slow_disk::SlowDisk;
use odeon_core::{Access, Actor, ActorRef, AskError, Context, Message, Reply, Theater};
use odeon_durable::{DurableRef, SpawnDurable, Store};
use odeon_log::{LogReader, Storage, StorageFile, StorageLock, StorageRead};
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TCounter, TVar, Tx, atomically};
use odeon_testkit::disk::SimulatedDisk;
use odeon_testkit::silent_panic;
use std::io::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::Duration;

const A_MOMENT: Duration = Duration::from_millis(30);

/// It may say what the handler has seen.
#[test]
fn what_a_failure_says_waits_for_the_disk() {
    for processing in processings() {
        let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
        let ledger = spawn(&theater, &store(disk.clone()), processing).unwrap();
        transfer(&ledger, 1, 1, 1).1.unwrap();
        disk.close();
        let first =
            ledger.ask(|done| ToLedger::Transfer { client: 1, number: 2, from: 1, to: 2, done });
        disk.until_one_waits();
        let (told, hears) = channel();
        let fails = ledger.ask(ToLedger::Fail);
        let panics = ledger.ask(ToLedger::Panic);
        std::thread::scope(|scope| {
            for ask in [fails, panics] {
                let told = told.clone();
                scope.spawn(move || told.send(ask.wait().is_err()));
            }
            assert!(hears.recv_timeout(A_MOMENT).is_err(), "somebody has heard of it");
            disk.open_again();
            assert_eq!([hears.recv(), hears.recv()], [Ok(true), Ok(true)]);
        });
        assert_eq!(first.wait(), Ok(2));
    }
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Sum {
    #[durable(1)]
    sum: TCounter,
}

struct Add(Reply<i64>);

impl Message for Add {}

impl SpeculativeActor for Sum {
    type Msg = Add;
    fn handle<'t>(
        &'t self,
        Add(reply): &'t Add,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.sum.add(tx, 1)?;
        ctx.reply(reply, self.sum.get(tx)?);
        Ok(())
    }
}

/// A state that begins with so much.
fn sum_from(first: i64) -> Sum {
    Sum { sum: TCounter::new(first) }
}

#[test]
fn another_first_state_changes_nothing_that_was_answered() {
    let disk = SimulatedDisk::new(1);
    for (first, expected) in [(100, 101), (0, 102)] {
        let theater = theater();
        let store = store(disk.clone());
        let actor = theater.spawn_durable(&store, "sum", sum_from(first), Processing::sequential());
        assert_eq!(actor.unwrap().ask(Add).wait(), Ok(expected));
        let _ = theater.shutdown(PATIENCE);
    }
}

#[test]
fn logs_of_one_store_have_ids_of_their_own() {
    let disks = [SimulatedDisk::new(1), SimulatedDisk::new(2)];
    let of_store = disks.clone();
    let disk = move |name: &str| of_store[usize::from(name == "second")].clone();
    let store = Store::on(move |name| Ok(Arc::new(disk(name))));
    let theater = theater();
    for name in ["first", "second"] {
        theater.spawn_durable(&store, name, sum_from(0), Processing::sequential()).unwrap();
    }
    let [first, second] = disks.map(|disk| LogReader::open(Arc::new(disk)).unwrap().id().unwrap());
    assert_ne!(first, second);
}

/// A disk that panics from some time on.
#[derive(Clone)]
struct PanickingDisk(SimulatedDisk, Arc<AtomicBool>);

struct PanickingFile(Box<dyn StorageFile>, Arc<AtomicBool>);

impl StorageFile for PanickingFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if self.1.load(SeqCst) {
            silent_panic("a storage");
        }
        self.0.append(bytes)
    }
    fn sync(&mut self) -> Result<()> {
        self.0.sync()
    }
}

impl Storage for PanickingDisk {
    fn list(&self) -> Result<Vec<String>> {
        self.0.list()
    }
    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>> {
        self.0.open(name)
    }
    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>> {
        Ok(Box::new(PanickingFile(self.0.create(name)?, self.1.clone())))
    }
    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.0.rename(from, to)
    }
    fn remove(&self, name: &str) -> Result<()> {
        self.0.remove(name)
    }
    fn sync_directory(&self) -> Result<()> {
        self.0.sync_directory()
    }
    fn lock(&self) -> Result<StorageLock> {
        self.0.lock()
    }
}

#[test]
fn a_panic_of_the_storage_is_a_failure_of_the_log() {
    let panics = Arc::new(AtomicBool::new(false));
    let disk = PanickingDisk(SimulatedDisk::new(1), panics.clone());
    let theater = theater();
    let ledger = spawn(&theater, &store(disk), Processing::sequential()).unwrap();
    transfer(&ledger, 1, 1, 1).1.unwrap();
    panics.store(true, SeqCst);
    for _ in 0..2 {
        assert!(matches!(transfer(&ledger, 1, 2, 1).1, Err(AskError::Failed(_))));
    }
    assert!(ledger.log_failure().is_some());
    assert!(ledger.ask(|reply| ToLedger::Audit(Access::Snapshot, reply)).wait().is_err());
}

/// A message whose destructor panics, unless it has been disarmed.
struct Bomb(bool);
impl Message for Bomb {}

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 {
            silent_panic("a destructor");
        }
    }
}

struct Disarms;
impl Actor for Disarms {
    type Msg = Bomb;
    fn handle(&mut self, mut bomb: Bomb, _: &mut Context<'_, Self>) {
        bomb.0 = false;
    }
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Bomber {
    #[durable(1)]
    count: TVar<u64>,
    #[durable(skip)]
    to: ActorRef<Bomb>,
    #[durable(skip)]
    attempts: AtomicU64,
}

enum ToBomber {
    Panic(#[expect(dead_code, reason = "the failure answers")] Reply<u64>),
    /// Asks for another attempt, once.
    Again(Reply<u64>),
}
impl Message for ToBomber {}

impl SpeculativeActor for Bomber {
    type Msg = ToBomber;
    fn handle<'t>(
        &'t self,
        message: &'t ToBomber,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let count = self.count.get(tx)?;
        let _ = self.to.send(Bomb(true));
        match message {
            ToBomber::Panic(_) => silent_panic("a handler"),
            ToBomber::Again(reply) => {
                if self.attempts.fetch_add(1, SeqCst) == 0 {
                    // A conflict, as any `?` may bring one.
                    std::thread::scope(|scope| {
                        scope.spawn(|| atomically(|tx| self.count.update(tx, |n| n + 1)));
                    });
                    return Ok(tx.retry()?);
                }
                ctx.reply(reply, count);
            }
        }
        Ok(())
    }
}

fn bomber() -> (Theater, DurableRef<ToBomber>) {
    let theater = theater();
    let to = theater.spawn(Disarms);
    let state = Bomber { count: TVar::new(0), to, attempts: AtomicU64::new(0) };
    let store = store(SimulatedDisk::new(1));
    let actor = theater.spawn_durable(&store, "bomber", state, Processing::sequential());
    (theater, actor.unwrap())
}

#[test]
fn effects_whose_destructors_panic_end_with_the_attempt() {
    let (_theater, actor) = bomber();
    assert!(matches!(actor.ask(ToBomber::Panic).wait(), Err(AskError::Failed(_))));
    assert_eq!(actor.ask(ToBomber::Again).wait(), Ok(1));
}
