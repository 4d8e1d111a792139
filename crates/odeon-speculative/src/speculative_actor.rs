//! What a user implements.

use crate::context::SpeculativeContext;
use crate::outcome::TxResult;
use odeon_core::{Access, Message};
use odeon_stm::Tx;

/// An actor that may handle several of its messages at once: its state lies in transactional variables, and each
/// message is one transaction.
///
/// # Guarantees
/// What happens is what would happen if the messages were handled one at a time in some order (S24). Messages of one sender are
/// handled in the order in which they were sent (S25). A message is handled wholly or not at all: what an attempt
/// has written, sent, answered or spawned vanishes if it is rolled back (S26).
///
/// # Handlers may run several times
/// An attempt that conflicts with another message is rolled back and the handler is called again. It should do
/// nothing but compute, read and write variables, and ask for effects: by `ctx`, or by sending as any actor does. Time, randomness, files and
/// devices are outside of the transaction: a message that needs them is [`Access::Exclusive`].
///
/// The variables belong to the actor. If others write them too, messages that run alone on the actor
/// ([`Processing::sequential`](crate::Processing::sequential)) are not isolated from them.
pub trait SpeculativeActor: Send + Sync + Sized + 'static {
    /// What this actor can be sent. It has one mailbox.
    type Msg: Message;

    /// How the handler of a message uses the state: what the message says itself ([`Message::access`]), unless this
    /// actor knows better.
    #[inline(always)]
    fn access(msg: &Self::Msg) -> Access {
        msg.access()
    }

    /// Handles one message, as one transaction.
    ///
    /// # Errors
    /// A rollback of the engine, passed on with `?`, has the handler called again; [`fail`](crate::fail) gives the message up.
    fn handle<'t>(
        &'t self,
        msg: &'t Self::Msg,
        tx: &mut Tx<'t, '_>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult;

    /// Runs once before the first message, alone.
    ///
    /// # Errors
    /// As [`handle`](Self::handle); giving up is a failure of the actor.
    fn started<'t>(
        &'t self,
        tx: &mut Tx<'t, '_>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let _ = (tx, ctx);
        Ok(())
    }

    /// Runs once after the last message, before the state is dropped. Not called after a failure.
    fn stopped(&self) {}
}
