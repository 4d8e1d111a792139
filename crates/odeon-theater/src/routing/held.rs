//! Actors here that are under pressure: the other theater holds back messages for them (S17).

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};

use odeon_core::wire::Inbound;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use crate::routing::channel::Channel;
use crate::routing::owner::Owner;
use crate::routing::peer::Peer;

/// TUNE: bytes of messages that are still taken for an actor under pressure before the other side
/// is asked to hold back, a quarter of a link's window: most actors are done with them sooner than
/// the other side hears of it.
const TAKEN_UNDER_PRESSURE: usize = 1 << 20;

/// The actors here that are under pressure from one peer.
#[derive(Default)]
pub(crate) struct Held {
    actors: Mutex<HashMap<u64, Pressed>>,
    /// How many there are, for a look without the lock.
    number: AtomicUsize,
}

enum Pressed {
    /// So many bytes have been taken since it is.
    Taken(usize),
    /// The other side holds back.
    Held,
}

impl Peer {
    /// An actor has been given a message of so many bytes, and is under pressure: has the other
    /// side hold back its messages if that goes on.
    #[cold]
    pub(crate) fn presses(
        self: &Arc<Self>,
        owner: &Arc<impl Owner>,
        actor: u64,
        bytes: usize,
        inbound: &Arc<dyn Inbound>,
    ) {
        let mut actors = self.held.lock();
        let pressed = actors.entry(actor).or_insert(Pressed::Taken(0));
        match pressed {
            Pressed::Taken(taken) if *taken + bytes < TAKEN_UNDER_PRESSURE => *taken += bytes,
            Pressed::Taken(_) => {
                *pressed = Pressed::Held;
                self.held.note(actors);
                self.pause(Channel::Actor(actor), true);
                let relieved = Mutex::new(Some(inbound.relieved()));
                let owner = Arc::downgrade(owner);
                Arc::new(Relief { peer: self.clone(), owner, actor, relieved }).wake();
                return;
            }
            Pressed::Held => {}
        }
        self.held.note(actors);
    }

    /// An actor has been given a message and is not under pressure.
    #[inline]
    pub(crate) fn does_not_press(&self, actor: u64) {
        // ORDERING: Relaxed: a hint. Whoever takes messages for an actor is one thread at a time,
        // and reads what it has written.
        if self.held.number.load(Ordering::Relaxed) > 0 {
            self.held.forget_taken(actor);
        }
    }
}

impl Held {
    #[cold]
    fn forget_taken(&self, actor: u64) {
        let mut actors = self.lock();
        if matches!(actors.get(&actor), Some(Pressed::Taken(_))) {
            actors.remove(&actor);
        }
        self.note(actors);
    }

    fn released(&self, actor: u64) {
        let mut actors = self.lock();
        actors.remove(&actor);
        self.note(actors);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Pressed>> {
        self.actors.lock().expect("nothing panics under this lock")
    }

    /// Gives the lock back, and tells the number.
    fn note(&self, actors: MutexGuard<'_, HashMap<u64, Pressed>>) {
        // ORDERING: Relaxed: as in `does_not_press`.
        self.number.store(actors.len(), Ordering::Relaxed);
    }
}

/// Waits until an actor is not under pressure any more.
struct Relief<O> {
    peer: Arc<Peer>,
    owner: Weak<O>,
    actor: u64,
    relieved: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
}

impl<O: Owner> Wake for Relief<O> {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(self.clone());
        let mut place = self.relieved.lock().expect("the future is the runtime's own");
        let Some(relieved) = &mut *place else { return };
        if relieved.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Pending {
            return;
        }
        *place = None;
        drop(place);
        // In this order: what presses in between is asked to be held back anew, behind this.
        self.peer.pause(Channel::Actor(self.actor), false);
        self.peer.held.released(self.actor);
        if let Some(owner) = self.owner.upgrade() {
            self.peer.transmit(&owner);
        }
    }
}
