//! The actor here through which a reference leads to an actor that is, or may come to be,
//! elsewhere.
//!
//! Whoever has a reference sends to the seat. If the actor sits in it, it handles the message in
//! the seat's turn; otherwise the message is written and handed to the way out (decision 005). So a
//! reference stays what it is when its actor moves.
//!
//! What changes who sits here comes as a mark among the messages (`seat/moving.rs`): when the seat
//! comes to it, nothing that was sent before is under way to the seat any more. While its actor
//! leaves, and while its way out is closed, a seat defers what comes.

mod moving;
mod place;

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;

use odeon_sync::atomic::Ordering;
use odeon_sync::contained::drop_quietly;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::encode;
use super::laned_seat::LanedSeat;
use super::mobile::{Guest, OfKind};
use super::native::{Introduction, desk_of};
use super::outbound::{Departure, NotTaken, Outbound};
use super::slot::Slot;
use super::stand_in::{Desk, Left, PendingDelivery, Stands};
use crate::lifecycle::spawn::{self, Location};
use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::lane::companion::Companion;
use crate::process::cell::{Header, MessageCell};
use crate::process::piped::Continuation;
use crate::process::submit::Submit;
use crate::process::vtable::AnyIntroduction;
use crate::turn::behavior::{Behavior, NoInner};
use crate::turn::context::Context;
use crate::turn::interior::Interior;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::message::Message;

use place::{ActorLocation, Resident};

pub use place::Nobody;

/// See the module.
pub struct Seat<M, G = Nobody>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    place: ActorLocation<M, G>,
    /// What waits until the way is open or the actor has been let go; if the actor sits here, what
    /// came before all else, for an actor with one mailbox.
    deferred: VecDeque<PendingDelivery<M>>,
    /// The actor is to leave once nothing goes on beside it.
    summons: Option<Box<dyn Departure>>,
    /// Keeps the seat's actor while anything is deferred.
    keeps: Option<ActorRef<M>>,
    /// `None`: the actor sits where it was created, and nobody has asked for it (`native.rs`).
    desk: Option<Arc<Desk>>,
    /// How many messages have been given to an actor here.
    handled: u64,
    /// Whether no messages have been taken since the last flush.
    is_flushed: bool,
    /// The actor sits here, and nothing but messages is to be seen to: known with one look instead
    /// of four. Taken back by whatever may change it.
    is_calm: bool,
    /// The theater is lost to which it writes, and it ends for that.
    is_lost: bool,
}

impl<M: Message + Serialize + DeserializeOwned> Seat<M> {
    /// An empty one, on a stage.
    pub(super) fn empty(
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        has_lanes: bool,
    ) -> (ActorRef<M>, Stands<M>) {
        let desk = Arc::new(Desk::new(outbound));
        let seat = Self::new(ActorLocation::Elsewhere, Some(desk.clone()));
        let actor = if has_lanes {
            spawn::at(Location::on(stage), LanedSeat(seat))
        } else {
            spawn::at(Location::on(stage), seat)
        };
        let known = actor.downgrade();
        (actor, Stands { actor: known, desk })
    }
}

