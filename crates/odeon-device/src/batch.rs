//! The messages that a device actor is given together.

use std::collections::VecDeque;
use std::fmt;

/// Messages to be handled together, oldest first. One that is [taken](Self::take) is done; what is
/// left when the handler fails is handled again, what is left when it succeeds comes first in the
/// next batch.
pub struct Batch<'a, M> {
    /// All that waits; contiguous. The batch is the beginning of it.
    waiting: &'a mut VecDeque<M>,
    /// How many of them are left of the batch. Lies in the actor, where a panic leaves it.
    left: &'a mut usize,
    largest: usize,
}

impl<'a, M> Batch<'a, M> {
    /// The oldest `*left` of those that wait.
    pub(crate) fn new(waiting: &'a mut VecDeque<M>, left: &'a mut usize) -> Self {
        waiting.make_contiguous();
        Self { largest: *left, waiting, left }
    }

    /// How many messages have not been taken.
    pub fn len(&self) -> usize {
        *self.left
    }

    /// Whether all have been taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages it had.
    pub fn size(&self) -> usize {
        self.largest
    }

    /// Those that have not been taken, to be looked at.
    pub fn messages(&self) -> &[M] {
        &self.waiting.as_slices().0[..*self.left]
    }

    /// Takes the oldest one: it is done, whatever comes after. `None`: there are no more.
    pub fn take(&mut self) -> Option<M> {
        if *self.left == 0 {
            return None;
        }
        let message = self.waiting.pop_front()?;
        *self.left -= 1;
        Some(message)
    }

    /// Takes all that are left, one after the other. A message counts as done when `each` is called
    /// with it; if that panics, those behind it are not.
    pub fn finish(&mut self, mut each: impl FnMut(M)) {
        while let Some(message) = self.take() {
            each(message);
        }
    }
}

impl<M> fmt::Debug for Batch<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} of {} left)", self.len(), self.size())
    }
}
