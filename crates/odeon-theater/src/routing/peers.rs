//! The theaters that are known here.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use odeon_core::Clock;
use odeon_sync::{Condvar, Mutex, MutexGuard};

use crate::routing::peer::Peer;
use crate::{Epoch, LinkConfig, TheaterId};

/// See the module.
pub(crate) struct Peers {
    /// This theater.
    me: TheaterId,
    config: LinkConfig,
    clock: Arc<dyn Clock>,
    known: Mutex<KnownPeers>,
    /// The last link has ended.
    empty: Condvar,
}

struct KnownPeers {
    alive: BTreeMap<TheaterId, Arc<Peer>>,
    /// Those to which the last link has ended, and when they are forgotten.
    ended: HashMap<TheaterId, (Arc<Peer>, Duration)>,
    /// Those that can be reached, as the transport says.
    reachable: HashSet<TheaterId>,
    /// Of the next link.
    epoch: Epoch,
    /// This theater leaves: it makes no more links.
    leaves: bool,
}

impl Peers {
    pub(crate) fn new(me: TheaterId, config: LinkConfig, clock: Arc<dyn Clock>) -> Self {
        let known = KnownPeers {
            alive: BTreeMap::new(),
            ended: HashMap::new(),
            reachable: HashSet::new(),
            epoch: Epoch::FIRST,
            leaves: false,
        };
        Self { me, config, clock, known: Mutex::new(known), empty: Condvar::new() }
    }

    /// The theater with this identity, if there is a link to it.
    pub(crate) fn get(&self, id: TheaterId) -> Option<Arc<Peer>> {
        self.lock().alive.get(&id).cloned()
    }

    /// Whether this link to a theater has not ended.
    pub(crate) fn is_alive(&self, peer: &Arc<Peer>) -> bool {
        self.lock().alive.get(&peer.id).is_some_and(|alive| Arc::ptr_eq(alive, peer))
    }

    /// The theater with this identity, with a new link if there is none. `None`: this theater
    /// leaves, or is it itself.
    pub(crate) fn get_or_meet(&self, id: TheaterId) -> Option<Arc<Peer>> {
        if id == self.me {
            return None;
        }
        let mut known = self.lock();
        let KnownPeers { alive, epoch, leaves, .. } = &mut *known;
        match alive.entry(id) {
            Entry::Occupied(known) => Some(known.get().clone()),
            Entry::Vacant(_) if *leaves => None,
            Entry::Vacant(place) => {
                let of_link = *epoch;
                *epoch = of_link.next();
                let now = self.clock.now();
                let peer = Peer::new(self.config.clone(), self.me, id, of_link, now);
                Some(place.insert(Arc::new(peer)).clone())
            }
        }
    }

    /// The link to a theater has ended. It is kept for a while, to answer what the other side still
    /// asks.
    pub(crate) fn end(&self, peer: &Arc<Peer>) {
        let until = self.clock.now().saturating_add(self.config.dead_after);
        let mut known = self.lock();
        if known.alive.get(&peer.id).is_some_and(|alive| Arc::ptr_eq(alive, peer)) {
            known.alive.remove(&peer.id);
            known.ended.insert(peer.id, (peer.clone(), until));
        }
        if known.alive.is_empty() {
            self.empty.notify_all();
        }
    }

    /// The transport says whether a theater can be reached.
    pub(crate) fn note(&self, id: TheaterId, is_reachable: bool) {
        let mut known = self.lock();
        if is_reachable {
            known.reachable.insert(id);
        } else {
            known.reachable.remove(&id);
        }
    }

    /// Whether the transport says that a theater can be reached.
    pub(crate) fn is_reachable(&self, id: TheaterId) -> bool {
        self.lock().reachable.contains(&id)
    }

    /// The theaters to which there is a link; there will be no more of them.
    pub(crate) fn leave(&self) -> Vec<Arc<Peer>> {
        let mut known = self.lock();
        known.leaves = true;
        known.alive.values().cloned().collect()
    }

    /// Whether this theater leaves, or has left.
    pub(crate) fn leaves(&self) -> bool {
        self.lock().leaves
    }

    /// Waits until all links have ended. `false`: the time is up.
    pub(crate) fn wait_until_empty(&self, deadline: Duration) -> bool {
        let begun = Instant::now();
        let mut known = self.lock();
        while !known.alive.is_empty() {
            let left = deadline.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return false;
            }
            let waited = self.empty.wait_timeout(known, left);
            known = waited.expect("nothing panics under this lock").0;
        }
        true
    }

    /// The last link to a theater, if that has ended lately and there is no other.
    pub(crate) fn ended(&self, id: TheaterId, now: Duration) -> Option<Arc<Peer>> {
        let mut known = self.lock();
        if known.ended.is_empty() {
            return None;
        }
        known.ended.retain(|_, (_, until)| *until > now);
        if known.alive.contains_key(&id) {
            return None;
        }
        known.ended.get(&id).map(|(peer, _)| peer.clone())
    }

    /// The theaters to which there is a link.
    pub(crate) fn all(&self) -> Vec<Arc<Peer>> {
        self.lock().alive.values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, KnownPeers> {
        self.known.lock().expect("nothing panics under this lock")
    }
}
