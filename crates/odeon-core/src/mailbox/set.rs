//! The mailboxes of one actor, owner's side: sorted, guarded, selected in O(1) by all policies
//! but two.
//!
//! `ready = non-empty AND open`, one bit each; the lowest ready bit is the next mailbox, so mailbox
//! 0 has the highest priority, unless the actor has another policy (`mailbox/selection.rs`).
//! Everything here belongs to the owner of the actor: no atomics.

use std::collections::VecDeque;
use std::fmt;

use super::{Guards, MAX_MAILBOXES};
use crate::mailbox::selection::{Ready, RoundRobin, SelectionPolicy, WaitingCounts};

/// Messages taken from the inbox and not yet handled, by mailbox.
pub(crate) struct MailboxSet<M> {
    non_empty: u64,
    queues: Queues<M>,
    order: SelectionOrder,
}

/// Which of several mailboxes that are ready goes next.
pub(crate) enum SelectionOrder {
    /// The lowest.
    Priority,
    /// What waits here, in turn; otherwise whatever arrives in an open mailbox.
    AsTheyCome(RoundRobin),
    /// What a policy answers that is asked for each message.
    By(Box<dyn SelectionPolicy>),
}

/// The messages of each mailbox, oldest first.
struct Queues<M>(Box<[VecDeque<M>]>);

impl<M> WaitingCounts for Queues<M> {
    fn waiting(&self, mailbox: usize) -> usize {
        self.0.get(mailbox).map_or(0, VecDeque::len)
    }
}

impl<M> MailboxSet<M> {
    /// # Panics
    /// If `mailboxes` is 0 or more than 64.
    pub(crate) fn new(mailboxes: usize) -> Self {
        assert!(
            (1..=MAX_MAILBOXES).contains(&mailboxes),
            "an actor has 1 to {MAX_MAILBOXES} mailboxes, not {mailboxes}"
        );
        let queues = Queues((0..mailboxes).map(|_| VecDeque::new()).collect());
        Self { non_empty: 0, queues, order: SelectionOrder::Priority }
    }

    /// Selects in this order from here on.
    pub(crate) fn set_order(&mut self, order: SelectionOrder) {
        self.order = order;
    }

    /// Appends a message to its mailbox.
    ///
    /// # Panics
    /// If there is no such mailbox; senders check before they push.
    #[inline(always)]
    pub(crate) fn put(&mut self, mailbox: usize, message: M) {
        self.queues.0[mailbox].push_back(message);
        self.non_empty |= 1 << mailbox;
    }

    /// Whether a message of `mailbox` that has just arrived goes next, whatever is behind it in the
    /// inbox. Then it is selected, and to be handled. `is_last`: nothing is behind it.
    ///
    /// Never so if a policy is to be asked: that sees the message in its mailbox, where it stays if
    /// the policy fails.
    #[inline(always)]
    pub(crate) fn select_arrival(
        &mut self,
        mailbox: usize,
        guards: &mut Guards,
        is_last: impl FnOnce() -> bool,
    ) -> bool {
        if matches!(self.order, SelectionOrder::By(_)) || !self.goes_next(mailbox, *guards, is_last)
        {
            return false;
        }
        guards.begin(mailbox);
        true
    }

    /// The question of [`select_arrival`](Self::select_arrival), also for a policy that is to be
    /// asked, without selecting. `is_last`: nothing is behind the message.
    #[inline(always)]
    pub(crate) fn goes_next(
        &self,
        mailbox: usize,
        guards: Guards,
        is_last: impl FnOnce() -> bool,
    ) -> bool {
        let (open, itself) = (guards.open_bits(), 1 << mailbox);
        // One bit for each mailbox that goes before this one: with what waits there, and with what
        // is still behind in the inbox. As they come, all that waits does and nothing that is
        // behind.
        let (before, behind) = match &self.order {
            SelectionOrder::Priority => (itself - 1, itself - 1),
            SelectionOrder::AsTheyCome(_) => (u64::MAX, 0),
            SelectionOrder::By(_) => (u64::MAX, !itself & self.all()),
        };
        if open & itself == 0 || self.non_empty & open & (before | itself) != 0 {
            return false;
        }
        open & behind == 0 || is_last()
    }

    /// Selects a message that [`goes_next`](Self::goes_next), by way of its mailbox if a policy is
    /// to be asked.
    pub(crate) fn select_next(&mut self, mailbox: usize, message: M, guards: &mut Guards) -> M {
        if let SelectionOrder::By(_) = self.order {
            self.put(mailbox, message);
            return self.take_next(guards).expect("its mailbox is open");
        }
        guards.begin(mailbox);
        message
    }

    /// All mailboxes, one bit each.
    #[inline(always)]
    fn all(&self) -> u64 {
        u64::MAX >> (MAX_MAILBOXES - self.queues.0.len())
    }

    /// Selects a message: takes the oldest one of the ready mailbox that goes next, to be handled.
    #[inline(always)]
    pub(crate) fn take_next(&mut self, guards: &mut Guards) -> Option<M> {
        let ready = self.non_empty & guards.open_bits();
        if ready == 0 {
            return None;
        }
        let mailbox = match &mut self.order {
            SelectionOrder::Priority => ready.trailing_zeros() as usize,
            SelectionOrder::AsTheyCome(turns) => turns.select(Ready::new(ready, &self.queues)),
            SelectionOrder::By(policy) => select_by(&mut **policy, Ready::new(ready, &self.queues)),
        };
        guards.begin(mailbox);
        self.take(mailbox)
    }

