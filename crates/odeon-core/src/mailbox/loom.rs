//! Exhaustive models of guards: an owner may go idle with messages waiting in a closed mailbox, and
//! no interleaving of arrivals and the opening turn leaves one behind; one that has closed all ends
//! once, whoever stops it meanwhile.

use odeon_sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use odeon_sync::{Arc, Mutex, thread};

use super::{Guards, Inbox, InboxOwner, MailboxSet, Pushed, WentIdle, label};

/// Closed at the start.
const GUARDED: usize = 0;
/// Its message opens the guarded one.
const OPENER: usize = 1;

struct SelectorOwner {
    inbox: InboxOwner<usize>,
    set: MailboxSet<usize>,
    guards: Guards,
}

struct SelectorModel {
    inbox: Inbox<usize>,
    owner: Mutex<Option<SelectorOwner>>,
    handled: Mutex<Vec<usize>>,
}

fn send(shared: &SelectorModel, mailbox: usize) {
    match shared.inbox.push(label::of_mailbox(mailbox), mailbox) {
        Pushed::WakeOwner => turn(shared),
        Pushed::AlreadyPending | Pushed::UnderPressure { .. } => {}
        Pushed::Closed(_) => unreachable!("nobody closes"),
    }
}

/// The next message, as in `turn/sequential/sorting.rs`: an arrival that nothing can go before, or
/// what goes first of what has been sorted.
fn next(owner: &mut SelectorOwner, inbox: &Inbox<usize>) -> Option<usize> {
    // SAFETY: we hold the owner's side of this inbox; the model pushes messages only.
    while let Some(arrival) = unsafe { owner.inbox.next(inbox) } {
        let mailbox = (arrival.label - label::FIRST_MAILBOX) as usize;
        // SAFETY: as above.
        let message = unsafe { arrival.take().assume_init() };
        // SAFETY: as above.
        let is_last = || !unsafe { owner.inbox.has_next(inbox) };
        if owner.set.select_arrival(mailbox, &mut owner.guards, is_last) {
            return Some(message);
        }
        owner.set.put(mailbox, message);
    }
    owner.set.take_next(&mut owner.guards)
}

/// A turn as in `turn/sequential.rs`: select, handle; go idle if nothing is ready.
fn turn(shared: &SelectorModel) {
    let mut owner = shared.owner.lock().unwrap().take().expect("woken twice");
    loop {
        if let Some(mailbox) = next(&mut owner, &shared.inbox) {
            if mailbox == OPENER {
                owner.guards.open(GUARDED);
            }
            shared.handled.lock().unwrap().push(mailbox);
            continue;
        }
        // The place must hold the owner again before another thread can be woken.
        let mut place = shared.owner.lock().unwrap();
        // SAFETY: as above.
        if unsafe { InboxOwner::go_idle(&mut owner.inbox, &shared.inbox) } == WentIdle::Yes {
            *place = Some(owner);
            return;
        }
        drop(place);
        thread::yield_now();
    }
}

#[test]
fn a_message_behind_a_closed_guard_is_handled_once_it_opens() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (inbox, owner) = Inbox::new();
        let mut guards = Guards::ALL_OPEN;
        guards.close(GUARDED);
        let owner = SelectorOwner { inbox: owner, set: MailboxSet::new(2), guards };
        let shared = Arc::new(SelectorModel {
            inbox,
            owner: Mutex::new(Some(owner)),
            handled: Mutex::new(Vec::new()),
        });
        let other = thread::spawn({
            let shared = shared.clone();
            move || send(&shared, GUARDED)
        });
        send(&shared, OPENER);
        other.join().unwrap();
        assert_eq!(*shared.handled.lock().unwrap(), [OPENER, GUARDED]);
    });
}

/// The message that has the actor close all its mailboxes.
const CLOSER: usize = 0;

/// What the owner of an actor that ends, because all its mailboxes are closed or because it was
/// asked to, has left.
struct EndingModel {
    inbox: Inbox<usize>,
    owner: Mutex<Option<(InboxOwner<usize>, MailboxSet<usize>, Guards)>>,
    handled: AtomicUsize,
    lost: AtomicUsize,
    stop: AtomicBool,
    ends: AtomicUsize,
}

/// A turn as in `turn/sequential.rs` of an actor that stops when all is closed.
fn turn_that_may_end(shared: &EndingModel) {
    let (mut inbox, mut set, mut guards) =
        shared.owner.lock().unwrap().take().expect("woken twice");
    loop {
        let mut ends = shared.stop.load(Ordering::Acquire);
        if !ends {
            // SAFETY: we hold the owner's side of this inbox; only messages have its labels.
            while let Some((label, message)) = unsafe { inbox.pop(&shared.inbox) } {
                if label != label::WAKE {
                    let mailbox = (label - label::FIRST_MAILBOX) as usize;
                    set.put(mailbox, unsafe { message.assume_init() });
                }
            }
            if let Some(mailbox) = set.take_next(&mut guards) {
                shared.handled.fetch_add(1, Ordering::Relaxed);
                if mailbox == CLOSER {
                    guards.open_only(0);
                }
                if !guards.are_all_closed(2) {
                    continue;
                }
                ends = true;
            }
        }
        if ends {
            let lost = |label, _| {
                if label != label::WAKE {
                    shared.lost.fetch_add(1, Ordering::Relaxed);
                }
            };
            // SAFETY: as above; closed once, since nobody gets the owner's side any more.
            unsafe { inbox.close(&shared.inbox, lost) };
            while set.take_any().is_some() {
                shared.lost.fetch_add(1, Ordering::Relaxed);
            }
            shared.ends.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let mut place = shared.owner.lock().unwrap();
        *place = Some((inbox, set, guards));
        let (owner, ..) = place.as_mut().expect("just put there");
        // SAFETY: as above; behind the lock until somebody has been woken.
        if unsafe { InboxOwner::go_idle(owner, &shared.inbox) } == WentIdle::Yes {
            return;
        }
        (inbox, set, guards) = place.take().expect("just put there");
        drop(place);
        thread::yield_now();
    }
}

#[test]
fn closing_all_and_a_stop_end_an_actor_once_and_lose_no_message() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (inbox, owner) = Inbox::new();
        let shared = Arc::new(EndingModel {
            inbox,
            owner: Mutex::new(Some((owner, MailboxSet::new(2), Guards::ALL_OPEN))),
            handled: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            ends: AtomicUsize::new(0),
        });
        let send = |shared: &EndingModel, mailbox: usize| match shared
            .inbox
            .push(label::of_mailbox(mailbox), mailbox)
        {
            Pushed::Closed(_) => 1,
            pushed => {
                if pushed.wakes_owner() {
                    turn_that_may_end(shared);
                }
                0
            }
        };
        let stopper = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.stop.store(true, Ordering::Release);
                if shared.inbox.push_signal(label::WAKE).wakes_owner() {
                    turn_that_may_end(&shared);
                }
            }
        });
        let returned = send(&shared, CLOSER) + send(&shared, 1);
        stopper.join().unwrap();
        let handled = shared.handled.load(Ordering::Relaxed);
        assert_eq!(handled + shared.lost.load(Ordering::Relaxed) + returned, 2);
        assert!(handled <= 1, "nothing is handled when all is closed");
        assert_eq!(shared.ends.load(Ordering::Relaxed), 1);
    });
}
