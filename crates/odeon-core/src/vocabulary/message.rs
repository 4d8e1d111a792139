//! What can be sent to an actor.

use crate::vocabulary::access::Access;

/// The most mailboxes that one actor can have: one bit each in a word.
pub const MAX_MAILBOXES: usize = 64;

/// A message: any sendable value, and which of its receiver's mailboxes it goes to.
///
/// Usually derived: `#[derive(Message)]` on the message enum, with `#[mailbox(n)]` on variants that
/// do not go to mailbox 0, and `#[access(kind)]` on those that do not [update](Access::Update). An
/// actor has as many mailboxes as its message type names, 1 to 64; mailbox 0 has the highest
/// priority.
///
/// ```
/// use odeon_core::Message;
///
/// enum Job { Urgent(u32), Ordinary(u32) }
///
/// impl Message for Job {
///     const MAILBOXES: usize = 2;
///     fn mailbox(&self) -> usize {
///         match self { Job::Urgent(_) => 0, Job::Ordinary(_) => 1 }
///     }
/// }
/// assert_eq!(Job::Ordinary(1).mailbox(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    note = "a struct or enum of your own: `#[derive(Message)]`, or `impl Message for {Self} {{}}`",
    note = "of other types those named here are messages, tuples and `Option` for example not: put them into a struct of your own"
)]
pub trait Message: Send + 'static {
    /// How many mailboxes an actor with this message type has: 1 to 64, checked when the program
    /// is compiled.
    const MAILBOXES: usize = 1;

    /// The mailbox this message goes to, below [`MAILBOXES`](Self::MAILBOXES).
    #[inline(always)]
    fn mailbox(&self) -> usize {
        0
    }

    /// What this message is called in reports: the type, unless it is derived, or said otherwise;
    /// the derive says the variant.
    #[cold]
    fn message_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// How its handler uses the state of an actor that may handle several messages at once.
    /// `#[derive(Message)]` writes it from `#[access(snapshot)]` and the like on variants.
    ///
    /// ```
    /// use odeon_core::{Access, Message};
    ///
    /// enum Account { Deposit(u64), Balance }
    ///
    /// impl Message for Account {
    ///     fn access(&self) -> Access {
    ///         match self { Account::Deposit(_) => Access::Update, Account::Balance => Access::Snapshot }
    ///     }
    /// }
    /// assert!(Account::Balance.access().only_reads() && !Account::Deposit(3).access().only_reads());
    /// ```
    #[inline(always)]
    fn access(&self) -> Access {
        Access::Update
    }
}

/// The mailbox of `message`, after the checks that the type system cannot make.
///
/// # Panics
/// If the message names a mailbox its type does not have.
#[inline(always)]
#[track_caller]
pub(crate) fn mailbox_of<M: Message>(message: &M) -> usize {
    const {
        assert!(
            M::MAILBOXES >= 1 && M::MAILBOXES <= MAX_MAILBOXES,
            "a message type has 1 to 64 mailboxes"
        )
    };
    if M::MAILBOXES == 1 {
        return 0;
    }
    let mailbox = message.mailbox();
    assert!(
        mailbox < M::MAILBOXES,
        "message for mailbox {mailbox}, but its type has {} (numbered from 0)",
        M::MAILBOXES
    );
    mailbox
}

macro_rules! plain_messages {
    ($($type:ty),*) => { $(impl Message for $type {})* };
}

plain_messages!(
    (),
    bool,
    char,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    f32,
    f64,
    String,
    &'static str
);

impl<T: Send + 'static> Message for Vec<T> {}
impl<T: Send + 'static> Message for Box<T> {}
