//! S31 and S32 by Zenoh, on the loopback interface.

use odeon_core::{Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_theater::{LinkConfig, Network, TheaterId, Transport};
use odeon_zenoh::{ZenohSettings, ZenohTransport};
use serde::{Deserialize, Serialize};
use std::net::TcpListener;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

/// A port that nobody uses at this moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

struct Place {
    theater: Theater,
    network: Network,
    transport: Arc<ZenohTransport>,
}

fn place(number: u128, cluster: &str, settings: &ZenohSettings) -> Place {
    let theater = Theater::builder().workers(2).build().unwrap();
    let config = LinkConfig::new(cluster, 60_000);
    let made = OnceLock::new();
    let network = Network::join(&theater, TheaterId::from_bits(number), config, |id, listener| {
        let transport = ZenohTransport::open(settings, cluster, id, listener)?;
        assert!(transport.largest_packet() >= 60_000);
        let _ = made.set(transport.clone());
        Ok::<_, odeon_zenoh::ZenohError>(transport as Arc<dyn Transport>)
    });
    Place { theater, network: network.unwrap(), transport: made.into_inner().unwrap() }
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

struct Sum(u64);

#[derive(Serialize, Deserialize)]
enum Add {
    One(u64),
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    Total(Reply<u64>),
}

impl Message for Add {}

impl Actor for Sum {
    type Msg = Add;

    fn handle(&mut self, msg: Add, _: &mut Context<'_, Self>) {
        match msg {
            // Not the sum, so that the order counts.
            Add::One(n) => self.0 = self.0.wrapping_mul(31).wrapping_add(n),
            Add::Bytes(bytes) => {
                let odd = bytes.iter().filter(|&&byte| byte % 2 == 1).count();
                self.0 = (bytes.len() * odd) as u64;
            }
            Add::Total(reply) => reply.send(self.0),
        }
    }
}

#[test]
fn s31_messages_come_by_zenoh_once_and_in_order() {
    let endpoint = format!("tcp/127.0.0.1:{}", free_port());
    let a =
        place(1, "one", &ZenohSettings { listen: vec![endpoint.clone()], ..Default::default() });
    let b =
        place(2, "one", &ZenohSettings { connect: vec![endpoint.clone()], ..Default::default() });
    let stranger =
        place(3, "other", &ZenohSettings { connect: vec![endpoint], ..Default::default() });
    b.network.publish("sum", &b.theater.spawn(Sum(0)));
    until("they meet", || a.network.members().len() == 1 && b.network.members().len() == 1);
    let sum: ActorRef<Add> =
        a.network.at(b.network.id()).lookup("sum").wait_timeout(LONG).unwrap().unwrap();
    let mut expected = 0_u64;
    for n in 0..100_000 {
        sum.send(Add::One(n)).unwrap();
        expected = expected.wrapping_mul(31).wrapping_add(n);
    }
    assert_eq!(sum.ask(Add::Total).wait_timeout(LONG), Ok(expected));
    assert_eq!(stranger.network.members(), [], "a theater of another cluster is not seen");
    b.transport.close();
    until("the end is noticed", || a.network.members().is_empty());
    // References end behind that.
    until("its references have ended", || sum.is_stopped());
}

#[test]
fn s32_a_message_of_100_mb_lets_those_for_others_pass() {
    const LENGTH: usize = 100_000_000;
    let endpoint = format!("tcp/127.0.0.1:{}", free_port());
    let a =
        place(1, "large", &ZenohSettings { listen: vec![endpoint.clone()], ..Default::default() });
    let b = place(2, "large", &ZenohSettings { connect: vec![endpoint], ..Default::default() });
    for name in ["large", "small"] {
        b.network.publish(name, &b.theater.spawn(Sum(1)));
    }
    until("they meet", || a.network.members().len() == 1);
    let find = |name| -> ActorRef<Add> {
        a.network.at(b.network.id()).lookup(name).wait_timeout(LONG).unwrap().unwrap()
    };
    let (large, small) = (find("large"), find("small"));
    large.send(Add::Bytes((0..LENGTH).map(|n| n as u8).collect())).unwrap();
    let has_come = large.ask(Add::Total);
    let waits = std::thread::spawn(move || has_come.wait_timeout(LONG));
    let mut passed = 0;
    while !waits.is_finished() {
        assert_eq!(small.ask(Add::Total).wait_timeout(LONG), Ok(1));
        passed += 1;
    }
    assert_eq!(waits.join().unwrap(), Ok((LENGTH * LENGTH / 2) as u64));
    // With none that pass it is one, or two.
    assert!(passed >= 5, "{passed} questions were answered meanwhile");
}
