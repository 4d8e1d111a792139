//! What every mailbox promises, whatever it is made of: see
//! [`mailbox_conformance!`](crate::mailbox_conformance).
//!
//! The suite drives a mailbox as a scheduler does: whoever is told to wake the owner runs its turn.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::atomic::AtomicCell;
use odeon_core::extend::{Pushed, WentIdle};

use crate::drop_tracker::DropTracker;
use crate::seeds::for_seeds;
use odeon_core::Random;

/// The senders' side of a mailbox of `T`.
pub trait SenderSide<T>: Send + Sync + 'static {
    /// Any thread: leaves a message.
    fn push(&self, message: T) -> Pushed<T>;
    /// Any thread: whether messages are given back.
    fn is_closed(&self) -> bool;
}

/// The owner's side of a mailbox of `T`; dropped, it takes what is left with it.
pub trait OwnerSide<T>: Send + 'static {
    /// Takes the oldest message.
    fn pop(&mut self) -> Option<T>;
    /// Goes idle if nothing has been pushed.
    fn go_idle(&mut self) -> WentIdle;
    /// Closes the mailbox, however busy its senders are; returns what was accepted before. Once
    /// only.
    fn close(&mut self) -> Vec<T>;
}

/// A mailbox to be tested.
pub trait MailboxUnderTest: 'static {
    /// Its senders' side.
    type Senders<T: Send + 'static>: SenderSide<T>;
    /// Its owner's side.
    type Owner<T: Send + 'static>: OwnerSide<T>;
    /// An empty mailbox whose owner sleeps.
    fn new<T: Send + 'static>() -> (Self::Senders<T>, Self::Owner<T>);
    /// A backlog of which all block boundaries are below, plus one.
    const LONG_BACKLOG: usize;
}

/// Instantiates the suite for one implementation of [`MailboxUnderTest`], as `#[test]`s in a module
/// of the given name.
#[macro_export]
macro_rules! mailbox_conformance {
    ($name:ident, $mailbox:ty) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::mailbox_conformance!(@tests $mailbox:
                s2_order_holds_for_every_backlog_length
                s2_order_holds_for_any_pattern_of_pushes_and_pops
                s2_order_holds_per_sender_under_contention
                s4_senders_get_on_without_an_owner
                s4_exactly_one_push_after_idle_wakes
                s4_close_hands_over_what_was_accepted
                s4_close_takes_or_returns_every_message
                s4_messages_without_size_pass
                s4_large_messages_pass
                s4_every_message_is_dropped_once
            );
        }
    };
    (@tests $mailbox:ty: $($test:ident)*) => {
        $(#[test] fn $test() { $crate::conformance::mailbox::$test::<$mailbox>(); })*
    };
}

/// Whatever the backlog, across all block boundaries and again after each sleep.
pub fn s2_order_holds_for_every_backlog_length<M: MailboxUnderTest>() {
    for backlog in 0..M::LONG_BACKLOG {
        let (senders, mut owner) = M::new();
        for round in 0..2 {
            for n in 0..backlog {
                let wakes = senders.push((round, n)) == Pushed::WakeOwner;
                assert_eq!(wakes, n == 0, "backlog {backlog}, message {n}");
            }
            for n in 0..backlog {
                assert_eq!(owner.pop(), Some((round, n)));
            }
            assert_eq!(owner.pop(), None);
            assert_eq!(owner.go_idle(), WentIdle::Yes);
        }
    }
}

/// Pushes, pops and attempts to sleep in random order agree with a plain queue.
pub fn s2_order_holds_for_any_pattern_of_pushes_and_pops<M: MailboxUnderTest>() {
    for_seeds(200, |seed| {
        let mut random = Random::from_seed(seed);
        let (senders, mut owner) = M::new();
        let (mut pushed, mut popped, mut asleep) = (0u64, 0u64, true);
        for _ in 0..random.below(1_000) {
            match random.below(5) {
                // Runs of pushes and of pops, so that backlogs grow and vanish.
                0 | 1 => {
                    for _ in 0..random.below(40) {
                        let wakes = senders.push(pushed) == Pushed::WakeOwner;
                        assert_eq!(wakes, asleep);
                        asleep = false;
                        pushed += 1;
                    }
                }
                2 | 3 if !asleep => {
                    for _ in 0..random.below(40) {
                        let expected = (popped < pushed).then_some(popped);
                        assert_eq!(owner.pop(), expected);
                        popped += u64::from(expected.is_some());
                    }
                }
                4 if !asleep => {
                    let expected = if popped == pushed { WentIdle::Yes } else { WentIdle::No };
                    assert_eq!(owner.go_idle(), expected);
                    asleep = expected == WentIdle::Yes;
                }
                _ => {}
            }
        }
    });
}

