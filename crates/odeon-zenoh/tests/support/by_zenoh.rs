//! A network of theaters by Zenoh, for the tests of `odeon-theater` that have one in memory: as bad
//! as these want it.

use super::endpoint;
use odeon_theater::{
    Conditions, InMemoryNetwork, InMemoryTransport, Listener, TheaterId, Transport,
};
use odeon_zenoh::{LARGEST_PACKET, ZenohSettings, ZenohTransport};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Packets go straight to Zenoh. From the first time on that something is to be wrong they go
/// through a network in memory first, where they are delayed, lost, doubled and cut off. Clones are
/// the same network.
#[derive(Clone)]
pub struct Net {
    bad: InMemoryNetwork,
    shared: Arc<Shared>,
}

struct Shared {
    /// Of no other network on this machine.
    cluster: String,
    is_bad: AtomicBool,
    joined: Mutex<Joined>,
}

#[derive(Default)]
struct Joined {
    transports: BTreeMap<TheaterId, Arc<ZenohTransport>>,
    endpoints: Vec<String>,
}

static NETWORKS: AtomicU64 = AtomicU64::new(0);

impl Net {
    pub fn new(seed: u64) -> Self {
        let number = NETWORKS.fetch_add(1, SeqCst);
        let shared = Shared {
            cluster: format!("{}-{number}", std::process::id()),
            is_bad: AtomicBool::new(false),
            joined: Mutex::default(),
        };
        Self { bad: InMemoryNetwork::new(seed), shared: Arc::new(shared) }
    }

    pub fn join(&self, theater: TheaterId, listener: Arc<dyn Listener>) -> ByZenoh {
        let mut joined = self.shared.joined.lock().unwrap();
        let connect = joined.endpoints.clone();
        let (endpoint, zenoh) = endpoint::listening(|endpoint| {
            let settings = ZenohSettings {
                listen: vec![endpoint.into()],
                connect: connect.clone(),
                // Whoever gets no time for a while keeps its connections: those that are to end are
                // closed.
                lease: Some(Duration::from_secs(20)),
                ..Default::default()
            };
            ZenohTransport::open(&settings, &self.shared.cluster, theater, listener.clone())
        });
        joined.endpoints.push(endpoint);
        joined.transports.insert(theater, zenoh.clone());
        let survives = Survives { to: theater, shared: self.shared.clone() };
        let bad = self.bad.join(theater, Arc::new(survives));
        ByZenoh { zenoh, bad, shared: self.shared.clone() }
    }

    pub fn step(&self, now: Duration) {
        self.bad.step(now);
    }

    pub fn set_everywhere(&self, conditions: Conditions) {
        self.shared.is_bad.store(true, SeqCst);
        self.bad.set_everywhere(conditions);
    }

    pub fn cut(&self, a: TheaterId, b: TheaterId) {
        self.shared.is_bad.store(true, SeqCst);
        self.bad.cut(a, b);
    }

    pub fn heal(&self, a: TheaterId, b: TheaterId) {
        self.bad.heal(a, b);
    }

    /// Nothing comes from this theater or to it any more.
    pub fn crash(&self, theater: TheaterId) {
        self.bad.crash(theater);
        let zenoh = self.shared.joined.lock().unwrap().transports.remove(&theater);
        zenoh.expect("it has joined").close();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let joined = self.joined.get_mut().unwrap();
        joined.transports.values().for_each(|zenoh| zenoh.close());
    }
}

/// What has come through the network in memory goes on by Zenoh.
struct Survives {
    to: TheaterId,
    shared: Arc<Shared>,
}

impl Listener for Survives {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        let sender = self.shared.joined.lock().unwrap().transports.get(&from).cloned();
        if let Some(zenoh) = sender {
            zenoh.send(self.to, packet.to_vec());
        }
    }

    // Who is there, Zenoh tells.
    fn appeared(&self, _: TheaterId) {}
    fn vanished(&self, _: TheaterId) {}
}

/// What one theater sends with.
pub struct ByZenoh {
    zenoh: Arc<ZenohTransport>,
    bad: InMemoryTransport,
    shared: Arc<Shared>,
}

impl Transport for ByZenoh {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        if self.shared.is_bad.load(SeqCst) {
            self.bad.send(to, packet);
        } else {
            self.zenoh.send(to, packet);
        }
    }

    fn largest_packet(&self) -> usize {
        LARGEST_PACKET
    }
}
