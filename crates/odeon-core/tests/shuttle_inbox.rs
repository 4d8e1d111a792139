//! The inbox under random schedules, with an embedded block of 1 slot and heap blocks of 2. Beyond
//! the loom models where loom cannot follow: it lets a thread that has stored to the tail word read
//! an older value in its next addition, and two additions read the same value. Run by
//! `ci/shuttle.sh`.

use std::sync::Arc as StdArc;

use odeon_core::extend::Pushed;
use odeon_sync::schedules::check;
use odeon_sync::thread;
use odeon_testkit::DropTracker;
use odeon_testkit::conformance::inbox::UnboundedInbox;
use odeon_testkit::conformance::mailbox::{MailboxUnderTest, OwnerSide, SenderSide};

/// Nobody takes anything: a sender that waited for the end of a block may find the next block full
/// as well, and nobody else to go on.
#[test]
fn s7_senders_get_on_without_an_owner() {
    check(2_000, || {
        let (senders, mut owner) = UnboundedInbox::new::<u32>();
        let senders = StdArc::new(senders);
        let threads: Vec<_> = (0..3)
            .map(|sender| {
                let senders = senders.clone();
                thread::spawn(move || {
                    for n in 0..3 {
                        let _ = senders.push(10 * sender + n);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let taken: Vec<_> = std::iter::from_fn(|| owner.pop()).collect();
        assert_eq!(taken.len(), 9);
        for sender in 0..3 {
            assert!(taken.iter().filter(|&n| n / 10 == sender).is_sorted(), "{taken:?}");
        }
    });
}

/// Close against push across blocks: every message is handed to the owner, in each sender's order,
/// or comes back; and all of them are dropped.
#[test]
fn s4_close_takes_or_returns_every_message() {
    check(2_000, || {
        let tracker = DropTracker::new();
        let (senders, mut owner) = UnboundedInbox::new();
        let senders = StdArc::new(senders);
        let threads: Vec<_> = (0..2)
            .map(|sender| {
                let (senders, tracker) = (senders.clone(), tracker.clone());
                thread::spawn(move || {
                    let push = |n| senders.push(tracker.track((sender, n)));
                    (0..5).take_while(|&n| !matches!(push(n), Pushed::Closed(_))).count()
                })
            })
            .collect();
        let mut taken: Vec<_> = (0..2).filter_map(|_| owner.pop()).collect();
        taken.extend(owner.close());
        let accepted: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        for (sender, &accepted) in accepted.iter().enumerate() {
            let own = taken.iter().filter(|message| message.0 == sender).map(|message| message.1);
            assert!(own.eq(0..accepted), "sender {sender}: {accepted} accepted of {taken:?}");
        }
        drop((taken, owner));
        tracker.check();
    });
}
