//! The mailboxes of one actor, owner's side: sorted, guarded, selected in O(1).
//!
//! `ready = non-empty AND open`, one bit each; the lowest ready bit is the next mailbox, so mailbox
//! 0 has the highest priority. Everything here belongs to the owner of the actor: no atomics.

use std::collections::VecDeque;

use super::MAX_MAILBOXES;

/// Which mailboxes are open. Messages of a closed mailbox wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guards {
    open: u64,
}

impl Guards {
    pub(crate) const ALL_OPEN: Self = Self { open: u64::MAX };

    pub(crate) fn open(&mut self, mailbox: usize) {
        self.open |= 1 << mailbox;
    }

    pub(crate) fn close(&mut self, mailbox: usize) {
        self.open &= !(1 << mailbox);
    }

    pub(crate) fn is_open(self, mailbox: usize) -> bool {
        self.open & (1 << mailbox) != 0
    }
}

/// Messages taken from the inbox and not yet handled, by mailbox.
#[derive(Debug)]
pub(crate) struct MailboxSet<M> {
    non_empty: u64,
    queues: Box<[VecDeque<M>]>,
}

impl<M> MailboxSet<M> {
    /// # Panics
    /// If `mailboxes` is 0 or more than 64.
    pub(crate) fn new(mailboxes: usize) -> Self {
        assert!(
            (1..=MAX_MAILBOXES).contains(&mailboxes),
            "an actor has 1 to {MAX_MAILBOXES} mailboxes, not {mailboxes}"
        );
        Self { non_empty: 0, queues: (0..mailboxes).map(|_| VecDeque::new()).collect() }
    }

    /// Appends a message to its mailbox.
    ///
    /// # Panics
    /// If there is no such mailbox; senders check before they push.
    #[inline(always)]
    pub(crate) fn put(&mut self, mailbox: usize, message: M) {
        self.queues[mailbox].push_back(message);
        self.non_empty |= 1 << mailbox;
    }

    /// Whether a message of `mailbox` could be handed over at once: it is open and nothing that
    /// goes before it is ready.
    #[inline(always)]
    pub(crate) fn would_be_next(&self, mailbox: usize, guards: Guards) -> bool {
        let ready = self.non_empty & guards.open;
        let up_to = u64::MAX >> (63 - mailbox);
        guards.is_open(mailbox) && ready & up_to == 0
    }

    /// Takes the oldest message of the ready mailbox with the highest priority.
    #[inline(always)]
    pub(crate) fn take_next(&mut self, guards: Guards) -> Option<M> {
        let ready = self.non_empty & guards.open;
        if ready == 0 {
            return None;
        }
        let mailbox = ready.trailing_zeros() as usize;
        let queue = &mut self.queues[mailbox];
        let message = queue.pop_front();
        if queue.is_empty() {
            self.non_empty &= !(1 << mailbox);
        }
        message
    }

    /// How many messages are ready under `guards`.
    pub(crate) fn ready(&self, guards: Guards) -> usize {
        let open = self.queues.iter().enumerate().filter(|(mailbox, _)| guards.is_open(*mailbox));
        open.map(|(_, queue)| queue.len()).sum()
    }

    /// Whether any message is ready under `guards`.
    #[inline(always)]
    pub(crate) fn has_ready(&self, guards: Guards) -> bool {
        self.non_empty & guards.open != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(set: &mut MailboxSet<u32>, guards: Guards) -> Vec<u32> {
        std::iter::from_fn(|| set.take_next(guards)).collect()
    }

    #[test]
    fn the_lowest_open_mailbox_goes_first_and_keeps_its_order() {
        let mut set = MailboxSet::new(64);
        for (mailbox, message) in [(63, 1), (5, 2), (0, 3), (5, 4), (63, 5)] {
            set.put(mailbox, message);
        }
        assert_eq!(drain(&mut set, Guards::ALL_OPEN), [3, 2, 4, 1, 5]);
        assert!(!set.has_ready(Guards::ALL_OPEN));
    }

    #[test]
    fn a_closed_mailbox_waits_until_it_opens() {
        let mut set = MailboxSet::new(2);
        let mut guards = Guards::ALL_OPEN;
        guards.close(0);
        set.put(0, 1);
        set.put(1, 2);
        assert_eq!(drain(&mut set, guards), [2]);
        assert!(!set.has_ready(guards));
        guards.open(0);
        assert_eq!(drain(&mut set, guards), [1]);
    }

    #[test]
    fn a_message_is_handed_over_directly_only_if_nothing_goes_before_it() {
        let mut set = MailboxSet::new(3);
        let mut guards = Guards::ALL_OPEN;
        assert!(set.would_be_next(2, guards));
        set.put(1, 1);
        assert!(set.would_be_next(0, guards));
        assert!(!set.would_be_next(1, guards));
        assert!(!set.would_be_next(2, guards));
        guards.close(1);
        assert!(set.would_be_next(2, guards));
        assert!(!set.would_be_next(1, guards));
    }

    /// Random puts and takes agree with one plain queue per mailbox.
    #[test]
    fn any_pattern_agrees_with_plain_queues() {
        let mut random = crate::random::Random::from_seed(7);
        let mut set = MailboxSet::new(5);
        let mut queues = vec![VecDeque::new(); 5];
        for n in 0..20_000u32 {
            let emptying = (n / 2_000) % 2 == 1;
            if random.below(3) < 2 && !emptying {
                let mailbox = random.below(5);
                set.put(mailbox, n);
                queues[mailbox].push_back(n);
            } else {
                let mut guards = Guards::ALL_OPEN;
                let closed = random.below(5);
                guards.close(closed);
                let open = |&(mailbox, _): &(usize, _)| mailbox != closed;
                let expected =
                    queues.iter_mut().enumerate().filter(open).find_map(|(_, q)| q.pop_front());
                assert_eq!(set.take_next(guards), expected);
            }
        }
    }

    #[test]
    #[should_panic(expected = "1 to 64 mailboxes, not 65")]
    fn more_than_64_mailboxes_are_refused() {
        MailboxSet::<()>::new(65);
    }
}
