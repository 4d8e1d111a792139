//! A queue, in which pushing and popping do not conflict.
//!
//! A chain of nodes; `head` links the first, `tail` the last. A push writes the link of the last
//! node and `tail`, a pop writes `head` and the link of the first node. They meet only if first and
//! last are one node, or there is none.

use crate::attempt::journal::sequence::SequenceCodec;
use crate::attempt::transaction::{Tx, View};
use crate::collections::number;
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::variables::tcounter::TCounter;
use crate::variables::tlink::TLink;
use crate::words::abort::Rollback;
use std::fmt;
use std::sync::Arc;

/// A queue: first in, first out.
///
/// A transaction that wants an element and finds none can wait for one:
///
/// ```
/// use odeon_stm::collections::TQueue;
/// use odeon_stm::{Rollback, Tx, atomically};
///
/// fn take<'t>(queue: &'t TQueue<u32>, tx: &mut Tx<'t>) -> Result<u32, Rollback> {
///     match queue.pop(tx)? {
///         Some(element) => Ok(*element),
///         None => tx.retry(), // sleeps until somebody pushes
///     }
/// }
///
/// let queue = TQueue::new();
/// let taken = std::thread::scope(|scope| {
///     let taker = scope.spawn(|| atomically(|tx| take(&queue, tx)));
///     atomically(|tx| queue.push(tx, 7));
///     taker.join().unwrap()
/// });
/// assert_eq!(taken, 7);
/// ```
pub struct TQueue<T: Send + Sync + 'static> {
    head: TLink<QueueNode<T>>,
    tail: TLink<QueueNode<T>>,
    len: TCounter,
    name: Name,
}

struct QueueNode<T: Send + Sync + 'static> {
    value: T,
    next: TLink<QueueNode<T>>,
}

impl<T: Send + Sync + 'static> Drop for QueueNode<T> {
    /// One by one, as for lists.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.next.take();
        }
    }
}

impl<T: Send + Sync + 'static> TQueue<T> {
    /// An empty queue.
    pub fn new() -> Self {
        let (head, tail) = (TLink::new(None), TLink::new(None));
        Self { head, tail, len: TCounter::new(0), name: Name::default() }
    }

    /// Adds an element behind all others.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn push<'t>(&'t self, tx: &mut Tx<'t>, value: T) -> Result<(), Rollback> {
        let node = Arc::new(QueueNode { value, next: TLink::new(None) });
        if self.name.is_given() {
            self.name.give(node.next.as_cell());
        }
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.push(&node.value, to));
        let link = self.tail.get(tx)?.map_or(&self.head, |last| &last.next);
        link.set(tx, Some(node.clone()))?;
        self.tail.set(tx, Some(node))?;
        self.len.add(tx, 1)
    }

    /// Takes the first element off, if there is one; the reference lives as long as the attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn pop<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Option<&'t T>, Rollback> {
        let first = self.take_first(tx)?;
        if first.is_some() {
            tx.tell(self, |codec: &SequenceCodec<T>, to| codec.pop(to));
        }
        Ok(first)
    }

    #[inline]
    #[track_caller]
    fn take_first<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Option<&'t T>, Rollback> {
        let Some(first) = self.head.get(tx)? else { return Ok(None) };
        let next = first.next.share(tx)?;
        if next.is_none() {
            self.tail.set(tx, None)?;
        } else {
            // Nobody reaches it any more, and it shall not keep the rest of the queue alive.
            first.next.set(tx, None)?;
        }
        self.head.set(tx, next)?;
        self.len.add(tx, -1)?;
        Ok(Some(&first.value))
    }

    /// The first element.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn first<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<Option<&'t T>, Rollback> {
        Ok(self.head.get(view)?.map(|node| &node.value))
    }

    /// Whether there is no element; conflicts with pops, and with pushes if so.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<bool, Rollback> {
        Ok(self.head.get(view)?.is_none())
    }

    /// How many elements there are. Who has asked is in conflict with every push and pop.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<usize, Rollback> {
        Ok(number(self.len.get(view)?))
    }

    /// Combines all elements in their order.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold<'t, V: View<'t>, A>(
        &'t self,
        view: &mut V,
        start: A,
        mut combine: impl FnMut(A, &'t T) -> A,
    ) -> Result<A, Rollback> {
        let (mut folded, mut link) = (start, &self.head);
        while let Some(node) = link.get(view)? {
            folded = combine(folded, &node.value);
            link = &node.next;
        }
        Ok(folded)
    }

    /// Takes all elements off.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.clear(to));
        while self.take_first(tx)?.is_some() {}
        Ok(())
    }

    /// Pushes all `values`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn extend<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), Rollback> {
        values.into_iter().try_for_each(|value| self.push(tx, value))
    }
}

impl<T: Send + Sync + 'static> FromIterator<T> for TQueue<T> {
    /// A queue of these elements, without a transaction.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        let (len, mut tail, mut head) = (values.len() as i64, None, None);
        for value in values.into_iter().rev() {
            let node = Arc::new(QueueNode { value, next: TLink::new(head) });
            tail.get_or_insert_with(|| node.clone());
            head = Some(node);
        }
        let (head, tail) = (TLink::new(head), TLink::new(tail));
        Self { head, tail, len: TCounter::new(len), name: Name::default() }
    }
}

impl<T: Send + Sync + 'static> Nameable for TQueue<T> {
    fn be_called(&mut self, name: Name) {
        self.name = name;
        name.give(self.tail.as_cell());
        let mut link = &self.head;
        name.give(link.as_cell());
        // SAFETY: nobody else has the queue.
        while let Some(node) = unsafe { link.node_at_rest() } {
            link = &node.next;
            name.give(link.as_cell());
        }
    }
}

impl<T: Send + Sync + 'static> Variable for TQueue<T> {}

impl<T: Send + Sync + 'static> Default for TQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for TQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TQueue").finish_non_exhaustive()
    }
}
