//! How a theater comes to take part.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use odeon_core::{ActorRef, Random, Theater};
use odeon_speculative::extend::{Abroad, Surroundings, go_abroad};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_theater::extend::{
    Companions, accompany_by, downgrade, is_joined_by, publish_own, publishes, unpublish_own,
};
use odeon_theater::{Network, TheaterId};

use crate::agent::Agent;
use crate::agent::abroad::Ways;
use crate::agent::parts::Parts;
use crate::agent::peers::AGENT;
use crate::agent::records::Records;
use crate::agent::tell::Tell;
use crate::sizes::Sizes;
use crate::urgency::Urgency;

/// That speculative actors of a theater take part in coordinated transactions with those of other
/// theaters (S36). Made by [`join`](Self::join); clones are the same.
///
/// ```
/// use odeon_coordination::Coordination;
/// use odeon_core::{ActorRef, Message, Theater};
/// use odeon_speculative::*;
/// use odeon_stm::{TVar, Tx};
/// use odeon_theater::{InMemoryNetwork, LinkConfig, Network, TheaterId};
/// # use std::sync::{Arc, atomic::{AtomicBool, Ordering::Relaxed}};
/// # use std::time::{Duration, Instant};
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # enum Account { Withdraw(u64), Deposit(u64) }
/// # impl Message for Account {}
/// # struct Purse(TVar<u64>);
/// # impl SpeculativeActor for Purse {
/// #     type Msg = Account;
/// #     fn handle<'t>(&'t self, msg: &'t Account, tx: &mut Tx<'t>, _: &mut SpeculativeContext<'_, Self>) -> TxResult {
/// #         let balance = self.0.get(tx)?;
/// #         match msg {
/// #             Account::Deposit(n) => self.0.set(tx, balance + n)?,
/// #             Account::Withdraw(n) if balance < *n => return fail("not covered"),
/// #             Account::Withdraw(n) => self.0.set(tx, balance - n)?,
/// #         }
/// #         Ok(())
/// #     }
/// # }
/// # let net = InMemoryNetwork::new(1);
/// # let (clock, ends) = (net.clone(), Arc::new(AtomicBool::new(false)));
/// # let over = ends.clone();
/// # let begun = Instant::now();
/// # let driver = std::thread::spawn(move || while !over.load(Relaxed) {
/// #     clock.step(begun.elapsed());
/// #     std::thread::sleep(Duration::from_micros(200));
/// # });
/// # let join = |theater: &Theater, id: u128| Network::join(theater, TheaterId::from_bits(id), LinkConfig::new("shop", 65_000), |id, listener| {
/// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
/// # });
/// // Two theaters, in two processes perhaps, each with an account:
/// let (here, there) = (Theater::new()?, Theater::new()?);
/// let networks = [join(&here, 1)?, join(&there, 2)?];
/// let take_part = [Coordination::join(&here, &networks[0]), Coordination::join(&there, &networks[1])];
/// let mine = here.spawn_speculative(Purse(TVar::new(100)), Processing::default());
/// let yours = there.spawn_speculative(Purse(TVar::new(0)), Processing::default());
/// networks[1].publish("yours", &yours.actor_ref());
///
/// let yours: ActorRef<Account> = networks[0].at(networks[1].id()).lookup("yours").wait()??;
/// let transfer = here.coordinate(|co| {
///     co.send(&mine, Account::Withdraw(30));
///     co.send(&yours, Account::Deposit(30));
/// });
/// transfer.wait()?;
/// let too_much = here.coordinate(|co| {
///     co.send(&yours, Account::Deposit(100));
///     co.send(&mine, Account::Withdraw(100));
/// });
/// assert!(matches!(too_much.wait(), Err(CoordinationError::Failed { .. })));
/// # ends.store(true, Relaxed);
/// # driver.join().unwrap();
/// # drop(take_part);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "dropped, the theater takes part no longer"]
pub struct Coordination {
    inner: Arc<Handle>,
}

/// What all clones have in common.
struct Handle {
    network: Network,
    surroundings: Surroundings,
    agent: ActorRef<Tell>,
    sizes: Arc<Sizes>,
    has_left: AtomicBool,
    /// Others refer to it weakly.
    ways: Arc<Ways>,
}

impl Coordination {
    /// Has a theater take part, until it [leaves](Self::leave) or the last clone is dropped. The
    /// network is kept as long.
    ///
    /// # Panics
    /// If the theater takes part already, or has been shut down, or if the network is that of
    /// another theater.
    #[track_caller]
    pub fn join(theater: &Theater, network: &Network) -> Self {
        assert!(is_joined_by(network, theater), "the network is that of another theater");
        assert!(!publishes(network, AGENT), "the theater takes part in transactions already");
        let me = network.id();
        let parts = Arc::new(Parts::new(me, downgrade(network)));
        let sizes = Arc::new(Sizes::default());
        let agent = theater.spawn(Agent {
            me,
            network: downgrade(network),
            parts: parts.clone(),
            peers: HashMap::new(),
            leading: HashMap::new(),
            following: HashMap::new(),
            records: Records::default(),
            urgency: Urgency::default(),
            stamp: 0,
            random: Random::from_seed(seed_of(me)),
            sizes: sizes.clone(),
        });
        parts.belong_to(agent.clone());
        let ways = Arc::new(Ways::new(parts.clone(), theater));
        let weak: Arc<dyn Abroad> = ways.clone();
        go_abroad(theater, Arc::downgrade(&weak));
        let companions: Arc<dyn Companions> = parts;
        accompany_by(network, Arc::downgrade(&companions));
        publish_own(network, AGENT, &agent);
        let has_left = AtomicBool::new(false);
        let inner = Handle {
            network: network.clone(),
            surroundings: Surroundings::of(theater),
            agent,
            sizes,
            has_left,
            ways,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn network(&self) -> &Network {
        &self.inner.network
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.inner.surroundings
    }

    /// Takes part no longer. For the other theaters this one is dead from here on: what is not
    /// decided is given up here. So who wants to lose nothing leaves when nothing is
    /// [under way](Self::under_way).
    pub fn leave(&self) {
        self.inner.leave();
    }

    /// How many parts of this theater, and transactions that it leads, are not over, as of a moment
    /// ago.
    pub fn under_way(&self) -> usize {
        self.inner.sizes.under_way() + self.inner.ways.parts.only_kept()
    }

    /// How many transactions that have committed are remembered, since some theater may have to ask
    /// for them.
    pub fn records(&self) -> usize {
        self.inner.sizes.records()
    }
}

/// Theaters wait for different times.
fn seed_of(theater: TheaterId) -> u64 {
    let bits = theater.bits();
    (bits >> 64) as u64 ^ bits as u64
}

impl Handle {
    fn leave(&self) {
        // ORDERING: Relaxed: decides who leaves, and nothing else hangs on it.
        if !self.has_left.swap(true, Ordering::Relaxed) {
            unpublish_own(&self.network, AGENT);
            self.agent.stop();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.leave();
    }
}

impl fmt::Debug for Coordination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordination").field("under_way", &self.under_way()).finish_non_exhaustive()
    }
}
