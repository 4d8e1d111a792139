//! Where a seat's actor is, as the seat knows it.

use std::ops::{Deref, DerefMut};

use crate::extend::wire::error::WireError;
use crate::extend::wire::layout::Layouts;
use crate::extend::wire::mobile::{Guest, OfKind};
use crate::extend::wire::outbound::ReadState;
use crate::extend::wire::passage::Passage;
use crate::extend::wire::seat::Seat;
use crate::mailbox::written_guards::WrittenGuards;
use crate::turn::context::Context;
use crate::turn::interior::Interior;
use crate::vocabulary::message::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// See the module.
pub(super) enum ActorLocation<M: Message + Serialize + DeserializeOwned, G> {
    /// The actor sits here.
    Here(Resident<M, G>),
    /// It has been written, with these guards, and waits to be let go.
    Leaving(Resident<M, G>, WrittenGuards),
    Elsewhere,
}

/// An actor in its seat.
pub(super) enum Resident<M: Message + Serialize + DeserializeOwned, G> {
    /// It was created here: the seat is made for it.
    Native(G),
    /// It has come from elsewhere.
    Come(Box<dyn Guest<M>>),
}

impl<M, G> Deref for Resident<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + 'static,
{
    type Target = dyn Guest<M>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Native(native) => native,
            Self::Come(guest) => &**guest,
        }
    }
}

impl<M, G> DerefMut for Resident<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + 'static,
{
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Native(native) => native,
            Self::Come(guest) => &mut **guest,
        }
    }
}

/// In seats that no actor is created in: for those that are, or may come to be, elsewhere.
pub enum Nobody {}

impl OfKind for Nobody {
    const KIND: Option<&'static str> = None;
}

impl<M: Message + Serialize + DeserializeOwned> Guest<M> for Nobody {
    fn handle(&mut self, _: M, _: &mut Context<'_, Seat<M>>) {
        match *self {}
    }

    fn started(&mut self, _: &mut Context<'_, Seat<M>>) {
        match *self {}
    }

    fn arrived(&mut self, _: &mut Interior<'_, M>) -> bool {
        match *self {}
    }

    fn stopped(&mut self) {
        match *self {}
    }

    fn kind(&self) -> &'static str {
        match *self {}
    }

    fn version(&self) -> u32 {
        match *self {}
    }

    fn layouts(&self) -> Layouts {
        match *self {}
    }

    fn read_again(&self) -> ReadState {
        match *self {}
    }

    fn write(&self, _: &dyn Passage, _: &mut Vec<u8>) -> Result<(), WireError> {
        match *self {}
    }
}