    /// Takes the oldest message of any mailbox, open or not: the actor ends, or moves.
    pub(crate) fn take_any(&mut self) -> Option<(usize, M)> {
        let mailbox = self.non_empty.trailing_zeros() as usize;
        if mailbox >= self.queues.0.len() {
            return None;
        }
        self.take(mailbox).map(|message| (mailbox, message))
    }

    #[inline(always)]
    fn take(&mut self, mailbox: usize) -> Option<M> {
        let queue = &mut self.queues.0[mailbox];
        let message = queue.pop_front();
        if queue.is_empty() {
            self.non_empty &= !(1 << mailbox);
        }
        message
    }

    /// How many messages are ready under `guards`.
    pub(crate) fn ready(&self, guards: Guards) -> usize {
        let open = self.queues.0.iter().enumerate().filter(|(mailbox, _)| guards.is_open(*mailbox));
        open.map(|(_, queue)| queue.len()).sum()
    }

    /// Whether any message is ready under `guards`.
    #[inline(always)]
    pub(crate) fn has_ready(&self, guards: Guards) -> bool {
        self.non_empty & guards.open_bits() != 0
    }
}

impl<M> fmt::Debug for MailboxSet<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailboxSet").field("non_empty", &self.non_empty).finish_non_exhaustive()
    }
}

/// Asks a policy.
///
/// # Panics
/// If it does, or selects a mailbox that is not ready: a failure of the actor.
fn select_by(policy: &mut dyn SelectionPolicy, ready: Ready<'_>) -> usize {
    let mailbox = policy.select(ready);
    assert!(
        ready.contains(mailbox),
        "the actor's selection policy chose mailbox {mailbox}; ready are {ready:?}"
    );
    mailbox
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(set: &mut MailboxSet<u32>, mut guards: Guards) -> Vec<u32> {
        std::iter::from_fn(|| set.take_next(&mut guards)).collect()
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
        assert!(set.select_arrival(2, &mut guards, || true));
        assert!(!set.select_arrival(2, &mut guards, || false), "one of 0 or 1 may come");
        assert!(set.select_arrival(0, &mut guards, || false));
        set.put(1, 1);
        assert!(set.select_arrival(0, &mut guards, || true));
        assert!(!set.select_arrival(1, &mut guards, || true));
        assert!(!set.select_arrival(2, &mut guards, || true));
        guards.close(1);
        assert!(set.select_arrival(2, &mut guards, || true));
        assert!(!set.select_arrival(1, &mut guards, || true));
        guards.close(0);
        assert!(set.select_arrival(2, &mut guards, || false), "nothing before it is open");
    }

    #[test]
    fn as_they_come_an_arrival_passes_lower_mailboxes_and_not_what_waits() {
        let mut set = MailboxSet::new(3);
        set.set_order(SelectionOrder::AsTheyCome(RoundRobin::default()));
        let mut guards = Guards::ALL_OPEN;
        assert!(set.select_arrival(2, &mut guards, || false));
        assert_eq!(guards.current(), 2);
        guards.close(1);
        assert!(!set.select_arrival(1, &mut guards, || true), "it is closed");
        set.put(1, 1);
        set.put(1, 2);
        assert!(set.select_arrival(0, &mut guards, || false), "what waits is closed");
        guards.open(1);
        assert!(!set.select_arrival(0, &mut guards, || true), "what waits goes first");
        set.put(0, 3);
        set.put(0, 4);
        assert_eq!(drain(&mut set, guards), [3, 1, 4, 2]);
    }

    #[test]
    fn a_policy_sees_the_message_that_it_is_asked_about_where_it_waits() {
        struct Longest;
        impl SelectionPolicy for Longest {
            fn select(&mut self, ready: Ready<'_>) -> usize {
                let waiting: Vec<_> = (0..3).map(|mailbox| ready.waiting(mailbox)).collect();
                assert_eq!(waiting, [0, 1, 0]);
                1
            }
        }
        let mut set = MailboxSet::new(3);
        set.set_order(SelectionOrder::By(Box::new(Longest)));
        let mut guards = Guards::ALL_OPEN;
        assert!(!set.select_arrival(1, &mut guards, || true));
        assert!(set.goes_next(1, guards, || true));
        assert!(!set.goes_next(1, guards, || false));
        assert_eq!(set.select_next(1, 'a', &mut guards), 'a');
        set.put(1, 'b');
        assert!(!set.goes_next(2, guards, || true));
        assert_eq!(set.take_next(&mut guards), Some('b'));
        assert_eq!(guards.current(), 1);
    }

    /// Random puts and takes agree with one plain queue per mailbox.
    #[test]
    fn any_pattern_agrees_with_plain_queues() {
        let mut random = crate::vocabulary::random::Random::from_seed(7);
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
                assert_eq!(set.take_next(&mut guards), expected);
            }
        }
    }

    #[test]
    #[should_panic(expected = "1 to 64 mailboxes, not 65")]
    fn more_than_64_mailboxes_are_refused() {
        MailboxSet::<()>::new(65);
    }
}