/// Of all pushes, exactly the one that finds the owner asleep is told to wake it.
pub fn s4_exactly_one_push_after_idle_wakes<M: MailboxUnderTest>() {
    let (senders, mut owner) = M::new();
    for n in 0..100 {
        assert_eq!(senders.push(n), Pushed::WakeOwner);
        assert_eq!(senders.push(n), Pushed::AlreadyPending);
        assert_eq!(owner.go_idle(), WentIdle::No);
        assert_eq!(owner.pop(), Some(n));
        assert_eq!(owner.go_idle(), WentIdle::No);
        assert_eq!(owner.pop(), Some(n));
        assert_eq!(owner.go_idle(), WentIdle::Yes);
    }
}

/// Closing hands over what waits; a closed mailbox gives every message back.
pub fn s4_close_hands_over_what_was_accepted<M: MailboxUnderTest>() {
    for backlog in [1, 2, 3, 4, 5, M::LONG_BACKLOG] {
        let (senders, mut owner) = M::new();
        for n in 0..backlog {
            let _ = senders.push(n);
        }
        assert!(!senders.is_closed());
        assert_eq!(owner.pop(), Some(0));
        assert!(owner.close().into_iter().eq(1..backlog));
        assert!(senders.is_closed());
        for n in 0..1_000 {
            assert_eq!(senders.push(n), Pushed::Closed(n));
        }
    }
}

/// Messages of type `()`.
pub fn s4_messages_without_size_pass<M: MailboxUnderTest>() {
    let (senders, mut owner) = M::new();
    for _ in 0..M::LONG_BACKLOG {
        let _ = senders.push(());
    }
    assert_eq!(std::iter::from_fn(|| owner.pop()).count(), M::LONG_BACKLOG);
}

/// Messages larger than any cache line or inline room.
pub fn s4_large_messages_pass<M: MailboxUnderTest>() {
    let (senders, mut owner) = M::new();
    (0..M::LONG_BACKLOG).for_each(|n| drop(senders.push([n; 300])));
    for n in 0..M::LONG_BACKLOG {
        assert!(owner.pop() == Some([n; 300]), "message {n} was changed");
    }
}

/// Whether taken, returned, or left behind in a mailbox that is dropped.
pub fn s4_every_message_is_dropped_once<M: MailboxUnderTest>() {
    let tracker = DropTracker::new();
    for (pushed, taken) in [(0, 0), (1, 0), (3, 1), (4, 4), (M::LONG_BACKLOG, 70)] {
        let (senders, mut owner) = M::new();
        for n in 0..pushed {
            let _ = senders.push(tracker.track(n));
        }
        for n in 0..taken {
            assert_eq!(owner.pop().map(|message| *message), Some(n));
        }
        assert_eq!(tracker.alive(), pushed - taken);
        if pushed == taken {
            assert!(owner.close().is_empty());
            assert!(matches!(senders.push(tracker.track(9)), Pushed::Closed(_)));
        }
        drop((senders, owner));
        assert_eq!(tracker.alive(), 0);
    }
    tracker.check();
}

