//! One item of each of several streams.

use super::{SelectorContext, bit};
use crate::vocabulary::mailboxes::MailboxName;

/// Joins streams that come to a mailbox each: the first items of all of them, then the second ones,
/// and so on.
///
/// A mailbox whose item has come is closed until the row is complete. So no item is tagged, none is
/// kept in a dictionary, and rows are never mixed: the *n*th row has the *n*th item of each
/// mailbox. Other mailboxes of the actor are not touched.
///
/// ```
/// # use odeon_core::*;
/// # use odeon_core::patterns::Join;
/// # use std::sync::mpsc::{Sender, channel};
/// struct Adder { join: Join<u64>, sums: Sender<u64> }
/// struct Item(u64);
/// impl Message for Item { const MAILBOXES: usize = 3; }
///
/// impl Actor for Adder {
///     type Msg = Item;
///     fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
///         if let Some(row) = self.join.put(n, ctx) {
///             self.sums.send(row.sum()).unwrap();
///         }
///     }
/// }
/// # let theater = Theater::new()?;
/// # let (sums, results) = channel();
/// let adder = theater.spawn(Adder { join: Join::any_order([0, 1, 2]), sums });
/// for source in 0..3 {
///     adder.mailbox(source).send(Item(1 << source))?;
///     adder.mailbox(source).send(Item(10 << source))?;
/// }
/// assert_eq!(results.iter().take(2).collect::<Vec<_>>(), [7, 70]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Join<T> {
    /// The mailboxes, in the order of a row.
    mailboxes: Box<[usize]>,
    items: Box<[Option<T>]>,
    missing: usize,
    /// Of which place in the row each mailbox is.
    places: Box<[u8]>,
    /// One bit for each mailbox.
    all: u64,
    in_turn: bool,
}

impl<T> Join<T> {
    /// Takes the items of a row in whatever order they come.
    ///
    /// # Panics
    /// If there is no mailbox, or one is named twice or beyond 63.
    #[track_caller]
    pub fn any_order<N: MailboxName>(mailboxes: impl IntoIterator<Item = N>) -> Self {
        Self::new(mailboxes, false)
    }

    /// Takes the items of a row in the order of its mailboxes: one is open at a time. The actor
    /// calls [`begin`](Self::begin) when it starts.
    ///
    /// # Panics
    /// As [`any_order`](Self::any_order).
    #[track_caller]
    pub fn round_robin<N: MailboxName>(mailboxes: impl IntoIterator<Item = N>) -> Self {
        Self::new(mailboxes, true)
    }

    #[track_caller]
    fn new<N: MailboxName>(mailboxes: impl IntoIterator<Item = N>, in_turn: bool) -> Self {
        let mailboxes: Box<[usize]> = mailboxes.into_iter().map(N::number).collect();
        assert!(!mailboxes.is_empty(), "a join of no mailboxes would never be complete");
        let mut places = vec![u8::MAX; mailboxes.iter().max().map_or(0, |highest| highest + 1)];
        let mut all = 0;
        for (place, mailbox) in mailboxes.iter().enumerate() {
            assert!(*mailbox < 64, "there is no mailbox {mailbox}: an actor has at most 64");
            assert!(all & bit(*mailbox) == 0, "mailbox {mailbox} is named twice");
            all |= bit(*mailbox);
            places[*mailbox] = place as u8;
        }
        Self {
            items: mailboxes.iter().map(|_| None).collect(),
            missing: mailboxes.len(),
            mailboxes,
            places: places.into(),
            all,
            in_turn,
        }
    }

    /// Closes the mailboxes whose turn has not come: for joins in turn, when the actor starts.
    ///
    /// # Panics
    /// If the actor has not all of the join's mailboxes.
    #[track_caller]
    pub fn begin<C: SelectorContext>(&self, ctx: &mut C) {
        self.check_mailboxes::<C>();
        if self.in_turn {
            self.mailboxes[1..].iter().for_each(|mailbox| ctx.close_one(*mailbox));
        }
    }

    /// Puts the item of the message that is being handled into the row. The row, if it is complete:
    /// then the mailboxes are open for the next one.
    ///
    /// # Panics
    /// If the message's mailbox is none of the join's, or the actor has not all of them. If its
    /// item has come already, or it is not its turn: somebody else has opened it, or
    /// [`begin`](Self::begin) was not called. The join is then what it was.
    #[inline]
    #[track_caller]
    pub fn put<C: SelectorContext>(&mut self, item: T, ctx: &mut C) -> Option<Row<'_, T>> {
        self.check_mailboxes::<C>();
        let mailbox = ctx.current();
        let place = self.places.get(mailbox).map_or(usize::MAX, |place| (*place).into());
        let due = self.items.len() - self.missing;
        let Some(slot) = self.items.get_mut(place) else {
            panic!("mailbox {mailbox} is none of those that are joined: {:?}", self.mailboxes);
        };
        assert!(slot.is_none(), "mailbox {mailbox} was opened before the row was complete");
        if self.in_turn {
            let turn = self.mailboxes[due];
            assert!(
                place == due,
                "it is the turn of mailbox {turn}, not of {mailbox}: a round-robin join is begun when its actor starts"
            );
        }
        *slot = Some(item);
        self.missing -= 1;
        let complete = self.missing == 0;
        if self.in_turn {
            ctx.close_one(mailbox);
            let next = if complete { 0 } else { place + 1 };
            ctx.open_these(bit(self.mailboxes[next]));
        } else if complete {
            ctx.open_these(self.all);
        } else {
            ctx.close_one(mailbox);
        }
        complete.then(|| {
            self.missing = self.items.len();
            Row { items: &mut self.items, next: 0 }
        })
    }

    #[inline]
    #[track_caller]
    fn check_mailboxes<C: SelectorContext>(&self) {
        let (beyond, mailboxes) = (self.places.len(), C::MAILBOXES);
        assert!(
            beyond <= mailboxes,
            "there is no mailbox {} to be joined: the actor has {mailboxes} (numbered from 0)",
            beyond - 1
        );
    }
}

/// The items of a complete row, in the order of the join's mailboxes.
#[derive(Debug)]
pub struct Row<'a, T> {
    items: &'a mut [Option<T>],
    next: usize,
}

impl<T> Iterator for Row<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let item = self.items.get_mut(self.next)?.take();
        self.next += 1;
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.items.len() - self.next;
        (left, Some(left))
    }
}

impl<T> ExactSizeIterator for Row<'_, T> {}

impl<T> Drop for Row<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.items[self.next..].iter_mut().for_each(|item| *item = None);
    }
}
