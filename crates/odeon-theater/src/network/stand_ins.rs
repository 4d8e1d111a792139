//! The actors elsewhere that are referred to here, each by one actor that stands for it.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{Address, Arriving, Outbound, StandIn, WireError};
use odeon_sync::Mutex;

use crate::TheaterId;

/// See the module.
#[derive(Default)]
pub(super) struct StandIns {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_address: HashMap<Address, Standing>,
    /// Where the actor lives for which the one with this number stands here.
    addresses: HashMap<u64, Address>,
}

struct Standing {
    stands: Arc<dyn StandIn>,
    /// References that have come here for it.
    references: u64,
}

type Reference = Box<dyn Any + Send + Sync>;

impl StandIns {
    /// A reference to an actor elsewhere arrives.
    ///
    /// # Errors
    /// If the actor takes other messages than the reference says.
    pub(super) fn arrives(
        &self,
        address: Address,
        arriving: &dyn Arriving,
        stage: &Arc<dyn Submit>,
        outbound: impl FnOnce() -> Arc<dyn Outbound>,
    ) -> Result<Reference, WireError> {
        let mut known = self.lock();
        if let Some(standing) = known.by_address.get_mut(&address) {
            if standing.stands.message_type() != arriving.message_type() {
                return Err(WireError::OtherMessages);
            }
            if let Some(reference) = standing.stands.reference() {
                standing.references += 1;
                return Ok(reference);
            }
        }
        // If one stood here that has ended, the new one gives back its references too.
        let before = known.by_address.remove(&address).map(|standing| standing.references);
        let (reference, stands) = arriving.stand_in(stage, outbound());
        known.addresses.insert(stands.actor(), address);
        let references = 1 + before.unwrap_or(0);
        known.by_address.insert(address, Standing { stands, references });
        Ok(reference)
    }

    /// The actor that stood for this one has ended, or nobody refers to it any more. Answers the references to be given back: none if
    /// another one stands for it already, which will see to them.
    pub(super) fn ended(&self, stood: u64) -> Option<(Address, u64)> {
        let mut known = self.lock();
        let address = known.addresses.remove(&stood)?;
        if known.by_address.get(&address)?.stands.actor() != stood {
            return None;
        }
        known.by_address.remove(&address).map(|standing| (address, standing.references))
    }

    /// Where the actor lives for which this one stands, if it stands for one.
    pub(super) fn address_of(&self, actor: u64) -> Option<Address> {
        self.lock().addresses.get(&actor).copied()
    }

    /// What is known of the actor that stands for this one.
    pub(super) fn get(&self, address: Address) -> Option<Arc<dyn StandIn>> {
        self.lock().by_address.get(&address).map(|standing| standing.stands.clone())
    }

    /// Those that stand for actors of a theater.
    pub(super) fn of(&self, theater: TheaterId) -> Vec<Arc<dyn StandIn>> {
        let known = self.lock();
        let of_theater = known.by_address.iter().filter(|(at, _)| at.theater == theater.bits());
        of_theater.map(|(_, standing)| standing.stands.clone()).collect()
    }

    /// The link to a theater has ended: those that stand for its actors are known no longer.
    #[must_use]
    pub(super) fn forget(&self, theater: TheaterId) -> Vec<Arc<dyn StandIn>> {
        let mut known = self.lock();
        let Known { by_address, addresses } = &mut *known;
        addresses.retain(|_, at| at.theater != theater.bits());
        let over: Vec<Address> =
            by_address.keys().filter(|at| at.theater == theater.bits()).copied().collect();
        let standing = over.iter().filter_map(|at| by_address.remove(at));
        standing.map(|standing| standing.stands).collect()
    }

    /// How many actors elsewhere are referred to here.
    pub(super) fn len(&self) -> usize {
        self.lock().by_address.len()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Known> {
        self.known.lock().expect("nothing panics under this lock")
    }
}
