//! A network in memory, as bad as a test wants it, and the same again from the same seed.
//!
//! | question | file |
//! |---|---|
//! | what can be wrong with a direction? | `in_memory/conditions.rs` |
//! | what has happened to its packets? | `in_memory/counts.rs` |
//! | when does a packet arrive, if it does? | `in_memory/direction.rs` |

mod conditions;
mod counts;
mod direction;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::Random;
use odeon_sync::{Mutex, MutexGuard};

pub use conditions::Conditions;
pub use counts::Counts;

use crate::{Listener, TheaterId, Transport};
use direction::Direction;

/// How many bytes a packet has at most, unless the test says otherwise.
// TUNE: 65,000, as what fits into a batch of usual networks' engines.
const LARGEST_PACKET: usize = 65_000;

/// A network of any number of theaters, in virtual time: packets are copied, and then delayed,
/// lost, doubled, overtaken, held up or cut off as the [`Conditions`] of their direction say, which
/// may change at any time.
///
/// It has no threads. Who drives it calls [`step`](Self::step), within which listeners are called.
/// With the same seed and the same calls, the same happens. Clones are the same network.
///
/// ```
/// use odeon_theater::{Conditions, InMemoryNetwork, Listener, TheaterId, Transport};
/// use std::sync::{Arc, Mutex};
/// use std::time::Duration;
///
/// #[derive(Default)]
/// struct Inbox(Mutex<Vec<Vec<u8>>>);
/// impl Listener for Inbox {
///     fn packet(&self, _from: TheaterId, packet: &[u8]) {
///         self.0.lock().unwrap().push(packet.to_vec());
///     }
///     fn appeared(&self, _: TheaterId) {}
///     fn vanished(&self, _: TheaterId) {}
/// }
///
/// let network = InMemoryNetwork::new(1);
/// let (a, b) = (TheaterId::from_bits(1), TheaterId::from_bits(2));
/// let at_b = Arc::new(Inbox::default());
/// let from_a = network.join(a, Arc::new(Inbox::default()));
/// network.join(b, at_b.clone());
///
/// network.set(a, b, Conditions { delay: (Duration::from_millis(3), Duration::from_millis(3)), ..Conditions::GOOD });
/// from_a.send(b, b"late".to_vec());
/// network.step(Duration::from_millis(2));
/// assert!(at_b.0.lock().unwrap().is_empty());
/// network.step(Duration::from_millis(3));
/// assert_eq!(*at_b.0.lock().unwrap(), [b"late"]);
///
/// network.cut(a, b);
/// from_a.send(b, b"never".to_vec());
/// assert_eq!(network.counts(a, b).cut, 1);
/// ```
#[derive(Clone)]
pub struct InMemoryNetwork {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<NetState>,
    largest_packet: usize,
}

struct NetState {
    now: Duration,
    random: Random,
    theaters: BTreeMap<TheaterId, Arc<dyn Listener>>,
    everywhere: Conditions,
    directions: BTreeMap<(TheaterId, TheaterId), Direction>,
    /// What is under way, by the time of its arrival and the order of its sending.
    under_way: BTreeMap<(Duration, u64), Happening>,
    order: u64,
}

enum Happening {
    Packet { from: TheaterId, to: TheaterId, packet: Vec<u8> },
    Appeared { whom: TheaterId, to: TheaterId },
    Vanished { whom: TheaterId, to: TheaterId },
}

impl InMemoryNetwork {
    /// A good network without theaters, at the time 0. All that is left to chance comes from
    /// `seed`.
    pub fn new(seed: u64) -> Self {
        Self::with_largest_packet(seed, LARGEST_PACKET)
    }

