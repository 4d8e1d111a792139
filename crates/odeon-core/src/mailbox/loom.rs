//! Exhaustive model of closed guards: an owner may go idle with messages waiting in a closed mailbox,
//! and no interleaving of arrivals and the opening turn leaves one behind.

use odeon_sync::{Arc, Mutex, thread};

use super::{Guards, Inbox, InboxOwner, MailboxSet, Pushed, WentIdle, label};

/// Closed at the start.
const GUARDED: usize = 0;
/// Its message opens the guarded one.
const OPENER: usize = 1;

struct Owner {
    inbox: InboxOwner<usize>,
    set: MailboxSet<usize>,
    guards: Guards,
}

struct Shared {
    inbox: Inbox<usize>,
    owner: Mutex<Option<Owner>>,
    handled: Mutex<Vec<usize>>,
}

fn send(shared: &Shared, mailbox: usize) {
    match shared.inbox.push(label::of_mailbox(mailbox), mailbox) {
        Pushed::WakeOwner => turn(shared),
        Pushed::AlreadyPending | Pushed::UnderPressure { .. } => {}
        Pushed::Closed(_) => unreachable!("nobody closes"),
    }
}

/// A turn as in `turn/sequential.rs`: sort what arrived, select, handle; go idle if nothing is ready.
fn turn(shared: &Shared) {
    let mut owner = shared.owner.lock().unwrap().take().expect("woken twice");
    loop {
        // SAFETY: we hold the owner's side of this inbox; the model pushes messages only.
        while let Some((label, message)) = unsafe { owner.inbox.pop(&shared.inbox) } {
            let mailbox = (label - label::FIRST_MAILBOX) as usize;
            owner.set.put(mailbox, unsafe { message.assume_init() });
        }
        if let Some(mailbox) = owner.set.take_next(&mut owner.guards) {
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
        let owner = Owner { inbox: owner, set: MailboxSet::new(2), guards };
        let shared = Arc::new(Shared {
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
