//! How handlers join messages to the transaction of the one they handle.

use super::plan::{Delivery, Join};
use crate::actor::context::SpeculativeContext;
use crate::actor::speculative_actor::SpeculativeActor;
use odeon_core::extend;
use odeon_core::{ActorRef, MailboxRef, Message};

impl<A: SpeculativeActor> SpeculativeContext<'_, A> {
    /// Sends a message that is handled wholly or not at all together with the present one, as if at
    /// one moment: `other` sees what this handler has written, and what it writes itself is
    /// committed with it. The message comes behind what this actor has sent to `other` before;
    /// plain sends of this attempt leave with its commit, and so behind it.
    ///
    /// A message that was not part of a coordinated transaction becomes the first one of its own;
    /// for that its handler is called again. A message with
    /// [`Access::Exclusive`](crate::Access::Exclusive) cannot take part.
    ///
    /// ```
    /// use odeon_core::{ActorRef, Message, Reply, Theater};
    /// use odeon_speculative::*;
    /// use odeon_stm::{TVar, Tx};
    ///
    /// /// The sum of what several actors have, as of one moment: it goes from one to the next.
    /// enum Part { Sum(u64, Reply<u64>) }
    /// impl Message for Part {}
    ///
    /// struct Holder { value: TVar<u64>, next: Option<ActorRef<Part>> }
    ///
    /// impl SpeculativeActor for Holder {
    ///     type Msg = Part;
    ///     fn handle<'t>(
    ///         &'t self,
    ///         msg: &'t Part,
    ///         tx: &mut Tx<'t>,
    ///         ctx: &mut SpeculativeContext<'_, Self>,
    ///     ) -> TxResult {
    ///         let Part::Sum(before, reply) = msg;
    ///         let sum = before + self.value.get(tx)?;
    ///         match &self.next {
    ///             Some(next) => {
    ///                 let reply = ctx.pass_on(reply);
    ///                 ctx.join(next, Part::Sum(sum, reply));
    ///             }
    ///             None => ctx.reply(reply, sum),
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let mut next = None;
    /// for value in [1, 2, 3] {
    ///     let holder = Holder { value: TVar::new(value), next };
    ///     next = Some(theater.spawn_speculative(holder, Processing::default()).actor_ref());
    /// }
    /// assert_eq!(next.unwrap().ask(|reply| Part::Sum(0, reply)).wait()?, 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `other` is not a speculative actor. In a theater that takes part in transactions of
    /// several (`odeon-coordination`) the transaction fails instead; there the actor may live in
    /// another one of them, and the message is written on its way as others are. Where a plain
    /// message has become a transaction by what is joined, and that fails, nobody is told but
    /// supervision.
    #[track_caller]
    pub fn join<M: Message>(&mut self, other: &ActorRef<M>, message: M) {
        self.join_in(extend::mailbox_said(other, &message), message);
    }

    /// As [`join`](Self::join), to a mailbox that the sender decides:
    /// `ctx.join_in(buffer.mailbox(Port::Producer), item)`.
    ///
    /// # Panics
    /// As [`join`](Self::join).
    #[track_caller]
    pub fn join_in<M: Message>(&mut self, mailbox: MailboxRef<'_, M>, message: M) {
        self.add(Join::of(&self.actor_ref(), mailbox, message));
    }

    /// As [`join`](Self::join), by a way of one's own: `via` gets the message when the handler has
    /// come to its end, and has it [delivered](Delivery::deliver) at some time. Until then the
    /// transaction waits as for one that is under way; dropped undelivered, the message fails it.
    /// The transaction may be rolled back and `via` called again by another call of the handler.
    ///
    /// # Panics
    /// If `other` is not a speculative actor of this theater.
    #[track_caller]
    pub fn join_via<M: Message>(
        &mut self,
        other: &ActorRef<M>,
        message: M,
        via: impl FnOnce(Delivery) + Send + 'static,
    ) {
        let mailbox = extend::mailbox_said(other, &message);
        self.add(Join::of(&self.actor_ref(), mailbox, message).via(via));
    }

    fn add(&mut self, join: Join) {
        if let Some(joins) = self.joins() {
            let joins = joins.downcast_mut::<Vec<Join>>();
            joins
                .expect("who goes on with a transaction has handlers join such messages")
                .push(join);
        }
    }
}
