//! What a seat does about an actor that leaves it, or comes.

use std::collections::VecDeque;
use std::mem;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Seat;
use super::place::{ActorLocation, Resident};
use crate::extend::wire::codec::encode;
use crate::extend::wire::mobile::{Guest, OfKind};
use crate::extend::wire::outbound::{Began, Bid, Earlier, NotTaken, Occupied, Settler, Traveller};
use crate::extend::wire::passage::Passage;
use crate::extend::wire::slot::Slot;
use crate::extend::wire::stand_in::{Before, LOOK, LOST, PendingDelivery};
use crate::extend::{self, Awaits, TakenLetter};
use crate::mailbox::written_guards::WrittenGuards;
use crate::messaging::actor_ref::ActorRef;
use crate::process::cell::MessageCell;
use crate::turn::interior::Interior;
use crate::vocabulary::contain::contain;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::message::Message;

impl<M, G> Seat<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    /// The seat has come to a mark. `true`: its actor wants to stop.
    pub(super) fn come_to(&mut self, mark: Vec<u8>, interior: &mut Interior<'_, M>) -> bool {
        if mark == LOOK {
            self.leave_if_alone(interior);
            return false;
        }
        if mark == LOST {
            return self.is_lost(interior);
        }
        let occupied = match self.place {
            ActorLocation::Here(_) => Occupied::ByTheActor,
            ActorLocation::Leaving(..) => Occupied::ByOneThatLeaves,
            ActorLocation::Elsewhere => Occupied::No,
        };
        match self.outbound().heed(&mark, occupied) {
            Bid::Nothing => {}
            Bid::Pass => self.pass(mark, interior),
            Bid::Leave(departure) if self.summons.is_some() => {
                departure.refuse("it is about to move already");
            }
            Bid::Leave(departure) => {
                self.summons = Some(departure);
                self.leave_if_alone(interior);
            }
            Bid::Go => self.go(interior),
            Bid::Stay(settler) => return self.stay(settler, interior),
            Bid::Settle { settler, guards, earlier } => {
                return self.settle(settler, guards, earlier, interior);
            }
        }
        false
    }

    /// `true`: it ends. What has come until here is told to be beyond reach.
    fn is_lost(&mut self, interior: &mut Interior<'_, M>) -> bool {
        if !matches!(self.place, ActorLocation::Elsewhere) {
            return false;
        }
        self.defer_sorted(interior);
        self.hand_over_all(interior.cell);
        self.is_lost = true;
        true
    }

    /// A message with a companion, which goes with it to another theater: an actor that sits here
    /// takes none.
    pub(super) fn take_accompanied(
        &mut self,
        slot: Slot,
        message: M,
        companion: Vec<u8>,
        interior: &mut Interior<'_, M>,
    ) {
        let cell = interior.cell;
        if !matches!(self.place, ActorLocation::Elsewhere) {
            return self.refuse(message, &companion, cell);
        }
        // What was sent before it and not yet selected goes before it.
        interior.drain(|mailbox, message| {
            self.receive(PendingDelivery::Message(Slot::of_mailbox(mailbox), message), cell);
        });
        self.receive(PendingDelivery::Accompanied(slot, message, companion), cell);
    }

    pub(super) fn refuse(&mut self, message: M, companion: &[u8], cell: &MessageCell<M>) {
        let header = &cell.header;
        header.stage.theater().dead_letter(header.id, DeadLetterReason::Stopped, message);
        self.outbound().lost_companion(companion);
    }

    fn pass(&mut self, mark: Vec<u8>, interior: &mut Interior<'_, M>) {
        let cell = interior.cell;
        // What was sent before it and not yet selected goes before it.
        interior.drain(|mailbox, message| {
            self.receive(PendingDelivery::Message(Slot::of_mailbox(mailbox), message), cell);
        });
        self.receive(PendingDelivery::Mark(mark), cell);
    }

    /// The seat is about to go idle: if its actor is to leave, and can, it is reminded of that.
    pub(super) fn look_at_summons(&mut self, cell: &MessageCell<M>) {
        if self.summons.is_none() || Interior::new(cell, None).has_pipes() {
            return;
        }
        let ActorLocation::Here(guest) = &mut self.place else { return };
        if guest.may_leave(&|| ActorRef::in_turn_of(cell)) {
            let desk = self.desk.as_ref().expect("whoever is to leave has been introduced");
            desk.leave_mark(&ActorRef::in_turn_of(cell), LOOK.to_vec());
        }
    }

    fn leave_if_alone(&mut self, interior: &mut Interior<'_, M>) {
        if interior.has_pipes() {
            return;
        }
        let cell = interior.cell;
        if let (ActorLocation::Here(guest), false) = (&mut self.place, interior.has_children()) {
            if self.summons.is_some() && !guest.may_leave(&|| ActorRef::in_turn_of(cell)) {
                return;
            }
        }
        let Some(departure) = self.summons.take() else { return };
        if interior.has_children() {
            if let ActorLocation::Here(guest) = &mut self.place {
                guest.stays();
            }
            return departure.refuse("it has children, which cannot move with it");
        }
        let mut guest = match mem::replace(&mut self.place, ActorLocation::Elsewhere) {
            ActorLocation::Here(guest) => guest,
            other => {
                self.place = other;
                return departure.refuse("it is about to move already");
            }
        };
        let newer = mem::take(&mut self.deferred);
        guest.hand_over(&mut |slot, message| {
            self.deferred.push_back(PendingDelivery::Message(slot, message));
        });
        let guards = interior.guards();
        let traveller = Traveller {
            kind: guest.kind(),
            version: guest.version(),
            layouts: guest.layouts(),
            guards,
            encode: &mut |passage, bytes| guest.write(passage, bytes),
            read: guest.read_again(),
        };
        let begun = extend::packs(&ActorRef::in_turn_of(cell), || departure.begin(traveller));
        if let Began::Stays(settler) = begun {
            self.place = ActorLocation::Here(stays(guest, settler));
            self.deferred.extend(newer);
            if !self.deferred.is_empty() {
                self.keep(cell);
            }
            return;
        }
        self.place = ActorLocation::Leaving(guest, guards);
        self.keep(cell);
        interior.drain(|mailbox, message| {
            self.deferred.push_back(PendingDelivery::Message(Slot::of_mailbox(mailbox), message));
        });
        self.deferred.extend(newer);
        interior.open();
        // Some of the marks that wait here may not have to wait until the actor is let go.
        let outbound = &self.desk.as_ref().expect("whoever leaves has been introduced").outbound;
        self.deferred.retain(|waiting| match waiting {
            PendingDelivery::Message(..) | PendingDelivery::Accompanied(..) => true,
            PendingDelivery::Mark(mark) => !outbound.heeds_early(mark),
        });
    }

    /// Hands over what is deferred, and lets the actor go behind it; unless the way there has been
    /// lost before.
    fn go(&mut self, interior: &mut Interior<'_, M>) {
        debug_assert!(matches!(self.place, ActorLocation::Leaving(..)), "it has been written");
        self.defer_sorted(interior);
        let me = ActorRef::in_turn_of(interior.cell);
        let mut has_gone = self.hand_over_all(interior.cell);
        if has_gone {
            self.hand_over_letters(&me);
            has_gone = self.outbound().gone();
        }
        self.outbound().flush();
        self.is_flushed = true;
        if !has_gone {
            return self.keep(interior.cell);
        }
        drop(me);
        let guest = mem::replace(&mut self.place, ActorLocation::Elsewhere);
        // The user's code.
        contain(|| drop(guest));
    }

    /// The actor's letters go behind it. One that is to be sent at this moment has been sent here
    /// already, or is handed over: whoever takes the message has it.
    fn hand_over_letters(&mut self, me: &ActorRef<M>) {
        let header = &me.cell().header;
        let theater = header.stage.theater();
        let now = theater.now();
        for letter in extend::take_letters(me) {
            let TakenLetter { name, awaits, message } = &letter;
            let awaits = match *awaits {
                Awaits::Time(due) => Awaits::Time(due.saturating_sub(now)),
                Awaits::End => Awaits::End,
            };
            let encode =
                &mut |passage: &dyn Passage, bytes: &mut Vec<u8>| encode(passage, message, bytes);
            let (reason, message) = match self.outbound().take_letter(*name, awaits, encode) {
                Ok(()) => continue,
                // It waits here: its actor stays.
                Err(NotTaken::Closed | NotTaken::Unreachable) => {
                    match extend::keep_letter(me, letter) {
                        Ok(()) => continue,
                        Err(message) => (DeadLetterReason::Unreachable, message),
                    }
                }
                Err(NotTaken::Unwritable(_)) => (DeadLetterReason::Unwritable, letter.message),
            };
            theater.dead_letter(header.id, reason, message);
        }
    }

    fn stay(&mut self, settler: Option<Settler>, interior: &mut Interior<'_, M>) -> bool {
        let ActorLocation::Leaving(guest, guards) =
            mem::replace(&mut self.place, ActorLocation::Elsewhere)
        else {
            unreachable!("only an actor that has been written can be kept");
        };
        self.defer_sorted(interior);
        // In its place before its own code runs: a panic of that is to find it there.
        self.place = ActorLocation::Here(stays(guest, settler));
        self.begin(guards, interior);
        self.sort(interior)
    }

    fn settle(
        &mut self,
        settler: Settler,
        guards: WrittenGuards,
        earlier: Earlier,
        interior: &mut Interior<'_, M>,
    ) -> bool {
        let guest = settler.guest().expect("the network has compared the types of messages");
        let Before { waiting, letters } = earlier.all::<Before<M>>();
        let newer = mem::replace(&mut self.deferred, VecDeque::from(waiting));
        self.deferred.extend(newer);
        self.defer_sorted(interior);
        // As in `stay`.
        self.place = ActorLocation::Here(Resident::Come(guest));
        self.begin(guards, interior);
        let me = ActorRef::in_turn_of(interior.cell);
        for letter in letters {
            if let Err(message) = extend::keep_letter(&me, letter) {
                // What it read of its state it has thrown away.
                let header = &interior.cell.header;
                let reason = DeadLetterReason::Unreachable;
                header.stage.theater().dead_letter(header.id, reason, message);
            }
        }
        let stops = match &mut self.place {
            ActorLocation::Here(guest) => guest.arrived(interior),
            _ => false,
        };
        self.sort(interior) || stops
    }

    /// The actor that sits here begins with these guards.
    fn begin(&self, guards: WrittenGuards, interior: &mut Interior<'_, M>) {
        if let ActorLocation::Here(guest) = &self.place {
            interior.begin(guards, guest.selection());
        }
    }

    /// What has been taken from the inbox, and not selected, is newer than what is deferred.
    fn defer_sorted(&mut self, interior: &mut Interior<'_, M>) {
        interior.drain(|mailbox, message| {
            self.deferred.push_back(PendingDelivery::Message(Slot::of_mailbox(mailbox), message));
        });
    }

    /// Puts what is deferred into the mailboxes of the actor that sits here, if it has several and
    /// does not sort messages itself. `true`: it wants to stop.
    fn sort(&mut self, interior: &mut Interior<'_, M>) -> bool {
        let mut stops = false;
        let has_lanes = interior.cell.header.vtable.laned;
        while M::MAILBOXES > 1 && !has_lanes && matches!(self.place, ActorLocation::Here(_)) {
            match self.deferred.pop_front() {
                None => break,
                Some(PendingDelivery::Mark(mark)) => stops |= self.come_to(mark, interior),
                Some(PendingDelivery::Accompanied(_, message, companion)) => {
                    self.refuse(message, &companion, interior.cell);
                }
                Some(PendingDelivery::Message(slot, message)) => {
                    let kept = interior.put(slot.mailbox, message);
                    debug_assert!(kept.is_none(), "there are several mailboxes");
                }
            }
        }
        if self.deferred.is_empty() && matches!(self.place, ActorLocation::Here(_)) {
            self.keeps = None;
        } else {
            self.keep(interior.cell);
        }
        stops
    }
}

/// Who sits here if an actor stays that was about to leave: as it was, or read again.
fn stays<M, G>(guest: Resident<M, G>, settler: Option<Settler>) -> Resident<M, G>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + 'static,
{
    match settler.and_then(Settler::guest) {
        None => guest,
        Some(again) => {
            // The user's code.
            contain(|| drop(guest));
            Resident::Come(again)
        }
    }
}
