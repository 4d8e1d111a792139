//! Messages to a durable actor at another theater arrive once, by a bad network, and also if that
//! theater ends.

use crate::actors::{PATIENCE, processings, store};
use odeon_core::{ActorRef, Message, Reply, Theater};
use odeon_durable::{
    Delivery, DurableRef, Forgotten, Incoming, Outgoing, OutgoingEvent, ReminderDue, RequestId,
    SpawnDurable,
};
use odeon_macros::Durable;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TQueue, Tx};
use odeon_testkit::disk::SimulatedDisk;
use odeon_theater::{Conditions, InMemoryNetwork, LinkConfig, Network, TheaterId};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// All that an actor with such fields is sent can be written.
#[derive(Serialize, Deserialize)]
enum ToShop {
    Connect(ActorRef<ToShop>),
    Send(u64),
    Arrived(Delivery<String>),
    Heard(OutgoingEvent<String>),
    /// What has arrived, and how much is not confirmed.
    Look(Reply<(Vec<String>, usize)>),
    Others(RequestId, ReminderDue<u32>, Reply<Result<u64, Forgotten>>),
}

impl Message for ToShop {}

impl From<Delivery<String>> for ToShop {
    fn from(delivery: Delivery<String>) -> Self {
        Self::Arrived(delivery)
    }
}

impl From<OutgoingEvent<String>> for ToShop {
    fn from(event: OutgoingEvent<String>) -> Self {
        Self::Heard(event)
    }
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Shop {
    #[durable(1)]
    outgoing: Outgoing<String>,
    #[durable(2)]
    incoming: Incoming,
    #[durable(3)]
    arrived: TQueue<String>,
}

impl SpeculativeActor for Shop {
    type Msg = ToShop;

    fn handle<'t>(
        &'t self,
        message: &'t ToShop,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToShop::Connect(other) => self.outgoing.connect(tx, ctx, other)?,
            ToShop::Send(number) => self.outgoing.send(tx, ctx, 1, format!("{number}"))?,
            ToShop::Heard(event) => self.outgoing.hear(tx, ctx, event)?,
            ToShop::Arrived(delivery) => {
                if let Some(text) = self.incoming.receive(tx, ctx, delivery)? {
                    self.arrived.push(tx, text.clone())?;
                }
            }
            ToShop::Look(reply) => {
                let arrived = self.arrived.fold(tx, Vec::new(), |mut arrived, text| {
                    arrived.push(text.clone());
                    arrived
                })?;
                let unconfirmed = self.outgoing.unconfirmed(tx)?;
                ctx.reply(reply, (arrived, unconfirmed));
            }
            ToShop::Others(..) => {}
        }
        Ok(())
    }
}

/// A network, and the thread that drives it.
struct Driven {
    net: InMemoryNetwork,
    ends: Arc<AtomicBool>,
    driver: Option<JoinHandle<()>>,
}

impl Driven {
    fn new() -> Self {
        let (net, ends) = (InMemoryNetwork::new(1), Arc::new(AtomicBool::new(false)));
        let driver = thread::spawn({
            let (net, ends, begun) = (net.clone(), ends.clone(), Instant::now());
            move || {
                while !ends.load(SeqCst) {
                    net.step(begun.elapsed());
                    thread::sleep(Duration::from_micros(100));
                }
            }
        });
        Self { net, ends, driver: Some(driver) }
    }

    fn theater(&self, number: u128) -> (Theater, Network) {
        let theater = Theater::builder().workers(2).build().unwrap();
        let config = LinkConfig::new("shops", 60_000);
        let joined =
            Network::join(&theater, TheaterId::from_bits(number), config, |id, listener| {
                Ok::<_, Infallible>(Arc::new(self.net.join(id, listener)))
            });
        (theater, joined.unwrap())
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.ends.store(true, SeqCst);
        self.driver.take().unwrap().join().unwrap();
    }
}

fn shop(theater: &Theater, disk: &SimulatedDisk) -> DurableRef<ToShop> {
    let state = Shop {
        outgoing: Outgoing::new().resend_after(Duration::from_millis(10)),
        incoming: Incoming::new(),
        arrived: TQueue::new(),
    };
    let store = store(disk.clone());
    theater.spawn_durable(&store, "shop", state, processings()[1].clone()).unwrap()
}

/// Waits until a shop has so much.
fn until(shop: &DurableRef<ToShop>, has: impl Fn(&[String], usize) -> bool) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let (arrived, unconfirmed) = shop.ask(ToShop::Look).wait().unwrap();
        if has(&arrived, unconfirmed) {
            return arrived;
        }
        assert!(begun.elapsed() < PATIENCE, "{unconfirmed} are unconfirmed: {arrived:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s47_messages_to_another_theater_arrive_once_and_in_order() {
    let (world, here_disk, there_disk) =
        (Driven::new(), SimulatedDisk::new(1), SimulatedDisk::new(2));
    world.net.set_everywhere(Conditions {
        delay: (Duration::ZERO, Duration::from_millis(2)),
        loss: 0.1,
        duplication: 0.1,
        ..Conditions::GOOD
    });
    let (here, network) = world.theater(1);
    let sender = shop(&here, &here_disk);
    for life in 0..3 {
        let (there, network_there) = world.theater(2 + u128::from(life));
        let receiver = shop(&there, &there_disk);
        network_there.publish("shop", &receiver.actor_ref());
        let found = network.at(network_there.id()).lookup::<ToShop>("shop");
        let found = found.wait_timeout(PATIENCE).unwrap().unwrap();
        sender.send(ToShop::Connect(found)).unwrap();
        for number in 40 * life..40 * (life + 1) {
            sender.send(ToShop::Send(number)).unwrap();
        }
        if life < 2 {
            // Something is under way when it ends.
            until(&receiver, |arrived, _| arrived.len() > 40 * life as usize);
        } else {
            until(&sender, |_, unconfirmed| unconfirmed == 0);
            let expected: Vec<_> = (0..120).map(|number| format!("{number}")).collect();
            assert_eq!(until(&receiver, |_, _| true), expected);
        }
        let _ = there.shutdown(PATIENCE);
    }
}