/// Real threads send; whoever is told to wake the owner runs its turn. The owner's side stands in a
/// slot between turns: two owners at once would find it empty.
pub fn s2_order_holds_per_sender_under_contention<M: MailboxUnderTest>() {
    const SENDERS: usize = 3;
    const MESSAGES: u64 = 30_000;
    let (senders, owner) = M::new::<(usize, u64)>();
    let senders = Arc::new(senders);
    let place = Arc::new(OwnedSide::<M>::new(owner));
    let threads: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let (senders, place) = (senders.clone(), place.clone());
            std::thread::spawn(move || {
                for n in 0..MESSAGES {
                    if senders.push((sender, n)) == Pushed::WakeOwner {
                        turn::<M>(&place);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a sender failed");
    }
    let (_owner, next) = *place.slot.take().expect("the owner sleeps: all senders are done");
    assert_eq!(next, (0..SENDERS).map(|sender| (sender, MESSAGES)).collect());
}

/// The owner's side, and what is expected next from each sender.
type Side<M> = (<M as MailboxUnderTest>::Owner<(usize, u64)>, HashMap<usize, u64>);

/// Where the owner's side stands between turns. Atomics and no lock: ThreadSanitizer does not see
/// into the standard library's locks.
struct OwnedSide<M: MailboxUnderTest> {
    owned: AtomicBool,
    slot: AtomicCell<Option<Box<Side<M>>>>,
}

impl<M: MailboxUnderTest> OwnedSide<M> {
    fn new(owner: M::Owner<(usize, u64)>) -> Self {
        let side = Box::new((owner, HashMap::new()));
        Self { owned: AtomicBool::new(false), slot: AtomicCell::new(Some(side)) }
    }

    /// The side, for a sender that was told to wake the owner.
    fn take(&self) -> Box<Side<M>> {
        // ORDERING: AcqRel, here and below: one owner's turn comes before the next one's.
        assert!(
            !self.owned.swap(true, Ordering::AcqRel),
            "woken while another sender is the owner"
        );
        loop {
            // The last owner may have gone to sleep just now.
            match self.slot.take() {
                Some(side) => return side,
                None => std::thread::yield_now(),
            }
        }
    }
}

fn turn<M: MailboxUnderTest>(place: &OwnedSide<M>) {
    let mut side = place.take();
    loop {
        let (owner, next) = &mut *side;
        while let Some((sender, n)) = owner.pop() {
            let expected = next.entry(sender).or_default();
            assert_eq!(n, *expected, "lost, doubled or reordered from sender {sender}");
            *expected += 1;
        }
        // The next owner may come as soon as this one sleeps.
        place.owned.store(false, Ordering::Release);
        if owner.go_idle() == WentIdle::Yes {
            place.slot.store(Some(side));
            return;
        }
        place.owned.store(true, Ordering::Release);
        std::thread::yield_now();
    }
}

/// Real threads fill a mailbox that nobody empties: none of them may wait for the owner, nor for
/// another sender that is done.
pub fn s4_senders_get_on_without_an_owner<M: MailboxUnderTest>() {
    for round in 0..2_000 {
        let (senders, mut owner) = M::new::<usize>();
        let senders = Arc::new(senders);
        let each = M::LONG_BACKLOG / 2 + round % 64;
        let threads = [0, 1].map(|_| {
            let senders = senders.clone();
            std::thread::spawn(move || {
                for n in 0..each {
                    let _ = senders.push(n);
                }
            })
        });
        for thread in threads {
            thread.join().expect("a sender failed");
        }
        assert_eq!(std::iter::from_fn(|| owner.pop()).count(), 2 * each);
    }
}

/// Close against push on real threads: each message is taken by the owner or comes back.
pub fn s4_close_takes_or_returns_every_message<M: MailboxUnderTest>() {
    for _ in 0..200 {
        let (senders, mut owner) = M::new::<u64>();
        let senders = Arc::new(senders);
        let accepted = Arc::new(AtomicU64::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (senders, accepted) = (senders.clone(), accepted.clone());
                std::thread::spawn(move || {
                    for n in 0..u64::MAX {
                        match senders.push(n) {
                            Pushed::Closed(back) => return assert_eq!(back, n),
                            // ORDERING: Relaxed: read after the join.
                            _ => accepted.fetch_add(1, Ordering::Relaxed),
                        };
                    }
                })
            })
            .collect();
        let mut taken = 0;
        while taken < 100 {
            taken += u64::from(owner.pop().is_some());
        }
        taken += owner.close().len() as u64;
        for thread in threads {
            thread.join().expect("a sender failed");
        }
        // ORDERING: Relaxed: after the join.
        assert_eq!(accepted.load(Ordering::Relaxed), taken);
    }
}
