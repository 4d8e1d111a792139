//! Join patterns: something happens when several mailboxes have a message each.

use std::fmt;
use std::time::Duration;

use super::patience::Patience;
use super::{SelectorContext, bit};

/// Messages that wait for those with which they belong together, at most one of each mailbox.
///
/// The handler holds each message that takes part in a pattern; its mailbox is closed until the
/// message is taken. The macro `when!` says which messages belong together, and what happens then.
/// Of several patterns that are complete the first one fires. The join calculus (Fournet and
/// Gonthier, 1996) has the idea.
///
/// A message is taken once, and of each mailbox in order: if one pattern has mailboxes to itself,
/// its *n*th firing takes the *n*th message of each. After a timeout that count begins anew:
/// messages that must never be paired with those of another attempt carry a number.
pub struct Joins<M> {
    held: Vec<Option<M>>,
    /// One bit for each mailbox whose message is held.
    bits: u64,
    patience: Option<Patience<M>>,
}

impl<M> Joins<M> {
    /// Messages are held for as long as it takes.
    pub fn new() -> Self {
        Self { held: Vec::new(), bits: 0, patience: None }
    }

    /// Messages are held for `limit` at most: then the actor is sent what `tell` makes of the
    /// number of the wait, to call [`time_out`](Self::time_out) with. That message goes to a
    /// mailbox which takes part in no pattern.
    ///
    /// The wait is that of the message that has been held longest. When that is over, all that are
    /// held come back, also those which have come later.
    pub fn within(limit: Duration, tell: fn(u64) -> M) -> Self {
        Self { patience: Some(Patience::new(limit, tell)), ..Self::new() }
    }

    /// Holds the message that is being handled, and closes its mailbox. What is returned is for the
    /// macro `when!`.
    ///
    /// # Panics
    /// If a message of that mailbox is held already: somebody else has opened it.
    #[inline]
    #[track_caller]
    pub fn hold<'a, C: SelectorContext<Msg = M>>(
        &'a mut self,
        message: M,
        ctx: &'a mut C,
    ) -> Held<'a, M, C> {
        let mailbox = ctx.current();
        if self.held.len() <= mailbox {
            self.held.resize_with(mailbox + 1, || None);
        }
        let held = &mut self.held[mailbox];
        assert!(held.is_none(), "mailbox {mailbox} was opened while its message is held");
        *held = Some(message);
        self.bits |= bit(mailbox);
        ctx.close_one(mailbox);
        if let Some(patience) = &mut self.patience {
            patience.holds(mailbox, ctx);
        }
        Held { joins: self, ctx }
    }

    /// The time of a wait is over: all messages that are held, with their mailboxes, which are open
    /// again. None if the wait has ended in time.
    pub fn time_out(
        &mut self,
        wait: u64,
        ctx: &mut impl SelectorContext<Msg = M>,
    ) -> Vec<(usize, M)> {
        if !self.patience.as_mut().is_some_and(|patience| patience.is_over(wait)) {
            return Vec::new();
        }
        ctx.open_these(std::mem::take(&mut self.bits));
        let held = self.held.iter_mut().enumerate();
        held.filter_map(|(mailbox, held)| Some((mailbox, held.take()?))).collect()
    }

    /// The mailboxes whose messages are held, lowest first.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        let held = self.held.iter().enumerate();
        held.filter_map(|(mailbox, held)| held.is_some().then_some(mailbox))
    }
}

impl<M> Default for Joins<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// What is held, and may be complete: what [`Joins::hold`] returns.
#[must_use = "give it to `when!`, or nothing will ever be taken"]
pub struct Held<'a, M, C> {
    joins: &'a mut Joins<M>,
    ctx: &'a mut C,
}

impl<M, C: SelectorContext<Msg = M>> Held<'_, M, C> {
    /// The messages of these mailboxes, if all are held. Their mailboxes are open then.
    ///
    /// # Panics
    /// If the actor has no such mailbox, or one is named twice.
    #[inline]
    #[track_caller]
    pub fn take<const N: usize>(&mut self, mailboxes: [usize; N]) -> Option<[M; N]> {
        let bits = mailboxes.iter().fold(0, |bits, mailbox| {
            assert!(
                *mailbox < C::MAILBOXES,
                "there is no mailbox {mailbox} to be joined: the actor has {} (numbered from 0)",
                C::MAILBOXES
            );
            assert!(bits & bit(*mailbox) == 0, "mailbox {mailbox} is named twice");
            bits | bit(*mailbox)
        });
        let joins = &mut *self.joins;
        if joins.bits & bits != bits {
            return None;
        }
        joins.bits &= !bits;
        self.ctx.open_these(bits);
        if let Some(patience) = &mut joins.patience {
            patience.holds_still(joins.bits, self.ctx);
        }
        let held = &mut joins.held;
        Some(mailboxes.map(|mailbox| held[mailbox].take().expect("held, and named once")))
    }
}

impl<M> fmt::Debug for Joins<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joins")
            .field("waiting", &self.waiting().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl<M, C> fmt::Debug for Held<'_, M, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").field(&self.joins).finish()
    }
}
