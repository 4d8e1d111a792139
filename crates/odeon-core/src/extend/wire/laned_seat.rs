//! A seat for an actor whose messages come with the lanes of their senders.
//!
//! It is such a seat in every theater: where the actor sits, it is given messages with their lanes, and elsewhere they are written with them. Nothing
//! is sorted on the way: the actor sorts its messages itself.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::mobile::{Guest, OfKind};
use super::seat::{Nobody, Seat};
use super::slot::Slot;
use crate::extend;
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::Companion;
use crate::process::vtable::AnyIntroduction;
use crate::turn::actor::Actor;
use crate::turn::context::Context;
use crate::turn::interior::Interior;
use crate::vocabulary::message::Message;

/// See the module.
pub struct LanedSeat<M, G = Nobody>(pub(super) Seat<M, G>)
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static;

impl<M, G> Actor for LanedSeat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    type Msg = M;
    const LANED: bool = true;
    const MAY_MOVE: bool = true;
    const INTRODUCTION: Option<AnyIntroduction> = Seat::<M, G>::INTRODUCTION;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.lent_to(|ctx| self.0.started(ctx));
    }

    fn handle(&mut self, message: M, ctx: &mut Context<'_, Self>) {
        let slot = Slot { mailbox: ctx.mailbox(), sender: None };
        ctx.lent_to(|ctx| self.0.take_from(slot, message, ctx));
    }

    fn __take_laned(&mut self, message: M, lane: Lane, ctx: &mut Context<'_, Self>) {
        let slot = Slot::of_lane::<M>(lane, ctx.cell().header.stage.theater());
        ctx.lent_to(|ctx| self.0.take_from(slot, message, ctx));
        if !self.0.is_seated() {
            extend::note_handled(1);
        }
    }

    fn __take_accompanied(
        &mut self,
        message: M,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        let slot = Slot::of_lane::<M>(lane, ctx.cell().header.stage.theater());
        ctx.lent_to(|ctx| self.0.take_with(slot, message, companion, ctx));
    }

    fn stopped(&mut self) {
        self.0.stopped();
    }

    fn __is_lost(&self) -> bool {
        self.0.__is_lost()
    }

    fn __marked(&mut self, interior: &mut Interior<'_, M>) -> bool {
        self.0.__marked(interior)
    }

    fn __has_aside(&self) -> bool {
        self.0.is_seated() || self.0.__has_aside()
    }

    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let mut went_on = false;
        ctx.lent_to(|ctx| went_on = self.0.__go_on_with_aside(ctx));
        went_on
    }

    fn __aside(&self) -> usize {
        self.0.__aside() + self.0.guest().map_or(0, |guest| guest.aside())
    }

    fn __pressing(&self) -> usize {
        self.0.__pressing() + self.0.guest().map_or(0, |guest| guest.pressing())
    }

    fn __may_end(&mut self) -> bool {
        self.0.guest_mut().is_none_or(|guest| guest.may_end())
    }

    fn __give_back(&mut self, take: &mut dyn FnMut(M)) {
        // What the actor has been given is older than what is aside.
        if let Some(guest) = self.0.guest_mut() {
            guest.give_back(take);
        }
        self.0.__give_back(take);
    }
}
