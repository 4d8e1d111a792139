//! Actors that were created here in seats of their own, and of which nothing else is known.
//!
//! Most mobile actors are never referred to from elsewhere and never move, so what a line holds would be made and dropped for nothing: it is made when
//! somebody needs it.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use odeon_core::wire::Address;

use super::{Line, Standing};
use crate::{MobileActor, MobileId, TheaterId};

/// See the module.
pub(super) struct Natives {
    theater: u128,
    by_number: HashMap<u64, Native, RandomState>,
}

pub(super) struct Native {
    pub(super) standing: Standing,
    pub(super) kind: &'static str,
}

impl Natives {
    pub(super) fn of(theater: TheaterId) -> Self {
        Self { theater: theater.bits(), by_number: HashMap::default() }
    }

    pub(super) fn insert(&mut self, seat: u64, native: Native) {
        self.by_number.insert(seat, native);
    }

    /// The native that is this actor.
    pub(super) fn get(&self, who: Address) -> Option<&Native> {
        self.by_number.get(&who.actor).filter(|_| who.theater == self.theater)
    }

    /// The native with this seat.
    pub(super) fn with_seat(&self, seat: u64) -> Option<&Native> {
        self.by_number.get(&seat)
    }

    /// Where the native with this seat was created.
    pub(super) fn who(&self, seat: u64) -> Option<Address> {
        self.by_number.contains_key(&seat).then(|| self.address(seat))
    }

    /// Who has this seat is no native any more.
    pub(super) fn remove(&mut self, seat: u64) -> Option<Native> {
        self.by_number.remove(&seat)
    }

    /// The line of this actor, which is no native any more.
    pub(super) fn take_line(&mut self, who: Address) -> Option<Line> {
        if who.theater != self.theater {
            return None;
        }
        let native = self.by_number.remove(&who.actor)?;
        let way = native.standing.outbound.way().clone();
        Some(Line::here(way, native.standing, native.kind))
    }

    pub(super) fn residents(&self) -> impl Iterator<Item = MobileActor> {
        self.by_number.iter().map(|(&seat, native)| MobileActor {
            id: MobileId::of(self.address(seat)),
            kind: native.kind.into(),
            leaves: false,
            moves: 0,
            handled: native.standing.stands.handled(),
            heard: Vec::new(),
        })
    }

    fn address(&self, seat: u64) -> Address {
        Address { theater: self.theater, actor: seat }
    }
}
