//! Which messages of other actors an actor has handled.

use super::delivery::Delivery;
use super::kept::is_kept;
use super::lanes::LANES;
use odeon_macros::Durable;
use odeon_speculative::extend::reply_if;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{Rollback, TMap, Tx};
use std::fmt;

/// Which messages an actor has handled of those that others have sent by an
/// [`Outgoing`](crate::Outgoing): a field of a durable state, by which each is handled once. One
/// does for all senders, and all types of messages.
///
/// Of each sender it keeps 64 numbers at most.
#[derive(Durable, Default)]
#[durable(crate = crate)]
pub struct Incoming {
    /// By sender and lane: the number of the last message that was handled.
    #[durable(1)]
    handled: TMap<(u128, u32), u64>,
}

impl Incoming {
    /// Nothing was handled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The message that was delivered, if it is to be handled now. `None`: it was handled before,
    /// or one that comes before it is still to come. It is confirmed when what this handler does is
    /// on the disk, and not at all if that vanishes: then it comes again.
    ///
    /// So a message whose handler fails each time holds up all behind it; say no by a message to
    /// the sender instead.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    ///
    /// # Panics
    /// If the delivery does not lie in the actor's message itself, but behind a pointer.
    #[track_caller]
    pub fn receive<'t, A: SpeculativeActor, T>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        delivery: &'t Delivery<T>,
    ) -> TxResult<Option<&'t T>> {
        let Delivery { message, sender, lane, number, confirm } = delivery;
        let from = (*sender, *lane);
        let handled = self.handled.get_copied(tx, &from)?.unwrap_or(0);
        let is_next = *number == handled + 1;
        if is_next {
            self.handled.put(tx, from, *number)?;
        }
        let up_to = if is_next { *number } else { handled };
        let is_kept = is_kept(tx);
        reply_if(ctx, confirm, move || is_kept().then_some(up_to));
        Ok(is_next.then_some(message))
    }

    /// Forgets a sender whose log is gone ([`Delivery::sender`]). What it has sent would be handled
    /// again.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn forget<'t>(&'t self, tx: &mut Tx<'t>, sender: u128) -> Result<(), Rollback> {
        for lane in 0..LANES {
            self.handled.remove(tx, &(sender, lane))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").finish_non_exhaustive()
    }
}
