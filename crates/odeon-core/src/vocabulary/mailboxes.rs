//! Names of mailboxes: what users write where the runtime has numbers.

use crate::vocabulary::message::Message;

/// A value that names a mailbox: its number, or a variant of an enum with `#[derive(Mailboxes)]`.
pub trait MailboxName: Copy {
    /// The mailbox's number, from 0.
    fn number(self) -> usize;
}

/// The mailboxes of an actor as an enum without fields, in the order of their numbers: the first
/// one goes first under the [priority](crate::Selection::priority) policy.
///
/// Derived: `#[derive(Mailboxes)]`. At most 64 variants.
///
/// ```
/// use odeon_core::{MailboxName, Mailboxes, Message, MailboxOf};
///
/// // What the derive macros write:
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Port { Reply, Regular }
/// impl MailboxName for Port {
///     fn number(self) -> usize { self as usize }
/// }
/// impl Mailboxes for Port {
///     const ALL: &'static [Self] = &[Self::Reply, Self::Regular];
/// }
///
/// enum Event { Answer(u32), Order(u32) }
/// impl Message for Event {
///     const MAILBOXES: usize = Port::ALL.len();
///     fn mailbox(&self) -> usize {
///         match self { Event::Answer(_) => Port::Reply.number(), Event::Order(_) => Port::Regular.number() }
///     }
/// }
/// impl MailboxOf<Event> for Port {}
/// assert_eq!(Port::ALL[Event::Order(3).mailbox()], Port::Regular);
/// ```
pub trait Mailboxes: MailboxName + Send + Sync + 'static {
    /// All of them, in order: `ALL[n]` has the number `n`.
    const ALL: &'static [Self];
}

/// Names a mailbox of actors with messages of type `M`.
///
/// `#[derive(Message)]` implements it for the enum whose variants the message's `#[mailbox(..)]`
/// attributes name, so that a name of other mailboxes does not compile. A number names a mailbox of
/// any actor; where there is none of that number, the call panics.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no mailbox of actors with messages of type `{M}`",
    note = "name the enum in the message's `#[mailbox(..)]` or `#[mailboxes(..)]` attributes"
)]
pub trait MailboxOf<M: Message>: MailboxName {}

impl MailboxName for usize {
    #[inline(always)]
    fn number(self) -> usize {
        self
    }
}

impl<M: Message> MailboxOf<M> for usize {}

/// The number of a mailbox that a caller has named.
///
/// # Panics
/// If there is no such mailbox.
#[inline(always)]
#[track_caller]
pub(crate) fn number_of<M: Message>(name: impl MailboxOf<M>) -> usize {
    let mailbox = name.number();
    assert!(
        mailbox < M::MAILBOXES,
        "there is no mailbox {mailbox}: the actor has {} (numbered from 0)",
        M::MAILBOXES
    );
    mailbox
}
