//! The right to answer of a reply that is only borrowed, in a message say, for a later time.
//!
//! Whoever borrows a reply from a message of which it does not know how it is made (a cell or a
//! lock may give the reply away, or have another value in its place) must not come back to where it
//! lay. So what is *lent* leaves the reply: both refer to it from then on, wherever the reply goes.

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Reply, ReplyTarget, answer};
use crate::process::unanswered::{self, Why};
use crate::vocabulary::error::AskError;

/// The right to answer, which a [`Reply`] and whoever it was lent to have in common: who answers
/// first has it. Dropped by the last of them, it answers the asker with an error.
pub(super) struct Lending<T> {
    /// Whether somebody has taken it.
    is_spent: AtomicBool,
    /// The first one's who has set `is_spent`, and that one's alone.
    to: UnsafeCell<Option<ReplyTarget<T>>>,
}

/// The right to answer of a reply that is only borrowed. The reply may be moved, used or dropped
/// meanwhile, and dropping this one changes nothing as long as the reply is there: only the first
/// answer counts.
#[must_use = "dropped, it leaves the answer to whoever has the reply"]
pub struct LentReply<T>(Option<Arc<Lending<T>>>);

// SAFETY: a `ReplyTarget` is `Send` as a `Reply` is, and of all who have a `Lending` in common one
// alone takes it out.
unsafe impl<T: Send> Send for LentReply<T> {}

impl<T: Send + 'static> Reply<T> {
    /// Has somebody else answer by a reply that is only borrowed, or the reply itself.
    ///
    /// # Safety
    /// Nobody else uses the reply until this returns.
    pub(crate) unsafe fn lend(&self) -> LentReply<T> {
        // SAFETY: by contract; the reference ends with this function, in which no code of users
        // runs.
        let to = unsafe { &mut *self.to.get() };
        let lending = match to.take() {
            Some(ReplyTarget::Shared(lending)) => lending,
            open_or_spent => Arc::new(Lending {
                is_spent: AtomicBool::new(open_or_spent.is_none()),
                to: UnsafeCell::new(open_or_spent),
            }),
        };
        *to = Some(ReplyTarget::Shared(lending.clone()));
        LentReply(Some(lending))
    }
}

impl<T> Lending<T> {
    /// The right to answer, if it is there still.
    pub(super) fn take(&self) -> Option<ReplyTarget<T>> {
        // ORDERING: Relaxed: who has made it has handed it over, by the `Arc`, to whoever is here;
        // and the count of that brings what is done here before its end.
        if self.is_spent.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: nobody else comes here, nor has before; and its end comes later.
        unsafe { (*self.to.get()).take() }
    }

    /// Whether nobody can answer by it any more.
    pub(super) fn is_spent(&self) -> bool {
        // ORDERING: Relaxed: a hint: who takes it finds out.
        self.is_spent.load(Ordering::Relaxed)
    }
}

impl<T> Drop for Lending<T> {
    fn drop(&mut self) {
        answer(self.to.get_mut().take(), Err(AskError::NoReply));
    }
}

impl<T: Send + 'static> LentReply<T> {
    /// Answers at once, unless that has been done.
    pub fn answer(mut self, value: T) {
        if let Some(lending) = self.0.take() {
            answer(lending.take(), Ok(value));
        }
    }

    /// The right to answer for oneself, if it is there still.
    pub fn take(mut self) -> Option<Reply<T>> {
        Reply::of_open(ReplyTarget::Shared(self.0.take()?))
    }
}

impl<T> Drop for LentReply<T> {
    /// Dropped because something has failed, it answers with that at once: whoever has the reply
    /// knows nothing of it.
    fn drop(&mut self) {
        let Some(lending) = self.0.take() else { return };
        if let Why::Known(failed @ AskError::Failed(_)) = unanswered::why() {
            answer(lending.take(), Err(failed));
        }
    }
}

impl<T> fmt::Debug for LentReply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LentReply(..)")
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
