//! Theaters with threads of their own, in one network that a thread drives in real time.
//!
//! Which network, the root of the test says: its `Net` is [`odeon_theater::InMemoryNetwork`], or
//! what can be used as that can. So the same tests run by other transports: see
//! `crates/odeon-zenoh/tests/theaters_by_zenoh.rs`.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use super::Net;
use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Message, Reply, Theater};
use odeon_theater::{LinkConfig, Network, TheaterId};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a slow machine.
pub const LONG: Duration = Duration::from_secs(60);

/// What each of the networks takes.
pub const LARGEST_PACKET: usize = 60_000;

/// The network, and who drives it.
pub struct World {
    pub net: Net,
    ends: Arc<AtomicBool>,
    driver: Option<JoinHandle<()>>,
    config: LinkConfig,
}

/// One theater of it.
pub struct Place {
    pub theater: Theater,
    pub network: Network,
    pub lost: Arc<Mutex<Vec<DeadLetterReason>>>,
}

impl World {
    pub fn new(seed: u64) -> Self {
        Self::with(seed, LinkConfig::new("test", LARGEST_PACKET))
    }

    pub fn with(seed: u64, config: LinkConfig) -> Self {
        let net = Net::new(seed);
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
        Self { net, ends, driver: Some(driver), config }
    }

    pub fn theater(&self, number: u128) -> Place {
        self.theater_with(number, self.config.clone())
    }

    /// One with other settings of its links.
    pub fn theater_with(&self, number: u128, config: LinkConfig) -> Place {
        let lost = Arc::new(Mutex::new(Vec::new()));
        let notes = lost.clone();
        let theater = Theater::builder()
            .workers(2)
            .on_dead_letter(move |letter| notes.lock().unwrap().push(letter.reason))
            .build()
            .unwrap();
        let id = TheaterId::from_bits(number);
        let joined = Network::join(&theater, id, config, |id, listener| {
            Ok::<_, Infallible>(Arc::new(self.net.join(id, listener)))
        });
        Place { theater, network: joined.unwrap(), lost }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.ends.store(true, SeqCst);
        self.driver.take().unwrap().join().unwrap();
    }
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

/// Counts, and tells what it has been sent.
#[derive(Default)]
pub struct Counter {
    pub numbers: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
pub enum Count {
    Add(u64),
    All(Reply<Vec<u64>>),
    /// Never answered.
    Forget(Reply<u64>),
    Myself(Reply<ActorRef<Count>>),
    /// Asks whether this is the same actor.
    Are(ActorRef<Count>, ActorRef<Count>, Reply<bool>),
    /// Sends a number to somebody else.
    Send(ActorRef<Count>, u64),
    Bytes(Vec<u8>),
    /// Asks the other one, and hands on the right to answer.
    HandOn(ActorRef<Count>, Reply<Vec<u64>>),
    /// Hands the right to answer on, or fails with it in its hand and this text.
    FailOver(Option<ActorRef<Count>>, String, Reply<u64>),
    Fail,
    Sleep(u64),
}

impl Message for Count {}

impl Actor for Counter {
    type Msg = Count;

    fn handle(&mut self, msg: Count, ctx: &mut Context<'_, Self>) {
        match msg {
            Count::Add(n) => self.numbers.push(n),
            Count::All(reply) => reply.send(self.numbers.clone()),
            Count::Forget(reply) => drop(reply),
            Count::Myself(reply) => reply.send(ctx.actor_ref()),
            Count::Are(one, other, reply) => reply.send(one == other),
            Count::Send(to, n) => to.send(Count::Add(n)).unwrap(),
            Count::Bytes(bytes) => self.numbers.push(bytes.len() as u64),
            Count::HandOn(to, reply) => to.send(Count::All(reply)).unwrap(),
            Count::FailOver(Some(to), why, reply) => {
                to.send(Count::FailOver(None, why, reply)).unwrap();
            }
            Count::FailOver(None, why, _reply) => std::panic::resume_unwind(Box::new(why)),
            Count::Fail => panic!("told to"),
            Count::Sleep(ms) => thread::sleep(Duration::from_millis(ms)),
        }
    }
}

/// A reference to what `there` publishes under a name.
#[track_caller]
pub fn find(here: &Place, there: &Place, name: &str) -> ActorRef<Count> {
    let found = here.network.at(there.network.id()).lookup::<Count>(name);
    found.wait_timeout(LONG).unwrap().unwrap()
}

/// What the counter has been sent.
#[track_caller]
pub fn numbers(counter: &ActorRef<Count>) -> Vec<u64> {
    counter.ask(Count::All).wait_timeout(LONG).unwrap()
}