impl<M, G> Seat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    /// One in which an actor sits.
    pub(super) fn of(actor: G) -> Self {
        Self::new(ActorLocation::Here(Resident::Native(actor)), None)
    }

    fn new(place: ActorLocation<M, G>, desk: Option<Arc<Desk>>) -> Self {
        Self {
            is_calm: matches!(place, ActorLocation::Here(_)),
            place,
            deferred: VecDeque::new(),
            summons: None,
            keeps: None,
            desk,
            handled: 0,
            is_flushed: true,
            is_lost: false,
        }
    }

    /// The seat's way out. Nobody comes to ask for it before the actor has been introduced.
    fn outbound(&self) -> &dyn Outbound {
        &*self.desk.as_ref().expect("who leaves has been introduced").outbound
    }

    /// Takes a message that cannot be handled straight away.
    #[inline(never)]
    fn take(&mut self, slot: Slot, message: M, ctx: &mut Context<'_, Self>) {
        self.is_calm = false;
        let message = PendingDelivery::Message(slot, message);
        if let ActorLocation::Here(_) = self.place {
            self.deferred.push_back(message);
            self.go_on_seated(ctx);
        } else {
            self.receive(message, ctx.cell());
        }
    }

    /// Takes a message that comes with a lane.
    pub(super) fn take_from(&mut self, slot: Slot, message: M, ctx: &mut Context<'_, Self>) {
        match &mut self.place {
            ActorLocation::Here(guest) if self.deferred.is_empty() => {
                count_handled(&mut self.handled, &self.desk);
                ctx.lent_to(|ctx| guest.take(slot, message, ctx));
            }
            _ => self.take(slot, message, ctx),
        }
    }

    /// Takes a message of this theater with a companion, which cannot go to another one: it is for
    /// an actor that sits here and has been given all that came before.
    pub(super) fn take_with(
        &mut self,
        slot: Slot,
        message: M,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        while !self.deferred.is_empty() && self.go_on_seated(ctx) {}
        match &mut self.place {
            ActorLocation::Here(guest) => {
                count_handled(&mut self.handled, &self.desk);
                ctx.lent_to(|ctx| guest.take_with(slot, message, companion, ctx));
            }
            _ => {
                // Dropped, it tells whom it concerns.
                drop(companion);
                let header = &ctx.cell().header;
                header.stage.theater().dead_letter(header.id, DeadLetterReason::Stopped, message);
            }
        }
    }

    /// Whether there is more to see to than messages.
    fn has_more(&self) -> bool {
        if !self.is_flushed || !self.deferred.is_empty() || self.summons.is_some() {
            return true;
        }
        matches!(self.place, ActorLocation::Elsewhere)
            && (self.outbound().pressing() > 0 || self.has_failed_elsewhere())
    }

    fn has_failed_elsewhere(&self) -> bool {
        // ORDERING: Acquire: pairs with the Release of whoever says so.
        self.desk.as_ref().is_some_and(|desk| desk.has_failed.load(Ordering::Acquire))
    }

    /// Whether the actor sits here.
    pub(super) fn is_seated(&self) -> bool {
        matches!(self.place, ActorLocation::Here(_))
    }

    /// The actor, if it sits here, also if it is about to leave.
    pub(super) fn guest(&self) -> Option<&dyn Guest<M>> {
        match &self.place {
            ActorLocation::Here(guest) | ActorLocation::Leaving(guest, _) => Some(&**guest),
            ActorLocation::Elsewhere => None,
        }
    }

    /// As [`guest`](Self::guest).
    pub(super) fn guest_mut(&mut self) -> Option<&mut (dyn Guest<M> + 'static)> {
        match &mut self.place {
            ActorLocation::Here(guest) | ActorLocation::Leaving(guest, _) => Some(&mut **guest),
            ActorLocation::Elsewhere => None,
        }
    }

    /// Something for an actor that does not sit here, or not for long.
    fn receive(&mut self, waiting: PendingDelivery<M>, cell: &MessageCell<M>) {
        let is_elsewhere = matches!(self.place, ActorLocation::Elsewhere);
        if is_elsewhere && self.deferred.is_empty() && self.outbound().is_open() {
            self.hand_over(waiting, cell);
        } else {
            self.keep(cell);
            self.deferred.push_back(waiting);
        }
    }

    fn keep(&mut self, cell: &MessageCell<M>) {
        self.keeps.get_or_insert_with(|| ActorRef::in_turn_of(cell));
    }

    /// Hands over what is deferred, as long as the way is open. `false`: something is left.
    fn hand_over_all(&mut self, cell: &MessageCell<M>) -> bool {
        while let Some(waiting) = self.deferred.pop_front() {
            if !self.hand_over(waiting, cell) {
                return false;
            }
        }
        self.keeps = None;
        true
    }

    /// `false`: the way is closed, or the actor stays since it leads nowhere any more, and it is
    /// the first of those deferred.
    fn hand_over(&mut self, waiting: PendingDelivery<M>, cell: &MessageCell<M>) -> bool {
        let taken = match &waiting {
            PendingDelivery::Message(slot, message) => {
                self.outbound().take(*slot, &mut |passage, bytes| encode(passage, message, bytes))
            }
            PendingDelivery::Accompanied(slot, message, companion) => {
                self.outbound().take_accompanied(*slot, companion, &mut |passage, bytes| {
                    encode(passage, message, bytes)
                })
            }
            PendingDelivery::Mark(mark) => self.outbound().pass(mark),
        };
        self.is_flushed = false;
        let may_stay = matches!(self.place, ActorLocation::Leaving(..))
            && !matches!(waiting, PendingDelivery::Accompanied(..));
        let reason = match taken {
            Ok(()) => {
                // A user's destructor: its panic is not to take along the seat, and all references
                // that lead by it.
                drop_quietly(waiting);
                return true;
            }
            Err(error)
                if error == NotTaken::Closed || may_stay && error == NotTaken::Unreachable =>
            {
                self.keep(cell);
                self.deferred.push_front(waiting);
                return false;
            }
            Err(NotTaken::Unwritable(_)) => DeadLetterReason::Unwritable,
            Err(NotTaken::Unreachable | NotTaken::Closed) => DeadLetterReason::Unreachable,
        };
        let header = &cell.header;
        match waiting {
            PendingDelivery::Message(_, message) => {
                header.stage.theater().dead_letter(header.id, reason, message);
            }
            PendingDelivery::Accompanied(_, message, companion) => {
                header.stage.theater().dead_letter(header.id, reason, message);
                self.outbound().lost_companion(&companion);
            }
            PendingDelivery::Mark(mark) => self.outbound().lost(&mark),
        }
        true
    }

    /// The actor that sits here goes on with what came before all else. `false`: there is nothing.
    fn go_on_seated(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let ActorLocation::Here(guest) = &mut self.place else { return false };
        match self.deferred.pop_front() {
            None => return false,
            Some(PendingDelivery::Message(slot, message)) => {
                count_handled(&mut self.handled, &self.desk);
                ctx.lent_to(|ctx| guest.take(slot, message, ctx));
            }
            Some(PendingDelivery::Accompanied(_, message, companion)) => {
                self.refuse(message, &companion, ctx.cell());
            }
            Some(PendingDelivery::Mark(mark)) => {
                // With several mailboxes nothing is deferred while the actor sits here, unless it
                // sorts messages itself.
                if self.come_to(mark, &mut Interior::new(ctx.cell(), None)) {
                    ctx.stop();
                }
            }
        }
        if self.deferred.is_empty() && matches!(self.place, ActorLocation::Here(_)) {
            self.keeps = None;
        }
        true
    }
}

