//! A seat for an actor whose messages come with the lanes of their senders.
//!
//! It is such a seat in every theater: where the actor sits, it is given messages with their lanes,
//! and elsewhere they are written with them. Nothing is sorted on the way: the actor sorts its
//! messages itself.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::mobile::{Guest, OfKind};
use super::seat::{Nobody, Seat};
use super::slot::Slot;
use crate::extend;
use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::Companion;
use crate::process::vtable::AnyIntroduction;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// See the module.
pub struct LanedSeat<M, G = Nobody>(pub(super) Seat<M, G>)
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static;

impl<M, G> Behavior for LanedSeat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    type Msg = M;
    type Inner = Seat<M, G>;
    const LANED: bool = true;
    const MAY_MOVE: bool = true;
    const INTRODUCTION: Option<AnyIntroduction> = Seat::<M, G>::INTRODUCTION;

    fn inner(&self) -> Option<&Seat<M, G>> {
        Some(&self.0)
    }

    fn inner_mut(&mut self) -> Option<&mut Seat<M, G>> {
        Some(&mut self.0)
    }

    /// The actor selects among its messages itself.
    fn selection(&self) -> Selection {
        Selection::default()
    }

    fn guards(&self, _: &mut DeclaredGuards<'_, M>) {}

    fn handle(&mut self, message: M, ctx: &mut Context<'_, Self>) {
        let slot = Slot { mailbox: ctx.mailbox(), sender: None };
        ctx.lent_to(|ctx| self.0.take_from(slot, message, ctx));
    }

    fn take_laned(&mut self, message: M, lane: Lane, ctx: &mut Context<'_, Self>) {
        let slot = Slot::of_lane::<M>(lane, ctx.cell().header.stage.theater());
        ctx.lent_to(|ctx| self.0.take_from(slot, message, ctx));
        if !self.0.is_seated() {
            extend::note_handled(1);
        }
    }

    fn take_accompanied(
        &mut self,
        message: M,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        let slot = Slot::of_lane::<M>(lane, ctx.cell().header.stage.theater());
        ctx.lent_to(|ctx| self.0.take_with(slot, message, companion, ctx));
    }

    fn has_deferred(&self) -> bool {
        self.0.is_seated() || self.0.has_deferred()
    }

    fn deferred(&self) -> usize {
        self.0.deferred() + self.0.guest().map_or(0, |guest| guest.deferred())
    }

    fn pressing(&self) -> usize {
        self.0.pressing() + self.0.guest().map_or(0, |guest| guest.pressing())
    }

    fn may_end(&mut self) -> bool {
        self.0.guest_mut().is_none_or(|guest| guest.may_end())
    }

    fn give_back(&mut self, take: &mut dyn FnMut(M)) {
        // What the actor has been given is older than what is deferred.
        if let Some(guest) = self.0.guest_mut() {
            guest.give_back(take);
        }
        self.0.give_back(take);
    }
}
