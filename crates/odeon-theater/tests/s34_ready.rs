//! S34: the other theater is ready for an actor, and its link ends before the actor has been told
//! to go.

use super::support::{LONG, World, until};
use odeon_core::{Actor, AskError, Context, Message, Reply, Theater};
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, Migrate, MigrateError, Mobile, Network, TheaterId,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

type Net = InMemoryNetwork;

#[derive(Serialize, Deserialize)]
struct Sum(u64);

#[derive(Serialize, Deserialize)]
enum ToSum {
    Add(u64),
    Is(Reply<u64>),
}

impl Message for ToSum {}

impl Actor for Sum {
    type Msg = ToSum;

    fn handle(&mut self, msg: ToSum, _: &mut Context<'_, Self>) {
        match msg {
            ToSum::Add(more) => self.0 += more,
            ToSum::Is(reply) => reply.send(self.0),
        }
    }
}

impl Mobile for Sum {
    const KIND: &'static str = "sum";
}

/// Keeps the only worker of its theater until it is told to go on.
struct Keeps(mpsc::Sender<()>, mpsc::Receiver<()>);

impl Actor for Keeps {
    type Msg = ();

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.0.send(()).unwrap();
        self.1.recv().unwrap();
    }
}

/// What a link that has ended leaves undelivered is told to users' code before it is looked at who
/// was to go by it.
#[test]
fn s34_an_actor_stays_if_the_link_has_ended_and_it_comes_to_ready_before_that_is_seen_to() {
    let net = Net::new(1);
    let (goes_on, until_told) = mpsc::channel();
    let releases = Mutex::new(Some(goes_on));
    let id = [1, 2].map(TheaterId::from_bits);
    let x = Theater::builder().workers(1).on_dead_letter(move |_| {
        if let Some(releases) = releases.lock().unwrap().take() {
            releases.send(()).unwrap();
            // The worker comes to what has been left for the actor.
            thread::sleep(Duration::from_millis(300));
        }
    });
    let (x, y) = (x.build().unwrap(), Theater::new().unwrap());
    let join = |theater: &Theater, id| {
        let config = LinkConfig::new("test", 60_000);
        let network = Network::join(theater, id, config, |id, listener| {
            Ok::<_, Infallible>(Arc::new(net.join(id, listener)))
        });
        network.unwrap()
    };
    let networks = [join(&x, id[0]), join(&y, id[1])];
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
    networks.iter().for_each(Network::register_mobile::<Sum>);
    let (keeps, is_kept) = mpsc::channel();
    let other = y.spawn(Sum(0));
    networks[1].publish("other", &other);
    let other = networks[0].at(id[1]).lookup::<ToSum>("other").wait_timeout(LONG).unwrap().unwrap();
    assert_eq!(other.ask(ToSum::Is).wait_timeout(LONG), Ok(0));

    let sum = networks[0].spawn_mobile(Sum(5));
    let keeper = x.spawn(Keeps(keeps, until_told));
    // What Y says comes when the only worker is kept: it waits for that.
    let late = Duration::from_millis(700);
    net.set(id[1], id[0], Conditions { delay: (late, late), ..Conditions::GOOD });
    let moved = sum.migrate(id[1]);
    until("it is written", || networks[0].overview().mobile.iter().any(|actor| actor.leaves));
    // It has come to Y by then; and what goes there from now on is undelivered.
    thread::sleep(Duration::from_millis(100));
    net.set(id[0], id[1], Conditions { cut: true, ..Conditions::GOOD });
    other.send(ToSum::Add(1)).unwrap();
    until("it is under way", || net.counts(id[0], id[1]).cut > 0);
    keeper.send(()).unwrap();
    is_kept.recv().unwrap();
    thread::sleep(late);
    assert!(networks[0].overview().mobile[0].leaves);
    net.crash(id[1]);
    assert_eq!(moved.wait_timeout(LONG), Ok(Err(MigrateError::Unreachable)));
    sum.send(ToSum::Add(2)).unwrap();
    assert_eq!(sum.ask(ToSum::Is).wait_timeout(LONG), Ok(7));
    ends.store(true, SeqCst);
    driver.join().unwrap();
}

#[test]
fn s34_an_actor_stays_whose_network_is_dropped_while_it_leaves() {
    let world = World::new(2);
    let (x, y) = (world.theater(1), world.theater(2));
    [&x, &y].iter().for_each(|place| place.network.register_mobile::<Sum>());
    until("they have met", || !x.network.members().is_empty() && !y.network.members().is_empty());
    let sum = x.network.spawn_mobile(Sum(5));
    world.net.cut(x.network.id(), y.network.id());
    let moved = sum.migrate(y.network.id());
    until("it is written", || x.network.overview().mobile.iter().any(|actor| actor.leaves));
    sum.send(ToSum::Add(2)).unwrap();
    drop(x.network);
    assert_eq!(sum.ask(ToSum::Is).wait_timeout(LONG), Ok(7));
    let moved = moved.wait_timeout(LONG);
    let is_told = matches!(moved, Ok(Err(MigrateError::Unreachable)) | Err(AskError::NoReply));
    assert!(is_told, "{moved:?}");
}
