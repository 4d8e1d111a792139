//! The actor here through which a reference leads to an actor that is, or may come to be, elsewhere.
//!
//! Whoever has a reference sends to the seat. If the actor sits in it, it handles the message in the seat's turn; otherwise the
//! message is written and handed to the way out (decision 005). So a reference stays what it is when its actor moves.
//!
//! What changes who sits here comes as a mark among the messages (`seat/moving.rs`): when the seat comes to it, nothing that was sent before is under way
//! to the seat any more. While its actor leaves, and while its way out is closed, a seat puts aside what comes.

mod moving;

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;

use odeon_sync::atomic::Ordering;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::encode;
use super::laned_seat::LanedSeat;
use super::mobile::{Guest, Mobile, Seated};
use super::outbound::{Departure, NotTaken, Outbound};
use super::slot::Slot;
use super::stand_in::{Desk, Left, Stands, Waiting};
use crate::actor::Actor;
use crate::actor_ref::ActorRef;
use crate::cell::MessageCell;
use crate::context::Context;
use crate::dead_letter::DeadLetterReason;
use crate::declared_guards::DeclaredGuards;
use crate::interior::{Interior, WrittenGuards};
use crate::lane::companion::Companion;
use crate::message::Message;
use crate::pipe::Continuation;
use crate::scheduler::submit::Submit;
use crate::selection::Selection;
use crate::theater::shared::contain;
use crate::theater::spawn;

/// See the module.
pub struct Seat<M: Message + Serialize + DeserializeOwned> {
    place: Place<M>,
    outbound: Arc<dyn Outbound>,
    /// What waits until the way is open or the actor has been let go; if the actor sits here, what came before all else, for an actor with one mailbox.
    aside: VecDeque<Waiting<M>>,
    /// The actor is to leave once nothing goes on beside it.
    summons: Option<Box<dyn Departure>>,
    /// Keeps the seat's actor while anything is aside.
    keeps: Option<ActorRef<M>>,
    desk: Arc<Desk>,
    /// Whether no messages have been taken since the last flush.
    is_flushed: bool,
}

enum Place<M: Message + Serialize + DeserializeOwned> {
    /// The actor sits here.
    Here(Box<dyn Guest<M>>),
    /// It has been written, with these guards, and waits to be let go.
    Leaving(Box<dyn Guest<M>>, WrittenGuards),
    Elsewhere,
}

impl<M: Message + Serialize + DeserializeOwned> Seat<M> {
    /// An empty one, on a stage.
    pub(super) fn empty(
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        has_lanes: bool,
    ) -> (ActorRef<M>, Stands<M>) {
        let (seat, desk) = Self::new(outbound, Place::Elsewhere);
        let actor = if has_lanes {
            spawn::on(stage, None, LanedSeat(seat))
        } else {
            spawn::on(stage, None, seat)
        };
        standing(actor, desk)
    }

    /// One in which an actor sits.
    pub(super) fn of<A: Mobile<Msg = M>>(
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        actor: A,
    ) -> (ActorRef<M>, Stands<M>) {
        let (seat, desk) = Self::new(outbound, Place::Here(Box::new(Seated(actor))));
        standing(spawn::on(stage, None, seat), desk)
    }

    /// One in which somebody sits whose messages come with lanes.
    pub(super) fn of_guest(
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        guest: Box<dyn Guest<M>>,
    ) -> (ActorRef<M>, Stands<M>) {
        let (seat, desk) = Self::new(outbound, Place::Here(guest));
        standing(spawn::on(stage, None, LanedSeat(seat)), desk)
    }

    fn new(outbound: Arc<dyn Outbound>, place: Place<M>) -> (Self, Arc<Desk>) {
        let desk = Arc::<Desk>::default();
        let seat = Self {
            place,
            outbound,
            aside: VecDeque::new(),
            summons: None,
            keeps: None,
            desk: desk.clone(),
            is_flushed: true,
        };
        (seat, desk)
    }

    /// Takes a message that cannot be handled straight away.
    #[inline(never)]
    fn take(&mut self, slot: Slot, message: M, ctx: &mut Context<'_, Self>) {
        let message = Waiting::Message(slot, message);
        if let Place::Here(_) = self.place {
            self.aside.push_back(message);
            self.go_on_seated(ctx);
        } else {
            self.receive(message, ctx.cell());
        }
    }

    /// Takes a message that comes with a lane.
    pub(super) fn take_from(&mut self, slot: Slot, message: M, ctx: &mut Context<'_, Self>) {
        match &mut self.place {
            Place::Here(guest) if self.aside.is_empty() => {
                self.desk.count_handled();
                guest.take(slot, message, ctx);
            }
            _ => self.take(slot, message, ctx),
        }
    }

