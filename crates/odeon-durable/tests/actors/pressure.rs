//! Durable actors that have much to tell actors which do not take it as fast.

use super::ledger::store;
use super::slow_disk::SlowDisk;
use odeon_core::{
    Actor, ActorRef, AskError, AsyncActor, AsyncContext, Context, Message, Reply, Theater,
};
use odeon_durable::SpawnDurable;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::disk::SimulatedDisk;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const A_MOMENT: Duration = Duration::from_millis(30);
const PATIENCE: Duration = Duration::from_secs(30);

/// Takes what it is told, and waits for an answer of who tells it.
struct Asker {
    told: Arc<AtomicU64>,
    hears: Sender<Result<u64, AskError>>,
}

enum ToAsker {
    Ask(ActorRef<ToTalker>),
    Told,
}

impl Message for ToAsker {}

enum ToTalker {
    Tell(ActorRef<ToAsker>, u64),
    Ask(Reply<u64>),
    Stop,
}

impl Message for ToTalker {}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Talker {
    #[durable(1)]
    count: TVar<u64>,
}

impl SpeculativeActor for Talker {
    type Msg = ToTalker;

    fn handle<'t>(
        &'t self,
        message: &'t ToTalker,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let count = self.count.get(tx)? + 1;
        self.count.set(tx, count)?;
        match message {
            ToTalker::Tell(to, messages) => {
                for _ in 0..*messages {
                    let _ = to.send(ToAsker::Told);
                }
            }
            ToTalker::Ask(reply) => ctx.reply(reply, count),
            ToTalker::Stop => ctx.stop(),
        }
        Ok(())
    }
}

impl AsyncActor for Asker {
    type Msg = ToAsker;

    async fn handle(&mut self, message: ToAsker, _: &mut AsyncContext<'_, Self>) {
        match message {
            ToAsker::Ask(talker) => {
                let answer = talker.ask(ToTalker::Ask).await;
                let _ = self.hears.send(answer);
            }
            ToAsker::Told => _ = self.told.fetch_add(1, SeqCst),
        }
    }
}

/// So many messages that their receiver is under pressure.
const MANY: u64 = 5_000;

/// Who is told much waits for an answer of the same actor, which stands behind that.
#[test]
fn a_circle_of_a_durable_actor_and_a_receiver_under_pressure_goes_on() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let disk = SlowDisk::new(SimulatedDisk::new(1));
    let (hears, heard) = channel();
    let asker = theater.spawn(Asker { told: Arc::default(), hears });
    let talker = Talker { count: TVar::new(0) };
    let store = store(disk.clone());
    let talker = theater.spawn_durable(&store, "talker", talker, Processing::sequential()).unwrap();
    disk.close();
    talker.send(ToTalker::Tell(asker.clone(), MANY)).unwrap();
    disk.until_one_waits();
    asker.send(ToAsker::Ask(talker.actor_ref())).unwrap();
    std::thread::sleep(A_MOMENT);
    disk.open_again();
    assert_eq!(heard.recv_timeout(PATIENCE), Ok(Ok(2)));
}

/// Is told, and does nothing more until it is let go.
struct Busy(Receiver<()>);

impl Actor for Busy {
    type Msg = ToAsker;

    fn handle(&mut self, _: ToAsker, _: &mut Context<'_, Self>) {
        let _ = self.0.recv();
    }
}

/// What is behind the effects that have put a receiver under pressure waits for its relief.
#[test]
fn a_receiver_under_pressure_holds_back_what_a_durable_actor_sends() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (lets_go, waits) = channel();
    let busy = theater.spawn(Busy(waits));
    let talker = Talker { count: TVar::new(0) };
    let store = store(SimulatedDisk::new(1));
    let talker = theater.spawn_durable(&store, "talker", talker, Processing::sequential()).unwrap();
    for _ in 0..100 {
        talker.send(ToTalker::Tell(busy.clone(), MANY / 100)).unwrap();
    }
    let answer = talker.ask(ToTalker::Ask);
    let (hears, heard) = channel();
    std::thread::spawn(move || hears.send(answer.wait()));
    let begun = Instant::now();
    while talker.durable_commits() < 102 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::yield_now();
    }
    assert_eq!(heard.recv_timeout(A_MOMENT), Err(RecvTimeoutError::Timeout));
    drop(lets_go);
    assert_eq!(heard.recv_timeout(PATIENCE), Ok(Ok(101)));
}

#[test]
fn an_actor_ends_while_much_of_it_is_held_back() {
    for workers in [1, 2] {
        let theater = Theater::builder().workers(workers).build().unwrap();
        let disk = SlowDisk::new(SimulatedDisk::new(1));
        let (told, hears) = (Arc::new(AtomicU64::new(0)), channel().0);
        let asker = theater.spawn(Asker { told: told.clone(), hears });
        let talker = Talker { count: TVar::new(0) };
        let store = store(disk.clone());
        let talker =
            theater.spawn_durable(&store, "talker", talker, Processing::sequential()).unwrap();
        disk.close();
        talker.send(ToTalker::Tell(asker, MANY)).unwrap();
        talker.send(ToTalker::Stop).unwrap();
        disk.until_one_waits();
        std::thread::sleep(A_MOMENT);
        disk.open_again();
        let begin = Instant::now();
        while told.load(SeqCst) < MANY {
            assert!(begin.elapsed() < PATIENCE, "{} of {MANY} were heard", told.load(SeqCst));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
