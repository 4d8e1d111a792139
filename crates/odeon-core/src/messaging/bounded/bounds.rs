//! The bounds of one actor: what its senders find, and what its owner does with them.

use std::sync::OnceLock;

use super::bound::{Bound, WhenFull};
use super::gate::{Gate, Place};
use super::newest::Newest;
use crate::process::cell::MessageCell;
use crate::vocabulary::message::Message;

/// The bounds of an actor's mailboxes; they lie in its relations from its creation to its end.
pub(crate) struct Bounds<M>(Box<[BoundedMailbox<M>]>);

/// One of the actor's mailboxes; not necessarily with a bound.
pub(super) struct BoundedMailbox<M> {
    /// Unset while the actor has not been made.
    bound: OnceLock<Option<Bound>>,
    pub(super) gate: Gate,
    pub(super) newest: Newest<M>,
}

/// What is done with a message for a mailbox that is full.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// As in any other mailbox: there is pressure.
    Unbounded,
    When(WhenFull),
}

impl<M: Message> Bounds<M> {
    /// `wanted`: not known if the actor will be made in its first turn.
    pub(crate) fn new(wanted: Option<&[Option<Bound>]>) -> Self {
        let mailbox = |_| BoundedMailbox {
            bound: OnceLock::new(),
            gate: Gate::new(0),
            newest: Newest::new(),
        };
        let bounds = Self((0..M::MAILBOXES).map(mailbox).collect());
        if let Some(wanted) = wanted {
            bounds.make_known(wanted);
        }
        bounds
    }

    /// Makes the bounds known to all senders, unless they are.
    #[cold]
    fn make_known(&self, wanted: &[Option<Bound>]) {
        for (mailbox, wanted) in self.0.iter().zip(wanted) {
            if mailbox.bound.get().is_some() {
                continue;
            }
            match wanted {
                Some(Bound { capacity, when_full: WhenFull::DropOldest }) => {
                    mailbox.newest.settle(&mailbox.gate, *capacity);
                }
                Some(Bound { capacity, .. }) => mailbox.gate.set_capacity(*capacity),
                None => mailbox.gate.set_capacity(usize::MAX),
            }
            let first = mailbox.bound.set(*wanted).is_ok();
            debug_assert!(first, "only the owner makes bounds known");
            if !matches!(wanted, Some(Bound { when_full: WhenFull::Wait | WhenFull::Reject, .. })) {
                // Who has waited for a place looks again, and finds that there is no need to.
                mailbox.gate.release();
            }
        }
    }

    pub(super) fn mailbox(&self, mailbox: usize) -> &BoundedMailbox<M> {
        &self.0[mailbox]
    }
}

impl<M> BoundedMailbox<M> {
    /// The mailboxes of an actor that has not been made are full.
    pub(super) fn rule(&self) -> Rule {
        match self.bound.get() {
            None => Rule::When(WhenFull::Wait),
            Some(None) => Rule::Unbounded,
            Some(Some(bound)) => Rule::When(bound.when_full),
        }
    }
}

/// Those of the actor in this cell, if it has any: they lie in its relations before anybody knows
/// it.
fn attached<M: Message>(cell: &MessageCell<M>) -> Option<&Bounds<M>> {
    cell.header.relations.get()?.attachments.get()
}

/// The bounds of the actor in this cell, which has some.
pub(super) fn of<M: Message>(cell: &MessageCell<M>) -> &Bounds<M> {
    let bounds = attached(cell);
    bounds.expect("an actor that is marked as bounded was given its bounds when it was created")
}

/// The owner has made the actor inside.
pub(crate) fn make_known<M: Message>(cell: &MessageCell<M>, wanted: &[Option<Bound>]) {
    of(cell).make_known(wanted);
}

/// The owner has taken a message from this mailbox to handle it. It comes back unless it is to be
/// dropped.
#[inline]
pub(crate) fn taken<M: Message>(cell: &MessageCell<M>, number: usize, message: M) -> Option<M> {
    let mailbox = of(cell).mailbox(number);
    if mailbox.rule() == Rule::When(WhenFull::DropOldest) {
        return mailbox.newest.take(&mailbox.gate, cell, number, message);
    }
    mailbox.gate.leave();
    Some(message)
}

/// The owner, which has lanes, has taken a message from this mailbox, and defers it: its place
/// is free when this is dropped. Such an actor has no mailboxes that drop messages for newer ones.
pub(super) fn taken_deferred<M: Message>(cell: &MessageCell<M>, number: usize) -> Place {
    Place::of(&of(cell).mailbox(number).gate)
}

/// Somebody is to wait for each message of this mailbox.
///
/// # Panics
/// If the mailbox drops messages for newer ones.
#[track_caller]
pub(crate) fn check_keeps_all<M: Message>(cell: &MessageCell<M>, number: usize) {
    let bounds = attached(cell);
    let drops = bounds
        .is_some_and(|bounds| bounds.mailbox(number).rule() == Rule::When(WhenFull::DropOldest));
    assert!(
        !drops,
        "mailbox {number} drops its oldest message when it is full: an answer that is dropped would be waited for without end"
    );
}

/// The end of the actor in this cell: nobody waits for its places any more, and what its mailboxes
/// have not handed on is handed to `dead_letter`.
#[cold]
pub(crate) fn close<M: Message>(cell: &MessageCell<M>, mut dead_letter: impl FnMut(M)) {
    for mailbox in &of(cell).0 {
        mailbox.gate.close();
        mailbox.newest.close(&mut dead_letter);
    }
}
