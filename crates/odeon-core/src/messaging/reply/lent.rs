//! What the compiler says to `reply.send(value)` where the reply is only borrowed.

use super::Reply;

/// Not implemented: its message is what it is for.
#[diagnostic::on_unimplemented(
    message = "a reply in a borrowed message cannot be sent: a speculative actor answers by `ctx.reply(reply, value)`",
    label = "`send` takes the reply out of its message, which may have to be handled again",
    note = "other actors own their messages: match on the message itself instead of a reference to it"
)]
pub trait Owned {}

/// Found by the compiler before [`Reply::send`] if the reply is borrowed, so that it can say what
/// to do.
#[doc(hidden)]
pub trait SendBorrowed<T>: Sized {
    fn send(self, value: T)
    where
        Self: Owned,
    {
        let _ = value;
    }
}

impl<T> SendBorrowed<T> for &Reply<T> {}