    /// As [`new`](Self::new), for packets of another length.
    pub fn with_largest_packet(seed: u64, largest_packet: usize) -> Self {
        let state = NetState {
            now: Duration::ZERO,
            random: Random::from_seed(seed),
            theaters: BTreeMap::new(),
            everywhere: Conditions::GOOD,
            directions: BTreeMap::new(),
            under_way: BTreeMap::new(),
            order: 0,
        };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), largest_packet }) }
    }

    /// Brings a theater in: those that are in are told of it, and it of them.
    ///
    /// # Panics
    /// If it is in already.
    #[track_caller]
    pub fn join(&self, theater: TheaterId, listener: Arc<dyn Listener>) -> InMemoryTransport {
        let mut state = self.lock();
        let others: Vec<TheaterId> = state.theaters.keys().copied().collect();
        if others.contains(&theater) {
            // Others go on with it.
            drop(state);
            panic!("{theater:?} is in the network already");
        }
        state.theaters.insert(theater, listener);
        for other in others {
            let now = state.now;
            state.happen(now, Happening::Appeared { whom: theater, to: other });
            state.happen(now, Happening::Appeared { whom: other, to: theater });
        }
        drop(state);
        InMemoryTransport { network: self.clone(), theater }
    }

    /// Takes a theater out; the others are told. What it has sent still arrives.
    pub fn remove(&self, theater: TheaterId) {
        let mut state = self.lock();
        let removed = state.theaters.remove(&theater);
        let others: Vec<TheaterId> = state.theaters.keys().copied().collect();
        for to in others {
            let now = state.now;
            state.happen(now, Happening::Vanished { whom: theater, to });
        }
        // Listeners are called, and dropped, without the lock.
        drop(state);
        drop(removed);
    }

    /// Takes a theater out as a pulled plug does: nobody is told.
    pub fn crash(&self, theater: TheaterId) {
        let removed = self.lock().theaters.remove(&theater);
        drop(removed);
    }

    /// How packets fare from now on that are sent by `from` to `to`.
    pub fn set(&self, from: TheaterId, to: TheaterId, conditions: Conditions) {
        self.lock().direction(from, to).conditions = conditions;
    }

    /// How packets fare from now on between all theaters.
    pub fn set_everywhere(&self, conditions: Conditions) {
        let mut state = self.lock();
        state.everywhere = conditions;
        state.directions.values_mut().for_each(|direction| direction.conditions = conditions);
    }

    /// Cuts the two off from each other; what is under way between them is lost.
    pub fn cut(&self, a: TheaterId, b: TheaterId) {
        self.set_cut(a, b, true);
    }

    /// Undoes a [`cut`](Self::cut).
    pub fn heal(&self, a: TheaterId, b: TheaterId) {
        self.set_cut(a, b, false);
    }

    fn set_cut(&self, a: TheaterId, b: TheaterId, cut: bool) {
        let mut state = self.lock();
        for (from, to) in [(a, b), (b, a)] {
            state.direction(from, to).conditions.cut = cut;
        }
    }

    /// Lets time pass until `now`, and calls listeners for all that happens. Returns how many calls
    /// that were.
    pub fn step(&self, now: Duration) -> usize {
        let mut calls = 0;
        while let Some((listener, happening)) = self.next_due(now, &mut calls) {
            // No lock is held: listeners may send.
            match happening {
                Happening::Packet { from, packet, .. } => listener.packet(from, &packet),
                Happening::Appeared { whom, .. } => listener.appeared(whom),
                Happening::Vanished { whom, .. } => listener.vanished(whom),
            }
        }
        let mut state = self.lock();
        state.now = state.now.max(now);
        calls
    }

    fn next_due(&self, now: Duration, calls: &mut usize) -> Option<(Arc<dyn Listener>, Happening)> {
        let mut state = self.lock();
        loop {
            let entry = state.under_way.first_entry()?;
            let at = entry.key().0;
            if at > now {
                return None;
            }
            let happening = entry.remove();
            state.now = state.now.max(at);
            if let Some(listener) = state.arrive(&happening) {
                *calls += 1;
                return Some((listener, happening));
            }
        }
    }

    /// When something happens next, if anything is under way.
    pub fn next_event(&self) -> Option<Duration> {
        self.lock().under_way.first_key_value().map(|(&(at, _), _)| at)
    }

    /// What has happened to the packets from `from` to `to`.
    pub fn counts(&self, from: TheaterId, to: TheaterId) -> Counts {
        self.lock()
            .directions
            .get(&(from, to))
            .map(|direction| direction.counts)
            .unwrap_or_default()
    }

    /// What has happened to all packets.
    pub fn all_counts(&self) -> Counts {
        self.lock().directions.values().map(|direction| direction.counts).sum()
    }

    fn send(&self, from: TheaterId, to: TheaterId, packet: Vec<u8>) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let now = state.now;
        if !state.theaters.contains_key(&from) {
            return;
        }
        let everywhere = state.everywhere;
        let direction =
            state.directions.entry((from, to)).or_insert_with(|| Direction::new(everywhere));
        let too_large = packet.len() > self.shared.largest_packet;
        let times = direction.send(packet.len(), too_large, now, &mut state.random);
        for at in times.into_iter().flatten() {
            state.happen(at, Happening::Packet { from, to, packet: packet.clone() });
        }
    }

    fn lock(&self) -> MutexGuard<'_, NetState> {
        self.shared.state.lock().expect("nothing panics while it is held")
    }
}

impl NetState {
    fn direction(&mut self, from: TheaterId, to: TheaterId) -> &mut Direction {
        let everywhere = self.everywhere;
        self.directions.entry((from, to)).or_insert_with(|| Direction::new(everywhere))
    }

    fn happen(&mut self, at: Duration, happening: Happening) {
        self.order += 1;
        self.under_way.insert((at, self.order), happening);
    }

    /// Who is to be called.
    fn arrive(&mut self, happening: &Happening) -> Option<Arc<dyn Listener>> {
        let to = match *happening {
            Happening::Packet { from, to, .. } => {
                let there = self.theaters.contains_key(&to);
                if !self.direction(from, to).arrive(there) {
                    return None;
                }
                to
            }
            Happening::Appeared { to, .. } | Happening::Vanished { to, .. } => to,
        };
        self.theaters.get(&to).cloned()
    }
}

impl fmt::Debug for InMemoryNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("InMemoryNetwork")
            .field("now", &state.now)
            .field("theaters", &state.theaters.keys())
            .field("under_way", &state.under_way.len())
            .finish_non_exhaustive()
    }
}

/// What one theater sends with in an [`InMemoryNetwork`].
#[derive(Debug, Clone)]
pub struct InMemoryTransport {
    network: InMemoryNetwork,
    theater: TheaterId,
}

impl Transport for InMemoryTransport {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        self.network.send(self.theater, to, packet);
    }

    fn largest_packet(&self) -> usize {
        self.network.shared.largest_packet
    }
}
