//! Theaters with threads, and a speculative actor that moves between them.
#![allow(unreachable_pub, dead_code, reason = "a module of several tests")]

use odeon_coordination::{Coordination, MobileSpeculative};
use odeon_core::{ActorRef, Message, Reply, Theater};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_theater::{
    InMemoryNetwork, LinkConfig, Migrate, MigrateError, Migrated, Network, TheaterId,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a slow machine.
pub const LONG: Duration = Duration::from_secs(120);

#[derive(Serialize, Deserialize)]
pub enum Use {
    /// Adds to the balance.
    Add(i64),
    Balance(Reply<i64>),
    /// The so manieth message of a sender.
    Number(u64, u64),
    /// All of them, as they have come.
    Numbers(Reply<Vec<(u64, u64)>>),
    /// Waits until there is so much, and takes it.
    Take(i64, Reply<()>),
    /// Adds, and takes so many milliseconds for it.
    Slow(u64, i64),
    /// Answers whether another one of these is handled at the same time, of which it waits for so
    /// many milliseconds.
    Meet(u64, Reply<bool>),
    /// Only while the till is open; in a mailbox of its own.
    Guarded(Reply<i64>),
    Open,
    /// Has itself move.
    Go(u128),
    /// Adds, and fails.
    Fail(i64),
    /// Adds, and has another one take as much, as part of the transaction.
    Pass(i64, ActorRef<Use>),
    /// Adds, so many milliseconds later.
    Later(u64, i64),
    Stop,
}

impl Message for Use {
    const MAILBOXES: usize = 2;

    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Guarded(_)))
    }

    fn access(&self) -> Access {
        match self {
            Self::Balance(_) => Access::Snapshot,
            _ => Access::Update,
        }
    }
}

#[derive(Default)]
pub struct Till {
    balance: TVar<i64>,
    numbers: TVar<Vec<(u64, u64)>>,
    is_open: TVar<bool>,
}

/// How many `Slow` messages are being handled in this process.
pub static SLOW: AtomicUsize = AtomicUsize::new(0);
/// 1: a `Meet` message waits for another one; 2: that has come.
static MEETING: AtomicUsize = AtomicUsize::new(0);

fn meet(within: Duration) -> bool {
    if MEETING.fetch_add(1, SeqCst) == 1 {
        return true;
    }
    let begun = Instant::now();
    while MEETING.load(SeqCst) == 1 && begun.elapsed() < within {
        thread::yield_now();
    }
    MEETING.swap(0, SeqCst) == 2
}

impl SpeculativeActor for Till {
    type Msg = Use;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(mailbox == 0 || self.is_open.get(tx)?)
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Use::Add(amount) => self.balance.update(tx, |balance| balance + amount)?,
            Use::Balance(reply) | Use::Guarded(reply) => ctx.reply(reply, self.balance.get(tx)?),
            Use::Number(sender, number) => {
                self.numbers.update(tx, |numbers| {
                    let mut numbers = numbers.clone();
                    numbers.push((*sender, *number));
                    numbers
                })?;
            }
            Use::Numbers(reply) => ctx.reply(reply, self.numbers.read(tx)?.clone()),
            Use::Take(amount, reply) => {
                let balance = self.balance.get(tx)?;
                if balance < *amount {
                    tx.retry()?;
                }
                self.balance.set(tx, balance - amount)?;
                ctx.reply(reply, ());
            }
            Use::Slow(millis, amount) => {
                SLOW.fetch_add(1, SeqCst);
                thread::sleep(Duration::from_millis(*millis));
                SLOW.fetch_sub(1, SeqCst);
                self.balance.update(tx, |balance| balance + amount)?;
            }
            Use::Meet(millis, reply) => ctx.reply(reply, meet(Duration::from_millis(*millis))),
            Use::Open => self.is_open.set(tx, true)?,
            Use::Go(to) => drop(ctx.actor_ref().migrate(TheaterId::from_bits(*to))),
            Use::Fail(amount) => {
                self.balance.update(tx, |balance| balance + amount)?;
                return fail("told to");
            }
            Use::Pass(amount, to) => {
                self.balance.update(tx, |balance| balance + amount)?;
                ctx.join(to, Use::Add(-amount));
            }
            Use::Later(millis, amount) => {
                ctx.send_after(Duration::from_millis(*millis), Use::Add(*amount));
            }
            Use::Stop => ctx.stop(),
        }
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
pub struct Written {
    balance: i64,
    numbers: Vec<(u64, u64)>,
    is_open: bool,
}

impl MobileSpeculative for Till {
    const KIND: &'static str = "till";
    type State = Written;

    fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Written> {
        let balance = self.balance.get(tx)?;
        if balance == UNWRITABLE {
            return fail("it is to stay");
        }
        let (numbers, is_open) = (self.numbers.read(tx)?.clone(), self.is_open.get(tx)?);
        Ok(Written { balance, numbers, is_open })
    }

    fn of(state: Written) -> Self {
        let Written { balance, numbers, is_open } = state;
        Self {
            balance: TVar::new(balance),
            numbers: TVar::new(numbers),
            is_open: TVar::new(is_open),
        }
    }
}

/// A till with this balance does not move.
pub const UNWRITABLE: i64 = 666;

/// A network, and who drives it.
pub struct World {
    pub net: InMemoryNetwork,
    ends: Arc<AtomicBool>,
    driver: Option<JoinHandle<()>>,
}

pub struct Place {
    pub theater: Theater,
    pub network: Network,
    pub coordination: Coordination,
}

impl World {
    pub fn new(seed: u64) -> Self {
        let net = InMemoryNetwork::new(seed);
        let ends = Arc::new(AtomicBool::new(false));
        let driver = {
            let (net, ends, begun) = (net.clone(), ends.clone(), Instant::now());
            thread::spawn(move || {
                while !ends.load(SeqCst) {
                    net.step(begun.elapsed());
                    thread::sleep(Duration::from_micros(100));
                }
            })
        };
        Self { net, ends, driver: Some(driver) }
    }

    /// One to which tills may come.
    pub fn place(&self, number: u128) -> Place {
        let place = self.stranger(number);
        place.coordination.register_mobile::<Till>();
        place
    }

    /// One that does not know them.
    pub fn stranger(&self, number: u128) -> Place {
        let theater = Theater::builder().workers(3).build().unwrap();
        let config = LinkConfig::new("tills", 60_000);
        let network = Network::join(&theater, TheaterId::from_bits(number), config, |me, ears| {
            Ok::<_, Infallible>(Arc::new(self.net.join(me, ears)))
        });
        let network = network.unwrap();
        let coordination = Coordination::join(&theater, &network);
        Place { theater, network, coordination }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.ends.store(true, SeqCst);
        self.driver.take().unwrap().join().unwrap();
    }
}

impl Place {
    pub fn till(&self, processing: Processing) -> ActorRef<Use> {
        let till = self.coordination.spawn_mobile(Till::default(), processing);
        self.network.publish("till", &till);
        till
    }

    #[track_caller]
    pub fn find(&self, there: &Self) -> ActorRef<Use> {
        let found = self.network.at(there.network.id()).lookup("till");
        found.wait_timeout(LONG).unwrap().unwrap()
    }
}

#[track_caller]
pub fn migrate(till: &ActorRef<Use>, to: &Place) -> Result<Migrated, MigrateError> {
    till.migrate(to.network.id()).wait_timeout(LONG).unwrap()
}

#[track_caller]
pub fn balance(till: &ActorRef<Use>) -> i64 {
    till.ask(Use::Balance).wait_timeout(LONG).unwrap()
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}
