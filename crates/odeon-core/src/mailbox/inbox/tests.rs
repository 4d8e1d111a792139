//! Single-threaded rules of the inbox, and a stress run with real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::block::{BLOCK_SLOTS, EMBEDDED_SLOTS};
use super::*;

const LABEL: u32 = 1;

fn take<T>(owner: &mut InboxOwner<T>, inbox: &Inbox<T>) -> Option<T> {
    // SAFETY: each test has one inbox and its owner.
    let (_, message) = unsafe { owner.pop(inbox) }?;
    // SAFETY: the tests push messages only.
    Some(unsafe { message.assume_init() })
}

fn idle<T>(owner: &mut InboxOwner<T>, inbox: &Inbox<T>) -> WentIdle {
    // SAFETY: one thread.
    let went = unsafe { InboxOwner::go_idle(owner, inbox) };
    if went == WentIdle::UnderPressure {
        inbox.relieve();
    }
    went
}

#[test]
fn a_long_backlog_is_pressure_until_the_owner_takes_it_off() {
    let (inbox, mut owner) = Inbox::new();
    let mut pushed = 0;
    while inbox.push(LABEL, pushed) == Pushed::AlreadyPending || pushed == 0 {
        pushed += 1;
    }
    assert!((PRESSED_FROM - 100..=PRESSED_FROM + 100).contains(&pushed), "{pushed}");
    assert!(inbox.is_pressed());
    assert_eq!(inbox.push(LABEL, pushed + 1), Pushed::UnderPressure { wake_owner: false });
    for n in 0..=pushed + 1 {
        assert_eq!(take(&mut owner, &inbox), Some(n));
    }
    assert!(inbox.is_pressed(), "only the owner takes it off");
    assert_eq!(idle(&mut owner, &inbox), WentIdle::UnderPressure);
    assert!(!inbox.is_pressed());
    assert_eq!(idle(&mut owner, &inbox), WentIdle::Yes);
    assert_eq!(inbox.backlog(), 0);
    assert_eq!(inbox.push(LABEL, 7), Pushed::WakeOwner);
    inbox.press();
    assert_eq!(inbox.push(LABEL, 8), Pushed::UnderPressure { wake_owner: false });
    assert_eq!((take(&mut owner, &inbox), take(&mut owner, &inbox)), (Some(7), Some(8)));
    // SAFETY: one thread.
    unsafe { owner.close(&inbox, |_, _| ()) };
    assert!(!inbox.is_pressed());
    assert_eq!(inbox.push(LABEL, 9), Pushed::Closed(9));
}

#[test]
fn an_owner_may_sleep_under_pressure() {
    let (inbox, mut owner) = Inbox::new();
    for round in 0..3 {
        let pushed = inbox.push(LABEL, round);
        assert!(pushed.wakes_owner(), "{pushed:?}");
        inbox.press();
        let next = inbox.push(LABEL, 7);
        assert_eq!(next, Pushed::UnderPressure { wake_owner: false });
        // SAFETY: one thread.
        let busy = unsafe { InboxOwner::go_idle_pressed(&mut owner, &inbox) };
        assert_eq!(busy, WentIdle::No);
        assert_eq!((take(&mut owner, &inbox), take(&mut owner, &inbox)), (Some(round), Some(7)));
        // SAFETY: as above.
        let went = unsafe { InboxOwner::go_idle_pressed(&mut owner, &inbox) };
        assert_eq!(went, WentIdle::Yes);
        assert!(inbox.is_idle() && inbox.is_pressed());
    }
    assert_eq!(inbox.push(LABEL, 3), Pushed::UnderPressure { wake_owner: true });
    inbox.relieve();
    assert_eq!(take(&mut owner, &inbox), Some(3));
    assert_eq!(idle(&mut owner, &inbox), WentIdle::Yes);
    assert_eq!(inbox.push(LABEL, 4), Pushed::WakeOwner);
}

#[test]
fn only_the_first_push_after_idle_wakes() {
    let (inbox, mut owner) = Inbox::new();
    assert_eq!(inbox.push(LABEL, 1), Pushed::WakeOwner);
    assert_eq!(inbox.push(LABEL, 2), Pushed::AlreadyPending);
    assert_eq!(idle(&mut owner, &inbox), WentIdle::No);
    assert_eq!(take(&mut owner, &inbox), Some(1));
    assert_eq!(idle(&mut owner, &inbox), WentIdle::No);
    assert_eq!(take(&mut owner, &inbox), Some(2));
    assert_eq!(take(&mut owner, &inbox), None);
    assert_eq!(idle(&mut owner, &inbox), WentIdle::Yes);
    assert_eq!(inbox.push(LABEL, 3), Pushed::WakeOwner);
}

#[test]
fn order_survives_every_backlog_length_around_block_boundaries() {
    for backlog in 0..EMBEDDED_SLOTS + 3 * BLOCK_SLOTS + 2 {
        let (inbox, mut owner) = Inbox::new();
        for round in 0..3 {
            for i in 0..backlog {
                let pushed = inbox.push(LABEL, (round, i));
                assert_eq!(pushed == Pushed::WakeOwner, i == 0, "backlog {backlog}, message {i}");
            }
            for i in 0..backlog {
                assert_eq!(take(&mut owner, &inbox), Some((round, i)));
            }
            assert_eq!(take(&mut owner, &inbox), None);
            assert_eq!(idle(&mut owner, &inbox), WentIdle::Yes);
        }
    }
}