    /// Takes a message of this theater with a companion, which cannot go to another one: it is for an actor that sits here and has been given
    /// all that came before.
    pub(super) fn take_with(
        &mut self,
        slot: Slot,
        message: M,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        while !self.aside.is_empty() && self.go_on_seated(ctx) {}
        match &mut self.place {
            Place::Here(guest) => {
                self.desk.count_handled();
                guest.take_with(slot, message, companion, ctx);
            }
            _ => {
                // Dropped, it tells whom it concerns.
                drop(companion);
                let header = &ctx.cell().header;
                header.stage.theater().dead_letter(header.id, DeadLetterReason::Stopped, message);
            }
        }
    }

    /// Whether the actor sits here.
    pub(super) fn is_seated(&self) -> bool {
        matches!(self.place, Place::Here(_))
    }

    /// The actor, if it sits here, also if it is about to leave.
    pub(super) fn guest(&self) -> Option<&dyn Guest<M>> {
        match &self.place {
            Place::Here(guest) | Place::Leaving(guest, _) => Some(&**guest),
            Place::Elsewhere => None,
        }
    }

    /// As [`guest`](Self::guest).
    pub(super) fn guest_mut(&mut self) -> Option<&mut Box<dyn Guest<M>>> {
        match &mut self.place {
            Place::Here(guest) | Place::Leaving(guest, _) => Some(guest),
            Place::Elsewhere => None,
        }
    }

    /// Something for an actor that does not sit here, or not for long.
    fn receive(&mut self, waiting: Waiting<M>, cell: &MessageCell<M>) {
        let is_elsewhere = matches!(self.place, Place::Elsewhere);
        if is_elsewhere && self.aside.is_empty() && self.outbound.is_open() {
            self.hand_over(waiting, cell);
        } else {
            self.keep(cell);
            self.aside.push_back(waiting);
        }
    }

    fn keep(&mut self, cell: &MessageCell<M>) {
        self.keeps.get_or_insert_with(|| ActorRef::in_turn_of(cell));
    }

    /// Hands over what is aside, as long as the way is open.
    fn hand_over_all(&mut self, cell: &MessageCell<M>) {
        while let Some(waiting) = self.aside.pop_front() {
            if !self.hand_over(waiting, cell) {
                return;
            }
        }
        self.keeps = None;
    }

    /// `false`: the way is closed, and it is the first of those aside.
    fn hand_over(&mut self, waiting: Waiting<M>, cell: &MessageCell<M>) -> bool {
        let taken = match &waiting {
            Waiting::Message(slot, message) => {
                self.outbound.take(*slot, &mut |passage, bytes| encode(passage, message, bytes))
            }
            Waiting::Accompanied(slot, message, companion) => {
                self.outbound.take_accompanied(*slot, companion, &mut |passage, bytes| {
                    encode(passage, message, bytes)
                })
            }
            Waiting::Mark(mark) => self.outbound.pass(mark),
        };
        self.is_flushed = false;
        let reason = match taken {
            Ok(()) => return true,
            Err(NotTaken::Closed) => {
                self.keep(cell);
                self.aside.push_front(waiting);
                return false;
            }
            Err(NotTaken::Unwritable(_)) => DeadLetterReason::Unwritable,
            Err(NotTaken::Unreachable) => DeadLetterReason::Unreachable,
        };
        let header = &cell.header;
        match waiting {
            Waiting::Message(_, message) => {
                header.stage.theater().dead_letter(header.id, reason, message);
            }
            Waiting::Accompanied(_, message, companion) => {
                header.stage.theater().dead_letter(header.id, reason, message);
                self.outbound.lost_companion(&companion);
            }
            Waiting::Mark(mark) => self.outbound.lost(&mark),
        }
        true
    }

    /// The actor that sits here goes on with what came before all else. `false`: there is nothing.
    fn go_on_seated(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let Place::Here(guest) = &mut self.place else { return false };
        match self.aside.pop_front() {
            None => return false,
            Some(Waiting::Message(slot, message)) => {
                self.desk.count_handled();
                guest.take(slot, message, ctx);
            }
            Some(Waiting::Accompanied(_, message, companion)) => {
                self.refuse(message, &companion, ctx.cell());
            }
            Some(Waiting::Mark(mark)) => {
                // With several mailboxes nothing is aside while the actor sits here, unless it sorts messages itself.
                if self.come_to(mark, &mut Interior::new(ctx.cell(), None)) {
                    ctx.stop();
                }
            }
        }
        if self.aside.is_empty() && matches!(self.place, Place::Here(_)) {
            self.keeps = None;
        }
        true
    }
}

