//! Exhaustive models of the inbox with an embedded block of 1 slot and heap blocks of 2.

use std::mem::MaybeUninit;
use std::sync::Arc as StdArc;

use odeon_sync::{Arc, Mutex, thread};

use super::{Inbox, InboxOwner, Pushed, WentIdle};

const LABEL: u32 = 1;

fn read(taken: (u32, MaybeUninit<Box<u32>>)) -> u32 {
    // SAFETY: the models push messages only.
    *unsafe { taken.1.assume_init() }
}

/// The right to own an inbox, handed over by wake-ups as a scheduler would.
struct SharedInbox {
    inbox: Inbox<Box<u32>>,
    owner: Mutex<Option<InboxOwner<Box<u32>>>>,
    /// Whether the owner goes idle under pressure, as if it had deferred messages.
    stays_pressed: bool,
}

/// A turn: takes everything until the inbox is idle; returns what it took.
fn turn(shared: &SharedInbox) -> Vec<u32> {
    let mut owner =
        shared.owner.lock().unwrap().take().expect("woken twice: someone owns the inbox");
    let mut seen = Vec::new();
    loop {
        // SAFETY: we hold the owner's side of this inbox.
        while let Some(taken) = unsafe { owner.pop(&shared.inbox) } {
            seen.push(read(taken));
        }
        // The slot must hold the owner again before another thread can be woken.
        let mut slot = shared.owner.lock().unwrap();
        let go_idle = if shared.stays_pressed && shared.inbox.is_pressed() {
            InboxOwner::go_idle_pressed
        } else {
            InboxOwner::go_idle
        };
        // SAFETY: as above.
        match unsafe { go_idle(&mut owner, &shared.inbox) } {
            WentIdle::Yes => {
                *slot = Some(owner);
                return seen;
            }
            WentIdle::UnderPressure => shared.inbox.relieve(),
            WentIdle::No => {}
        }
        drop(slot);
        thread::yield_now();
    }
}

/// Every message is taken exactly once, in each sender's order, by the turns that senders start;
/// of all senders exactly one is told to wake a sleeping owner.
fn senders_start_turns(senders: usize, messages: u32) {
    let (inbox, owner) = Inbox::new();
    senders_start_turns_of(inbox, owner, false, senders, messages);
}

fn senders_start_turns_of(
    inbox: Inbox<Box<u32>>,
    owner: InboxOwner<Box<u32>>,
    stays_pressed: bool,
    senders: usize,
    messages: u32,
) {
    let shared = Arc::new(SharedInbox { inbox, owner: Mutex::new(Some(owner)), stays_pressed });
    let seen = StdArc::new(std::sync::Mutex::new(Vec::new()));
    let push_all =
        |sender: u32, shared: Arc<SharedInbox>, seen: StdArc<std::sync::Mutex<Vec<u32>>>| {
            move || {
                for message in 0..messages {
                    let pushed = shared.inbox.push(LABEL, Box::new(sender * 10 + message));
                    assert!(!matches!(pushed, Pushed::Closed(_)), "nobody closes");
                    if pushed.wakes_owner() {
                        let took = turn(&shared);
                        seen.lock().unwrap().extend(took);
                    }
                }
            }
        };
    let others: Vec<_> = (1..senders as u32)
        .map(|sender| thread::spawn(push_all(sender, shared.clone(), seen.clone())))
        .collect();
    push_all(0, shared.clone(), seen.clone())();
    for other in others {
        other.join().unwrap();
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), senders * messages as usize, "lost or doubled: {seen:?}");
    for sender in 0..senders as u32 {
        let own: Vec<u32> = seen.iter().copied().filter(|m| m / 10 == sender).collect();
        assert!(own.is_sorted(), "sender {sender} was reordered: {seen:?}");
    }
}

#[test]
fn two_senders_one_message_each() {
    loom::model(|| senders_start_turns(2, 1));
}

#[test]
fn an_owner_asleep_under_pressure_is_woken_once() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let (inbox, mut owner) = Inbox::new();
        let _ = inbox.push(LABEL, Box::new(9));
        inbox.press();
        // SAFETY: we are the only owner, and sleep after this.
        unsafe {
            read(owner.pop(&inbox).expect("just pushed"));
            assert_eq!(InboxOwner::go_idle_pressed(&mut owner, &inbox), WentIdle::Yes);
        }
        senders_start_turns_of(inbox, owner, true, 2, 2);
    });
}

#[test]
fn two_senders_across_block_boundaries() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| senders_start_turns(2, 3));
}

#[test]
fn three_senders_one_message_each() {
    let mut model = loom::model::Builder::new();
    // One sender waits for another at the block's end: each look is a branch.
    model.preemption_bound = Some(1);
    model.max_branches = 5_000;
    model.check(|| senders_start_turns(3, 1));
}

/// The owner takes while a sender pushes over three blocks.
#[test]
fn owner_takes_while_a_sender_pushes() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (inbox, mut owner) = Inbox::new();
        let inbox = Arc::new(inbox);
        let sender = thread::spawn({
            let inbox = inbox.clone();
            move || {
                for message in 0..4u32 {
                    let _ = inbox.push(LABEL, Box::new(message));
                }
            }
        });
        let mut expected = 0;
        while expected < 4 {
            // SAFETY: we are the only owner.
            match unsafe { owner.pop(&inbox) } {
                Some(taken) => {
                    assert_eq!(read(taken), expected);
                    expected += 1;
                }
                None => thread::yield_now(),
            }
        }
        sender.join().unwrap();
        // SAFETY: as above.
        unsafe { owner.close(&inbox, |_, _| unreachable!("everything was taken")) };
    });
}

/// Close against push: every message is either taken by the owner or comes back to its sender.
#[test]
fn close_takes_or_returns_every_message() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (inbox, mut owner) = Inbox::new();
        let inbox = Arc::new(inbox);
        // The embedded block is full before the senders begin, and each pushes once: loom lets a
        // thread that stored to the tail word read an older value in its next addition, which no
        // memory model allows.
        let _ = inbox.push(LABEL, Box::new(9));
        let senders: Vec<_> = (0..2u32)
            .map(|sender| {
                let inbox = inbox.clone();
                thread::spawn(move || match inbox.push(LABEL, Box::new(sender)) {
                    Pushed::Closed(message) => {
                        assert_eq!(*message, sender, "the sender gets its own message back");
                        0
                    }
                    _ => 1,
                })
            })
            .collect();
        let mut taken = 0;
        // SAFETY: we are the only owner.
        if unsafe { owner.pop(&inbox) }.map(read).is_some() {
            taken += 1;
        }
        // SAFETY: as above.
        unsafe {
            owner.close(&inbox, |label, content| {
                read((label, content));
                taken += 1;
            });
        }
        let accepted: u32 = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
        assert_eq!(1 + accepted, taken);
    });
}