#[test]
fn a_closed_inbox_returns_messages_however_many_are_sent() {
    let (inbox, mut owner) = Inbox::new();
    // SAFETY: one thread.
    unsafe { owner.close(&inbox, |_, _| unreachable!("nothing was sent")) };
    for i in 0..300_000 {
        assert_eq!(inbox.push(LABEL, i), Pushed::Closed(i));
    }
    assert!(inbox.is_closed());
}

#[test]
fn close_hands_over_whatever_was_accepted() {
    for backlog in 0..EMBEDDED_SLOTS + 2 * BLOCK_SLOTS + 2 {
        let (inbox, mut owner) = Inbox::new();
        for i in 0..backlog {
            let _ = inbox.push(LABEL, i);
        }
        let mut taken = Vec::new();
        // SAFETY: one thread; only messages were pushed.
        unsafe { owner.close(&inbox, |_, message| taken.push(message.assume_init())) };
        assert!(taken.into_iter().eq(0..backlog));
        assert_eq!(inbox.push(LABEL, 1), Pushed::Closed(1));
    }
}

/// Senders that never pause cannot keep an inbox open.
#[test]
fn a_flooded_inbox_can_be_closed() {
    for _ in 0..50 {
        let (inbox, mut owner) = Inbox::<u64>::new();
        let inbox = Arc::new(inbox);
        let floods: Vec<_> = (0..2)
            .map(|_| {
                let inbox = inbox.clone();
                std::thread::spawn(move || {
                    (0..).find(|&n| matches!(inbox.push(LABEL, n), Pushed::Closed(_))).unwrap()
                })
            })
            .collect();
        let mut taken = 0;
        while taken < 100 {
            taken += u64::from(take(&mut owner, &inbox).is_some());
        }
        // SAFETY: we are the only owner.
        unsafe { owner.close(&inbox, |_, _| taken += 1) };
        // A flood may have been refused during an install and accepted again: it stops at the first
        // refusal, so what it counted is what was accepted.
        let accepted: u64 = floods.into_iter().map(|flood| flood.join().unwrap()).sum();
        assert_eq!(taken, accepted);
    }
}

#[test]
fn a_new_inbox_with_a_signal_counts_as_woken() {
    let (inbox, mut owner) = Inbox::<String>::new_with_signal(254);
    assert_eq!(inbox.push(LABEL, "a".into()), Pushed::AlreadyPending);
    // SAFETY: one thread.
    let (label, _) = unsafe { owner.pop(&inbox) }.expect("the signal");
    assert_eq!(label, 254);
    assert_eq!(take(&mut owner, &inbox), Some("a".into()));
}

#[test]
fn zero_sized_and_large_messages_pass() {
    let (inbox, mut owner) = Inbox::new();
    for _ in 0..200 {
        let _ = inbox.push(LABEL, ());
    }
    assert_eq!(std::iter::from_fn(|| take(&mut owner, &inbox)).count(), 200);
    let (inbox, mut owner) = Inbox::new();
    for i in 0..200u8 {
        let _ = inbox.push(LABEL, [i; 1000]);
    }
    for i in 0..200u8 {
        assert_eq!(take(&mut owner, &inbox), Some([i; 1000]));
    }
}

/// Parallel senders, one owner that goes idle whenever it can: nothing lost, doubled, reordered.
#[test]
fn stress_with_real_threads() {
    const SENDERS: usize = 4;
    const MESSAGES: usize = 50_000;
    let (inbox, mut owner) = Inbox::<(usize, usize)>::new();
    let inbox = Arc::new(inbox);
    let wakes = Arc::new(AtomicUsize::new(0));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let (inbox, wakes) = (inbox.clone(), wakes.clone());
            std::thread::spawn(move || {
                for i in 0..MESSAGES {
                    if inbox.push(LABEL, (sender, i)) == Pushed::WakeOwner {
                        // ORDERING: SeqCst: a test's token, nothing to gain from less.
                        wakes.fetch_add(1, Ordering::SeqCst);
                    }
                }
            })
        })
        .collect();
    let mut next = [0; SENDERS];
    let mut taken = 0;
    let mut asleep = true;
    while taken < SENDERS * MESSAGES {
        if asleep {
            // ORDERING: SeqCst: as above. A lost wake-up would hang here.
            if wakes.swap(0, Ordering::SeqCst) == 0 {
                std::thread::yield_now();
                continue;
            }
            asleep = false;
        }
        match take(&mut owner, &inbox) {
            Some((sender, i)) => {
                assert_eq!(i, next[sender], "sender {sender} reordered");
                next[sender] += 1;
                taken += 1;
            }
            None => asleep = idle(&mut owner, &inbox) == WentIdle::Yes,
        }
    }
    for sender in senders {
        sender.join().unwrap();
    }
}