/// The actor is given a message. One that is about to be introduced comes to its desk with the mark
/// that is left for it then.
#[inline]
fn count_handled(handled: &mut u64, desk: &Option<Arc<Desk>>) {
    *handled += 1;
    if let Some(desk) = desk {
        desk.has_handled(*handled);
    }
}

/// In a seat's turn: the seat comes to its desk, if it has got one.
fn take_desk<'a>(desk: &'a mut Option<Arc<Desk>>, header: &Header) -> Option<&'a Desk> {
    if desk.is_none() {
        let made = desk_of(header)?;
        // ORDERING: Relaxed: looked at when the seat has ended, behind this turn.
        made.is_taken.store(true, Ordering::Relaxed);
        *desk = Some(made);
    }
    desk.as_deref()
}

impl<M, G> Behavior for Seat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    type Msg = M;
    type Inner = NoInner<M>;
    const DEFERS: bool = true;
    const MAY_MOVE: bool = true;
    const INTRODUCTION: Option<AnyIntroduction> = match &Introduction::of_kind::<M, G>() {
        Some(introduction) => Some(introduction),
        None => None,
    };

    #[inline]
    fn handle(&mut self, message: M, ctx: &mut Context<'_, Self>) {
        match &mut self.place {
            ActorLocation::Here(guest) if self.is_calm || self.deferred.is_empty() => {
                self.is_calm = self.is_calm || self.is_flushed && self.summons.is_none();
                count_handled(&mut self.handled, &self.desk);
                ctx.lent_to(|ctx| match guest {
                    // Not by way of a table.
                    Resident::Native(native) => native.handle(message, ctx),
                    Resident::Come(guest) => guest.handle(message, ctx),
                });
            }
            _ => self.take(Slot::of_mailbox(ctx.mailbox()), message, ctx),
        }
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if let ActorLocation::Here(guest) = &mut self.place {
            ctx.lent_to(|ctx| guest.started(ctx));
        }
    }

    fn stopped(&mut self) {
        if let ActorLocation::Here(guest) | ActorLocation::Leaving(guest, _) = &mut self.place {
            guest.stopped();
        }
    }

    fn selection(&self) -> Selection {
        match &self.place {
            ActorLocation::Here(guest) => guest.selection(),
            _ => Selection::priority(),
        }
    }

    fn guards(&self, guards: &mut DeclaredGuards<'_, M>) {
        if let ActorLocation::Here(guest) = &self.place {
            guest.guards(guards);
        }
    }

    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        // While anything is to go on the actor does not leave.
        if let ActorLocation::Here(guest) = &mut self.place {
            ctx.lent_to(|ctx| guest.pipe(continuation, ctx));
        }
    }

    fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn marked(&mut self, interior: &mut Interior<'_, M>) -> bool {
        self.is_calm = false;
        let Some(desk) = take_desk(&mut self.desk, &interior.cell.header) else { return false };
        desk.has_handled(self.handled);
        let mark = match desk.next() {
            None => return false,
            Some(Left::Mark(mark)) => mark,
            Some(Left::Accompanied(slot, message, companion)) => {
                let message = message.downcast().expect("left by a stand-in of this seat");
                self.take_accompanied(slot, *message, companion, interior);
                return false;
            }
        };
        if matches!(self.place, ActorLocation::Here(_)) && !self.deferred.is_empty() {
            self.deferred.push_back(PendingDelivery::Mark(mark));
            return false;
        }
        self.come_to(mark, interior)
    }

    #[inline]
    fn has_deferred(&self) -> bool {
        debug_assert!(!self.is_calm || !self.has_more());
        !self.is_calm && self.has_more()
    }

    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        match self.place {
            ActorLocation::Here(_) => {
                if self.go_on_seated(ctx) {
                    return true;
                }
                let mut went_on = false;
                if let ActorLocation::Here(guest) = &mut self.place {
                    ctx.lent_to(|ctx| went_on = guest.go_on(ctx));
                }
                if went_on {
                    return true;
                }
                self.look_at_summons(ctx.cell());
            }
            ActorLocation::Leaving(..) => {}
            ActorLocation::Elsewhere => {
                if self.has_failed_elsewhere() {
                    resume_unwind(Box::new(
                        "the actor elsewhere, for which this one stands, has failed",
                    ));
                }
                if !self.deferred.is_empty() && self.outbound().is_open() {
                    self.hand_over_all(ctx.cell());
                }
            }
        }
        if !std::mem::replace(&mut self.is_flushed, true) {
            self.outbound().flush();
        }
        false
    }

    fn deferred(&self) -> usize {
        self.deferred.len()
    }

    fn pressing(&self) -> usize {
        match self.place {
            ActorLocation::Here(_) => self.deferred.len(),
            // What it waits for may come behind what would be held back.
            ActorLocation::Leaving(..) => 0,
            ActorLocation::Elsewhere => self.deferred.len() + self.outbound().pressing(),
        }
    }

    fn give_back(&mut self, take: &mut dyn FnMut(M)) {
        for waiting in std::mem::take(&mut self.deferred) {
            match waiting {
                PendingDelivery::Message(_, message) => take(message),
                PendingDelivery::Accompanied(_, message, companion) => {
                    take(message);
                    self.outbound().lost_companion(&companion);
                }
                PendingDelivery::Mark(mark) => self.outbound().lost(&mark),
            }
        }
    }
}

impl<M, G> Drop for Seat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    fn drop(&mut self) {
        if let Some(desk) = &self.desk {
            desk.close();
        }
    }
}
