//! The actors elsewhere that are referred to here, each by one actor that stands for it.
//!
//! One that nobody refers to any more may still have messages to hand over when a new reference arrives. Then a new one stands for the same
//! actor, behind it in a line, and its way opens when all before it have ended: so what one sender sends by either stays in order.

use std::any::Any;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{Address, Arriving, StandIn, WireError};
use odeon_sync::{Mutex, MutexGuard};

use super::outbound::ToActor;
use crate::TheaterId;

/// See the module.
#[derive(Default)]
pub(super) struct StandIns {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    lines: HashMap<Address, Line>,
    /// Where the actor lives for which the one with this number stands here, or stood until lately.
    addresses: HashMap<u64, Address>,
}

/// Those that stand for one actor: the last one for new references, others before it as long as they have not ended. The way of
/// the first one is open.
struct Line {
    standing: VecDeque<Standing>,
    /// References that have come here for the actor.
    references: u64,
}

struct Standing {
    stands: Arc<dyn StandIn>,
    outbound: Arc<ToActor>,
}

type Reference = Box<dyn Any + Send + Sync>;

impl Line {
    fn last(&self) -> &Standing {
        self.standing.back().expect("a line is forgotten with its last one")
    }
}

impl StandIns {
    /// A reference to an actor elsewhere arrives. `outbound` makes the way to it.
    ///
    /// # Errors
    /// If the actor takes other messages than the reference says, or its theater is dead.
    pub(super) fn arrives(
        &self,
        address: Address,
        arriving: &dyn Arriving,
        stage: &Arc<dyn Submit>,
        outbound: impl FnOnce() -> ToActor,
    ) -> Result<Reference, WireError> {
        let mut known = self.lock();
        let Known { lines, addresses } = &mut *known;
        if let Some(line) = lines.get_mut(&address) {
            line.references += 1;
            let last = line.last();
            if last.stands.message_type() != arriving.message_type() {
                return Err(WireError::OtherMessages);
            }
            if let Some(reference) = last.stands.reference() {
                return Ok(reference);
            }
        }
        let outbound = Arc::new(outbound());
        if outbound.is_dead() {
            return Err(WireError::Refused("the theater of an actor is dead"));
        }
        let (reference, stands) = arriving.stand_in(stage, outbound.clone());
        outbound.stands(stands.actor());
        addresses.insert(stands.actor(), address);
        let standing = Standing { stands, outbound };
        match lines.entry(address) {
            Entry::Occupied(mut line) => line.get_mut().standing.push_back(standing),
            Entry::Vacant(place) => {
                standing.outbound.open();
                place.insert(Line { standing: VecDeque::from([standing]), references: 1 });
            }
        }
        Ok(reference)
    }

    /// A reference to the actor that stands here for another one, if there is one of this type of messages.
    pub(super) fn reference(&self, address: Address, arriving: &dyn Arriving) -> Option<Reference> {
        let known = self.lock();
        let last = known.lines.get(&address)?.last();
        let is_of_type = last.stands.message_type() == arriving.message_type();
        is_of_type.then(|| last.stands.reference()).flatten()
    }

    /// The actor with this number, which stood for another one, has ended. Answers the references to be given back, if none stands there any more.
    pub(super) fn ended(&self, stood: u64) -> Option<(Address, u64)> {
        let mut known = self.lock();
        let Known { lines, addresses } = &mut *known;
        let address = addresses.remove(&stood)?;
        let line = lines.get_mut(&address)?;
        line.standing.retain(|standing| standing.stands.actor() != stood);
        let Some(first) = line.standing.front() else {
            return lines.remove(&address).map(|line| (address, line.references));
        };
        if first.outbound.open() {
            first.stands.wake();
        }
        None
    }

    /// Where the actor lives for which this one stands, if it stands for one.
    pub(super) fn address_of(&self, actor: u64) -> Option<Address> {
        self.lock().addresses.get(&actor).copied()
    }

    /// What is known of the actor that stands for this one.
    pub(super) fn get(&self, address: Address) -> Option<Arc<dyn StandIn>> {
        self.lock().lines.get(&address).map(|line| line.last().stands.clone())
    }

    /// Those that stand for actors of a theater.
    pub(super) fn of(&self, theater: TheaterId) -> Vec<Arc<dyn StandIn>> {
        let known = self.lock();
        let of_theater = known.lines.iter().filter(|(at, _)| at.theater == theater.bits());
        let standing = of_theater.flat_map(|(_, line)| &line.standing);
        standing.map(|standing| standing.stands.clone()).collect()
    }

    /// The link to a theater has ended: those that stand for its actors are known no longer.
    #[must_use]
    pub(super) fn forget(&self, theater: TheaterId) -> Vec<Arc<dyn StandIn>> {
        let mut known = self.lock();
        let Known { lines, addresses } = &mut *known;
        addresses.retain(|_, at| at.theater != theater.bits());
        let over: Vec<Address> =
            lines.keys().filter(|at| at.theater == theater.bits()).copied().collect();
        let standing = over.iter().filter_map(|at| lines.remove(at)).flat_map(|line| line.standing);
        standing
            .map(|standing| {
                // What still waits goes the way of all that is sent to the dead.
                standing.outbound.open();
                standing.stands
            })
            .collect()
    }

    /// How many actors elsewhere are referred to here.
    pub(super) fn len(&self) -> usize {
        self.lock().lines.len()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("nothing panics under this lock")
    }
}
