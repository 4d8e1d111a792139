//! Effects leave when their commits, and what they have seen, are on the disk; in their order.

use super::ledger::{ToLedger, audit, processings, spawn, store, theater, transfer};
use super::slow_disk::SlowDisk;
use odeon_core::{Access, Actor, Context, Message, Reply, Theater};
use odeon_durable::SpawnDurable;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::disk::SimulatedDisk;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Long enough for an answer that does not wait, mostly.
const A_MOMENT: Duration = Duration::from_millis(30);

#[test]
fn s44_nobody_hears_of_what_is_not_on_the_disk() {
    for processing in processings() {
        let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
        let ledger = spawn(&theater, &store(disk.clone()), processing).unwrap();
        transfer(&ledger, 1, 1, 5).1.unwrap();
        // What is there is read without the disk.
        disk.close();
        assert_eq!(audit(&ledger).of_client(1), 5);

        let begin = |client, number| {
            ledger.ask(move |done| ToLedger::Transfer { client, number, from: 1, to: 2, done })
        };
        let (first, second) = (begin(1, 6), begin(2, 1));
        disk.until_one_waits();
        let reads = [Access::Snapshot, Access::Update, Access::Exclusive]
            .map(|access| ledger.ask(move |reply| ToLedger::Audit(access, reply)));
        thread::scope(|scope| {
            let (told, hears) = channel();
            for (name, ask) in [("first", first), ("second", second)] {
                let told = told.clone();
                scope.spawn(move || told.send((name, ask.wait().unwrap())));
            }
            for ask in reads {
                let told = told.clone();
                scope.spawn(move || told.send(("read", ask.wait().unwrap().of_client(1))));
            }
            drop(told);
            assert!(hears.recv_timeout(A_MOMENT).is_err(), "somebody has heard of it");
            assert_eq!(ledger.durable_commits(), 6);
            disk.open_again();
            let heard: Vec<_> = hears.iter().collect();
            assert_eq!(heard.len(), 5);
            for (who, number) in heard {
                match who {
                    "first" => assert_eq!(number, 6),
                    "second" => assert_eq!(number, 1),
                    _ => assert!((5..=6).contains(&number)),
                }
            }
        });
        assert_eq!(ledger.durable_commits(), 8);
    }
}

/// Counts, tells each number to another actor, and makes an actor for each tenth.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Counter {
    #[durable(1)]
    count: TVar<u64>,
    #[durable(skip)]
    listener: odeon_core::ActorRef<Told>,
}

struct Count(Reply<u64>);
impl Message for Count {}

struct Told(u64);
impl Message for Told {}

struct Listener(Sender<u64>);

impl Actor for Listener {
    type Msg = Told;
    fn handle(&mut self, Told(number): Told, _: &mut Context<'_, Self>) {
        let _ = self.0.send(number);
    }
}

struct Child(odeon_core::ActorRef<Told>);

impl Actor for Child {
    type Msg = Told;
    fn handle(&mut self, Told(number): Told, _: &mut Context<'_, Self>) {
        let _ = self.0.send(Told(1_000 + number));
    }
}

impl SpeculativeActor for Counter {
    type Msg = Count;
    fn handle<'t>(
        &'t self,
        Count(reply): &'t Count,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let count = self.count.get(tx)? + 1;
        self.count.set(tx, count)?;
        let _ = self.listener.send(Told(count));
        if count % 10 == 0 {
            let child = ctx.spawn(Child(self.listener.clone()));
            let _ = child.send(Told(count));
        }
        ctx.reply(reply, count);
        Ok(())
    }
}

fn counter(
    theater: &Theater,
    disk: &SlowDisk,
) -> (odeon_durable::DurableRef<Count>, Receiver<u64>) {
    let (told, hears) = channel();
    let state = Counter { count: TVar::new(0), listener: theater.spawn(Listener(told)) };
    let wide = Processing::concurrent().width(4);
    (theater.spawn_durable(&store(disk.clone()), "counter", state, wide).unwrap(), hears)
}

#[test]
fn s44_sends_and_spawns_wait_for_the_disk_and_keep_their_order() {
    let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
    let (counter, hears) = counter(&theater, &disk);
    let asks: Vec<_> = (0..100).map(|_| counter.ask(Count)).collect();
    let counted: Vec<u64> = asks.into_iter().map(|ask| ask.wait().unwrap()).collect();
    assert!(counted.iter().copied().eq(1..=100));
    let heard: Vec<u64> = (0..110).map(|_| hears.recv().unwrap()).collect();
    let of_counter: Vec<u64> = heard.iter().copied().filter(|number| *number <= 100).collect();
    assert!(of_counter.iter().copied().eq(1..=100), "{of_counter:?}");
    let of_children: Vec<u64> = heard.into_iter().filter(|number| *number > 100).collect();
    assert_eq!(of_children.len(), 10);

    disk.close();
    let ask = counter.ask(Count);
    disk.until_one_waits();
    assert!(hears.recv_timeout(A_MOMENT).is_err(), "it was sent before it was on the disk");
    disk.open_again();
    assert_eq!(hears.recv(), Ok(101));
    assert_eq!(ask.wait(), Ok(101));
}

#[test]
fn s44_effects_that_wait_when_their_actor_stops_happen() {
    let (theater, disk) = (theater(), SlowDisk::new(SimulatedDisk::new(1)));
    let ledger = spawn(&theater, &store(disk.clone()), processings()[1].clone()).unwrap();
    transfer(&ledger, 1, 1, 3).1.unwrap();
    disk.close();
    let ask = ledger.ask(|done| ToLedger::Transfer { client: 1, number: 4, from: 1, to: 2, done });
    disk.until_one_waits();
    let stop = ledger.ask(ToLedger::Stop);
    thread::sleep(A_MOMENT);
    disk.open_again();
    assert_eq!((ask.wait(), stop.wait()), (Ok(4), Ok(())));
}
