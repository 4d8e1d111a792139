//! What a policy chooses from.

use std::fmt;

/// The mailboxes that are ready: open and not empty. At least one is.
#[derive(Clone, Copy)]
pub struct Ready<'a> {
    bits: u64,
    waiting: &'a dyn WaitingCounts,
}

/// Knows how many messages wait in each mailbox.
pub(crate) trait WaitingCounts {
    fn waiting(&self, mailbox: usize) -> usize;
}

impl<'a> Ready<'a> {
    /// `bits`: one for each ready mailbox, not 0.
    #[inline(always)]
    pub(crate) fn new(bits: u64, waiting: &'a dyn WaitingCounts) -> Self {
        debug_assert!(bits != 0, "nothing is selected where nothing is ready");
        Self { bits, waiting }
    }

    /// The lowest number.
    #[inline]
    pub fn first(self) -> usize {
        self.bits.trailing_zeros() as usize
    }

    /// The lowest number above `mailbox`, or the lowest of all if there is none above.
    #[inline]
    pub fn next_after(self, mailbox: usize) -> usize {
        // Twice, so that `mailbox` 63 leaves nothing instead of being too far to shift.
        let above = self.bits & (u64::MAX << (mailbox & 63) << 1);
        if above == 0 { self.first() } else { above.trailing_zeros() as usize }
    }

    /// Whether this one is ready.
    #[inline]
    pub fn contains(self, mailbox: usize) -> bool {
        mailbox < 64 && self.bits & (1 << mailbox) != 0
    }

    /// How many are ready: at least 1.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// How many messages wait in a mailbox, ready or not: of those that have been sorted. On a
    /// pinned stage what waits in the stage's queue is not among them. 0 if there is no such
    /// mailbox.
    pub fn waiting(self, mailbox: usize) -> usize {
        self.waiting.waiting(mailbox)
    }

    /// The ready ones, lowest number first.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let mailbox = bits.trailing_zeros() as usize;
            bits &= bits.checked_sub(1)?;
            Some(mailbox)
        })
    }

    /// One bit for each ready mailbox.
    #[inline]
    pub fn bits(self) -> u64 {
        self.bits
    }
}

impl fmt::Debug for Ready<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AsMany;
    impl WaitingCounts for AsMany {
        fn waiting(&self, mailbox: usize) -> usize {
            mailbox
        }
    }

    #[test]
    fn going_round_visits_each_ready_mailbox_once() {
        for bits in [1, 1 << 63, 1 | 1 << 63, 0b1011_0110, u64::MAX] {
            let ready = Ready::new(bits, &AsMany);
            let mut round = vec![ready.first()];
            for _ in 1..ready.len() {
                round.push(ready.next_after(round[round.len() - 1]));
            }
            assert_eq!(round, ready.iter().collect::<Vec<_>>());
            assert_eq!(ready.next_after(round[round.len() - 1]), ready.first());
            assert!(round.iter().all(|mailbox| ready.contains(*mailbox)));
            assert_eq!(round.iter().fold(0, |bits, mailbox| bits | 1 << mailbox), ready.bits());
        }
        assert!(!Ready::new(1, &AsMany).contains(64));
    }
}
