//! Actors that are moved to where there is less to do.
//!
//! | question | file |
//! |---|---|
//! | what a user calls | this one; `rebalancing/settings.rs` |
//! | who decides what is to move, and by what | `rebalancing/policy.rs`; `rebalancing/by_load.rs` |
//! | what is measured | `rebalancing/measuring.rs` |
//! | how theaters tell each other, who sees to the moves | `rebalancing/balancer.rs` |
//!
//! Each theater that takes part decides for the actors that sit in it; nobody decides for all. So
//! nothing has to be elected, and a theater that is lost takes no decisions along.

mod balancer;
mod by_load;
mod measuring;
mod policy;
mod settings;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use odeon_core::ActorRef;
use odeon_core::wire::Erased;
use odeon_sync::atomic::{AtomicU64, Ordering};

use self::balancer::{BALANCER, Balancer, Tell};
use crate::Network;
use crate::network::WeakNetwork;

pub use self::by_load::ByLoad;
pub use self::policy::{Load, Measured, Policy, Situation};
pub use self::settings::RebalanceSettings;

/// Moves mobile actors of a theater to others that take part, as a [`Policy`] says (S35). Without
/// one nobody is moved. It works until it is dropped.
///
/// ```
/// use odeon_core::Theater;
/// use odeon_theater::{ByLoad, InMemoryNetwork, LinkConfig, Network};
/// use odeon_theater::{RebalanceSettings, Rebalancer, TheaterId};
/// # use std::sync::Arc;
/// # let theater = Theater::new()?;
/// # let net = InMemoryNetwork::new(1);
/// # let network = Network::join(&theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
/// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
/// # })?;
/// let rebalancer = Rebalancer::spawn(&network, ByLoad::default(), RebalanceSettings::default());
/// assert_eq!(rebalancer.moved(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rebalancer {
    network: WeakNetwork,
    balancer: ActorRef<Tell>,
    moved: Arc<AtomicU64>,
}

impl Rebalancer {
    /// Has a theater take part: its actors are moved as `policy` says, and others that take part
    /// may move theirs here. Those that move must be known to the theaters that they may be moved
    /// to; one that refuses an actor gets it proposed again after a
    /// [rest](RebalanceSettings::rest).
    ///
    /// # Panics
    /// If a setting is out of its range, the theater takes part already, or it has been shut down.
    #[track_caller]
    pub fn spawn(network: &Network, policy: impl Policy, settings: RebalanceSettings) -> Self {
        if let Err(wrong) = settings.validate() {
            panic!("{wrong}");
        }
        assert!(!network.publishes(BALANCER), "the theater takes part in rebalancing already");
        let moved = Arc::new(AtomicU64::new(0));
        let balancer = Balancer::new(network, Box::new(policy), settings, moved.clone());
        let balancer = network.spawn(balancer).expect("the theater has not been shut down");
        network.publish_erased(BALANCER, Erased::of(&balancer));
        Self { network: network.downgrade(), balancer, moved }
    }

    /// How many actors it has moved to other theaters.
    pub fn moved(&self) -> u64 {
        // ORDERING: Relaxed: a number to look at.
        self.moved.load(Ordering::Relaxed)
    }
}

impl Drop for Rebalancer {
    fn drop(&mut self) {
        if let Some(network) = self.network.upgrade() {
            network.unpublish_any(BALANCER);
        }
        self.balancer.stop();
    }
}

impl fmt::Debug for Rebalancer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rebalancer").field("moved", &self.moved()).finish_non_exhaustive()
    }
}
