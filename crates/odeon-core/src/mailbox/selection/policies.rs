//! The policies that come with Odeon and have a state. Priority and the order of arrival are in
//! `mailbox/set.rs`.

use super::{Ready, SelectionPolicy};
use crate::mailbox::MAX_MAILBOXES;
use crate::vocabulary::random::Random;

/// See [`Selection::round_robin`](super::Selection::round_robin).
#[derive(Debug, Clone, Default)]
pub struct RoundRobin {
    last: Option<usize>,
}

impl SelectionPolicy for RoundRobin {
    #[inline]
    fn select(&mut self, ready: Ready<'_>) -> usize {
        let next = self.last.map_or_else(|| ready.first(), |last| ready.next_after(last));
        self.last = Some(next);
        next
    }
}

/// See [`Selection::least_recently_used`](super::Selection::least_recently_used): it stays with the
/// mailbox of the last message as long as it can, whatever the paper's name for it suggests.
#[derive(Debug, Clone, Default)]
pub struct LeastRecentlyUsed {
    last: usize,
}

impl SelectionPolicy for LeastRecentlyUsed {
    #[inline]
    fn select(&mut self, ready: Ready<'_>) -> usize {
        if !ready.contains(self.last) {
            self.last = ready.next_after(self.last);
        }
        self.last
    }
}

/// See [`Selection::weighted`](super::Selection::weighted).
#[derive(Debug, Clone)]
pub struct Weighted {
    weights: Box<[u32]>,
    last: usize,
    /// How many messages of `last` may still go in a row.
    left: u32,
}

impl Weighted {
    /// The weights of the mailboxes, in order.
    ///
    /// # Panics
    /// If a weight is 0.
    #[track_caller]
    pub fn new(weights: impl IntoIterator<Item = u32>) -> Self {
        let weights: Box<[u32]> = weights.into_iter().collect();
        assert!(
            !weights.contains(&0),
            "a mailbox of weight 0 would never be selected: close it instead"
        );
        Self { weights, last: MAX_MAILBOXES - 1, left: 0 }
    }
}

impl SelectionPolicy for Weighted {
    fn begin(&mut self, mailboxes: usize, _seed: u64) {
        let weights = self.weights.len();
        assert!(weights == mailboxes, "there are {weights} weights for {mailboxes} mailboxes");
    }

    #[inline]
    fn select(&mut self, ready: Ready<'_>) -> usize {
        if self.left == 0 || !ready.contains(self.last) {
            self.last = ready.next_after(self.last);
            self.left = self.weights[self.last];
        }
        self.left -= 1;
        self.last
    }
}

/// See [`Selection::random`](super::Selection::random).
#[derive(Debug, Clone)]
pub struct RandomMailbox(Random);

impl Default for RandomMailbox {
    fn default() -> Self {
        Self(Random::from_seed(0))
    }
}

impl SelectionPolicy for RandomMailbox {
    fn begin(&mut self, _mailboxes: usize, seed: u64) {
        self.0 = Random::from_seed(seed);
    }

    #[inline]
    fn select(&mut self, ready: Ready<'_>) -> usize {
        let skipped = self.0.below(ready.len());
        let bits = (0..skipped).fold(ready.bits(), |bits, _| bits & (bits - 1));
        bits.trailing_zeros() as usize
    }
}

/// See [`Selection::ageing`](super::Selection::ageing).
///
/// A mailbox has waited since it became ready, or since its last message if it has stayed ready. Of
/// those that have waited for `after` messages, the one that has waited longest goes next. At that
/// moment at most all others have waited as long, and each of them goes once before it: so none
/// waits for more than `after` + *n* − 1 messages.
#[derive(Debug, Clone)]
pub struct Ageing {
    after: u64,
    /// Messages selected so far.
    now: u64,
    /// No ready mailbox will have waited for too long before that.
    look_at: u64,
    /// Those that were ready at the last selection and were not selected, one bit each.
    passed: u64,
    /// When each of these became ready.
    since: Box<[u64; MAX_MAILBOXES]>,
}

impl Ageing {
    /// So many messages go before one that is ready.
    ///
    /// # Panics
    /// If `after` is 0.
    #[track_caller]
    pub fn new(after: u32) -> Self {
        assert!(after > 0, "a message cannot be passed over less than once");
        let after = u64::from(after);
        Self { after, now: 0, look_at: after, passed: 0, since: Box::new([0; MAX_MAILBOXES]) }
    }

    /// The mailbox that has waited longest, if that is too long.
    #[cold]
    fn overdue(&mut self, ready: Ready<'_>) -> Option<usize> {
        let since = |mailbox: &usize| self.since[*mailbox];
        let oldest = ready.iter().min_by_key(since)?;
        self.look_at = self.since[oldest] + self.after;
        (self.look_at <= self.now).then_some(oldest)
    }
}

impl SelectionPolicy for Ageing {
    #[inline]
    fn select(&mut self, ready: Ready<'_>) -> usize {
        let mut new = ready.bits() & !self.passed;
        while new != 0 {
            self.since[new.trailing_zeros() as usize] = self.now;
            new &= new - 1;
        }
        let overdue = if self.now >= self.look_at { self.overdue(ready) } else { None };
        let next = overdue.unwrap_or_else(|| ready.first());
        self.passed = ready.bits() & !(1 << next);
        self.now += 1;
        next
    }
}

#[cfg(test)]
mod tests;