fn standing<M: Message>(actor: ActorRef<M>, desk: Arc<Desk>) -> (ActorRef<M>, Stands<M>) {
    let known = actor.downgrade();
    (actor, Stands { actor: known, desk })
}

impl<M: Message + Serialize + DeserializeOwned> Actor for Seat<M> {
    type Msg = M;
    const PUTS_ASIDE: bool = true;
    const MAY_MOVE: bool = true;

    #[inline]
    fn handle(&mut self, message: M, ctx: &mut Context<'_, Self>) {
        match &mut self.place {
            Place::Here(guest) if self.aside.is_empty() => {
                self.desk.count_handled();
                guest.handle(message, ctx);
            }
            _ => self.take(Slot::of_mailbox(ctx.mailbox()), message, ctx),
        }
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if let Place::Here(guest) = &mut self.place {
            guest.started(ctx);
        }
    }

    fn stopped(&mut self) {
        if let Place::Here(guest) | Place::Leaving(guest, _) = &mut self.place {
            guest.stopped();
        }
    }

    fn selection(&self) -> Selection {
        match &self.place {
            Place::Here(guest) => guest.selection(),
            _ => Selection::priority(),
        }
    }

    fn guards(&self, guards: &mut DeclaredGuards<'_, M>) {
        if let Place::Here(guest) = &self.place {
            guest.guards(guards);
        }
    }

    fn __go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        // While anything is to go on the actor does not leave.
        if let Place::Here(guest) = &mut self.place {
            guest.pipe(continuation, ctx);
        }
    }

    fn __marked(&mut self, interior: &mut Interior<'_, M>) -> bool {
        let mark = match self.desk.next() {
            None => return false,
            Some(Left::Mark(mark)) => mark,
            Some(Left::Accompanied(slot, message, companion)) => {
                let message = message.downcast().expect("left by a stand-in of this seat");
                self.take_accompanied(slot, *message, companion, interior);
                return false;
            }
        };
        if matches!(self.place, Place::Here(_)) && !self.aside.is_empty() {
            self.aside.push_back(Waiting::Mark(mark));
            return false;
        }
        self.come_to(mark, interior)
    }

    fn __has_aside(&self) -> bool {
        if !self.is_flushed || !self.aside.is_empty() || self.summons.is_some() {
            return true;
        }
        // ORDERING: Acquire: pairs with the Release of whoever says so.
        matches!(self.place, Place::Elsewhere)
            && (self.outbound.pressing() > 0 || self.desk.has_failed.load(Ordering::Acquire))
    }

    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        match self.place {
            Place::Here(_) => {
                if self.go_on_seated(ctx) || self.guest_mut().is_some_and(|it| it.go_on(ctx)) {
                    return true;
                }
                self.look_at_summons(ctx.cell());
            }
            Place::Leaving(..) => {}
            Place::Elsewhere => {
                // ORDERING: Acquire: as above.
                if self.desk.has_failed.load(Ordering::Acquire) {
                    resume_unwind(Box::new(
                        "the actor elsewhere, for which this one stands, has failed",
                    ));
                }
                if !self.aside.is_empty() && self.outbound.is_open() {
                    self.hand_over_all(ctx.cell());
                }
            }
        }
        if !std::mem::replace(&mut self.is_flushed, true) {
            self.outbound.flush();
        }
        false
    }

    fn __aside(&self) -> usize {
        self.aside.len()
    }

    fn __pressing(&self) -> usize {
        match self.place {
            Place::Here(_) => self.aside.len(),
            // What it waits for may come behind what would be held back.
            Place::Leaving(..) => 0,
            Place::Elsewhere => self.aside.len() + self.outbound.pressing(),
        }
    }

    fn __give_back(&mut self, take: &mut dyn FnMut(M)) {
        for waiting in self.aside.drain(..) {
            match waiting {
                Waiting::Message(_, message) => take(message),
                Waiting::Accompanied(_, message, companion) => {
                    take(message);
                    self.outbound.lost_companion(&companion);
                }
                Waiting::Mark(mark) => self.outbound.lost(&mark),
            }
        }
    }
}

impl<M: Message + Serialize + DeserializeOwned> Drop for Seat<M> {
    fn drop(&mut self) {
        while let Some(left) = self.desk.next() {
            match left {
                Left::Mark(mark) => self.outbound.lost(&mark),
                Left::Accompanied(_, message, companion) => {
                    contain(|| drop(message));
                    self.outbound.lost_companion(&companion);
                }
            }
        }
        self.outbound.ended();
    }
}
