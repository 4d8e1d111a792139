//! Mailboxes and guards of an actor as the actor itself finds them: for one that moves between
//! theaters with all it has.

use crate::mailbox::Guards;
use crate::mailbox::selection::Selection;
use crate::mailbox::written_guards::WrittenGuards;
use crate::process::cell::{MessageCell, Selector};
use crate::process::relations::Relations;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::turn::guarding;
use crate::vocabulary::message::Message;

/// The inside of an actor, in its own turn. The messages in it have been taken from the inbox and
/// not been handled: those that wait for their mailbox to be selected or opened. An actor with one
/// mailbox has none.
pub struct Interior<'a, M: Message> {
    pub(crate) cell: &'a MessageCell<M>,
    selector: Option<&'a mut Selector<M>>,
}

impl<'a, M: Message> Interior<'a, M> {
    pub(crate) fn new(cell: &'a MessageCell<M>, selector: Option<&'a mut Selector<M>>) -> Self {
        Self { cell, selector }
    }

    /// Takes all messages: of each mailbox the oldest first.
    pub fn drain(&mut self, mut take: impl FnMut(usize, M)) {
        if let Some(selector) = &mut self.selector {
            while let Some((mailbox, message)) = selector.set.take_any() {
                take(mailbox, message);
            }
        }
    }

    /// Puts a message behind the others of its mailbox. Answers it if there is only one mailbox,
    /// whose messages are not kept here.
    pub fn put(&mut self, mailbox: usize, message: M) -> Option<M> {
        let Some(selector) = &mut self.selector else { return Some(message) };
        selector.set.put(mailbox, message);
        None
    }

    /// The guards.
    pub fn guards(&self) -> WrittenGuards {
        self.selector.as_ref().map_or(WrittenGuards::ALL_OPEN, |selector| selector.guards.written())
    }

    /// Sets all guards, and from here on has messages selected as `selection` says.
    pub fn begin(&mut self, guards: WrittenGuards, selection: Selection) {
        let Some(selector) = &mut self.selector else { return };
        selector.guards = Guards::read(guards);
        let order =
            guarding::begin(&self.cell.header, &mut selector.guards, selection, M::MAILBOXES);
        selector.set.set_order(order);
    }

    /// Opens all mailboxes, whatever the actor waits for, and has the lowest one selected first.
    pub fn open(&mut self) {
        self.begin(WrittenGuards::ALL_OPEN, Selection::priority());
    }

    /// Whether something goes on beside the actor that comes back to it: a pipe, a fork.
    pub fn has_pipes(&self) -> bool {
        self.cell.header.relations.get().is_some_and(Relations::has_pipes)
    }

    /// Whether the actor has children.
    pub fn has_children(&self) -> bool {
        self.cell.header.relations.get().is_some_and(Relations::has_children)
    }

    /// Has an actor of these messages work in the place of this one; `true`: it wants to stop.
    pub fn lend<A: Behavior<Msg = M>>(&mut self, work: impl FnOnce(&mut Context<'_, A>)) -> bool {
        let guards = self.selector.as_deref_mut().map(|selector| &mut selector.guards);
        let mut ctx = Context::new(self.cell, guards);
        work(&mut ctx);
        ctx.wants_stop()
    }
}
