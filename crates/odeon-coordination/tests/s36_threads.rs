//! S36 with theaters whose workers are threads, and several threads that begin transactions.

use crate::bank::{Account, FIRST, Use};
use odeon_coordination::Coordination;
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{Coordinate, Processing, SpawnSpeculative};
use odeon_theater::{Conditions, InMemoryNetwork, LinkConfig, Network, TheaterId};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Drives a network until it is dropped.
struct Driver(Arc<AtomicBool>, Option<thread::JoinHandle<()>>);

impl Driver {
    fn of(net: &InMemoryNetwork) -> Self {
        let (net, ends) = (net.clone(), Arc::new(AtomicBool::new(false)));
        let over = ends.clone();
        let begun = Instant::now();
        let drive = move || {
            while !over.load(Relaxed) {
                net.step(begun.elapsed());
                thread::sleep(Duration::from_micros(100));
            }
        };
        Self(ends, Some(thread::spawn(drive)))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
        self.1.take().unwrap().join().unwrap();
    }
}

#[test]
fn s36_threads_that_begin_transactions_everywhere_see_one_total() {
    const THEATERS: usize = 3;
    const EACH: i64 = 150;
    let net = InMemoryNetwork::new(1);
    let delay = (Duration::ZERO, Duration::from_micros(500));
    net.set_everywhere(Conditions { delay, loss: 0.01, ..Conditions::GOOD });
    let _driver = Driver::of(&net);
    let theaters: Vec<(Theater, Network, Coordination)> = (0..THEATERS)
        .map(|number| {
            let theater = Theater::builder().workers(2).build().unwrap();
            let id = TheaterId::from_bits(number as u128 + 1);
            let config = LinkConfig::new("threads", 65_000);
            let network = Network::join(&theater, id, config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            let network = network.unwrap();
            let coordination = Coordination::join(&theater, &network);
            (theater, network, coordination)
        })
        .collect();
    let own: Vec<ActorRef<Use>> = theaters
        .iter()
        .map(|(theater, network, _)| {
            let processing = Processing::default().width(2);
            let account = theater.spawn_speculative(Account::new(FIRST), processing).actor_ref();
            network.publish("account", &account);
            account
        })
        .collect();
    let known_in = |place: usize| -> Vec<ActorRef<Use>> {
        let network = &theaters[place].1;
        let known = (0..THEATERS).map(|home| {
            if home == place {
                return own[home].clone();
            }
            network.at(theaters[home].1.id()).lookup("account").wait().unwrap().unwrap()
        });
        known.collect()
    };
    thread::scope(|scope| {
        for (place, (theater, ..)) in theaters.iter().enumerate() {
            let accounts = known_in(place);
            scope.spawn(move || {
                for number in 0..EACH {
                    let (from, to) = (number as usize % THEATERS, (number as usize + 1) % THEATERS);
                    let transfer = theater.coordinate(|co| {
                        co.send(&accounts[from], Use::Add { amount: -1, transfer: 0 });
                        co.send(&accounts[to], Use::Add { amount: 1, transfer: 0 });
                    });
                    if number % 5 != 0 {
                        transfer.wait().unwrap();
                        continue;
                    }
                    drop(transfer);
                    let (replies, asks): (Vec<_>, Vec<_>) =
                        accounts.iter().map(|_| odeon_core::extend::question()).unzip();
                    let read = theater.coordinate(|co| {
                        for (account, reply) in accounts.iter().zip(replies) {
                            co.send(account, Use::Look(reply));
                        }
                    });
                    read.wait().unwrap();
                    let seen: i64 = asks.into_iter().map(|ask| ask.wait().unwrap()).sum();
                    assert_eq!(seen, FIRST * THEATERS as i64);
                }
            });
        }
    });
    let left = || theaters.iter().map(|(_, _, it)| it.under_way() + it.records()).sum::<usize>();
    while left() > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}
