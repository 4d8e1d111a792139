//! What a user implements.

use crate::actor::context::SpeculativeContext;
use crate::actor::outcome::TxResult;
use odeon_core::{Access, Message};
use odeon_stm::Tx;

/// An actor that may handle several of its messages at once: its state lies in transactional
/// variables, and each message is one transaction.
///
/// # Guarantees
/// What happens is what would happen if the messages were handled one at a time in some order
/// (S24). Messages of one sender to one mailbox are handled in the order in which they were sent
/// (S25), each in a state that the mailbox's [guard](Self::admits) admits it for (S3). A message is
/// handled wholly or not at all: what an attempt has written, sent, answered or spawned vanishes if
/// it is rolled back (S26).
///
/// # Handlers may run several times
/// An attempt that conflicts with another message is rolled back and the handler is called again.
/// It should do nothing but compute, read and write variables, and ask for effects: by `ctx`, or by
/// sending as any actor does. Time, randomness, files and devices are outside of the transaction: a
/// message that needs them is [`Access::Exclusive`].
///
/// The variables belong to the actor. If others write them too, messages that run alone on the
/// actor ([`Processing::sequential`](crate::Processing::sequential)) are not isolated from them.
///
/// What a handler changes in a `Cell`, an atomic or behind a lock is no part of its transaction: it
/// stays when the attempt is rolled back. `#[derive(Transactional)]` of the facade crate refuses
/// such fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no speculative actor",
    note = "an `Actor` and an `AsyncActor` are spawned with `spawn` and its like"
)]
pub trait SpeculativeActor: Send + Sync + Sized + 'static {
    /// What this actor can be sent: its mailboxes too, 1 to 64, each with a [guard](Self::admits).
    type Msg: Message;

    /// How the handler of a message uses the state: what the message says itself
    /// ([`Message::access`]), unless this actor knows better.
    #[inline(always)]
    fn access(msg: &Self::Msg) -> Access {
        msg.access()
    }

    /// Handles one message, as one transaction.
    ///
    /// # Errors
    /// A rollback of the engine, passed on with `?`, has the handler called again;
    /// [`fail`](crate::fail) gives the message up.
    fn handle<'t>(
        &'t self,
        msg: &'t Self::Msg,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult;

    /// The guard of a mailbox: whether its messages may be handled in the state that `tx` sees. For
    /// an actor with several mailboxes this is asked before each message, in the message's own
    /// transaction. If it says no, the attempt is rolled back, the handler is not called, and the
    /// message waits, without a worker, until something that the guard has read is changed by a
    /// commit: of another message, or of a coordinated transaction. What its sender has sent to the
    /// same mailbox waits behind it, and nothing else does.
    ///
    /// What the guard has read is validated together with what the handler has read. So the handler
    /// finds the state that the guard has seen, and of two messages that a guard admits one by one
    /// never both pass it. That is not so for a message with [`Access::Relaxed`].
    ///
    /// A guard is asked any number of times: it should do nothing but read variables. One that
    /// refuses without having read anything fails the message, which would wait for ever. Without a
    /// guard all mailboxes are open; handlers cannot open or close them.
    ///
    /// Usually written by `#[guards]` of the facade crate, from functions that are marked
    /// `#[guard(mailbox, ..)]`.
    ///
    /// ```
    /// use odeon_core::{Message, Reply, Theater};
    /// use odeon_speculative::*;
    /// use odeon_stm::{TVar, Tx};
    ///
    /// enum Use { Put(u32), Get(Reply<u32>) }
    /// impl Message for Use {
    ///     const MAILBOXES: usize = 2;
    ///     fn mailbox(&self) -> usize { match self { Use::Put(_) => 0, Use::Get(_) => 1 } }
    /// }
    ///
    /// /// Holds one item at most.
    /// struct Place(TVar<Option<u32>>);
    ///
    /// impl SpeculativeActor for Place {
    ///     type Msg = Use;
    ///
    ///     /// Mailbox 0 is open while it is empty, mailbox 1 while it is full.
    ///     fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
    ///         Ok(self.0.get(tx)?.is_none() == (mailbox == 0))
    ///     }
    ///
    ///     fn handle<'t>(
    ///         &'t self,
    ///         msg: &'t Use,
    ///         tx: &mut Tx<'t>,
    ///         ctx: &mut SpeculativeContext<'_, Self>,
    ///     ) -> TxResult {
    ///         match msg {
    ///             Use::Put(item) => self.0.set(tx, Some(*item))?,
    ///             Use::Get(reply) => {
    ///                 ctx.reply(reply, self.0.get(tx)?.expect("guarded"));
    ///                 self.0.set(tx, None)?;
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let place = theater.spawn_speculative(Place(TVar::new(None)), Processing::default());
    /// let early = place.ask(Use::Get);
    /// place.send(Use::Put(1))?;
    /// place.send(Use::Put(2))?;
    /// assert_eq!((early.wait()?, place.ask(Use::Get).wait()?), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`handle`](Self::handle), for the message.
    #[inline(always)]
    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        let _ = (mailbox, tx);
        Ok(true)
    }

    /// Runs once before the first message, alone.
    ///
    /// # Errors
    /// As [`handle`](Self::handle); giving up is a failure of the actor.
    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        let _ = (tx, ctx);
        Ok(())
    }

    /// Runs once after the last message, before the state is dropped. Not called after a failure.
    fn stopped(&self) {}
}
