//! When packets go: not with each message, but once the thread that has pushed it is through with
//! what it is at. So what follows from one packet, or from the turns that wait for a worker, goes
//! in few.
//!
//! PROTOCOL
//! 1. Whoever has pushed something owes a [`transmit`](Peer::transmit).
//! 2. A thread that delivers a packet transmits behind it, to each theater once ([`Gathering`]).
//! 3. A worker of the pool leaves it to the peer's [`Transmitter`], an actor that has its turn
//!    behind those that wait; unless so much is queued that packets are full. All other threads
//!    transmit at once: nobody might be awake to do it for them.
//! 4. `is_due` says that the transmitter is to have a turn. Who pushes raises it, and wakes if it
//!    was down; the transmitter lowers it, then looks at the link. Both exchange it: who finds it
//!    up comes before the exchange that lowers it, so what was pushed before is seen.
//! 5. A transmitter that ends says so, then lowers `is_due`, and transmits if it was up; who raises
//!    it looks afterwards whether the transmitter has ended, and transmits itself then. One of the
//!    two sees the other.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use odeon_core::extend::{self, Behavior, NoInner};
use odeon_core::{ActorRef, Context};
use odeon_sync::atomic::{AtomicBool, Ordering};

use crate::routing::owner::Owner;
use crate::routing::peer::Peer;

/// TUNE: bytes, two packets: what more is queued goes at once, since waiting makes no packet
/// fuller.
pub(crate) const FULL: usize = 120_000;

thread_local! {
    /// To whom this thread owes a transmission when it is through with a packet; `None`: it is at
    /// none.
    static GATHERED: RefCell<Option<Vec<Arc<Peer>>>> = const { RefCell::new(None) };
}

/// Whether a peer's transmitter is to have a turn: rules 4 and 5.
#[derive(Default)]
pub(crate) struct Due {
    is_due: AtomicBool,
    has_ended: AtomicBool,
}

/// What is to be done by who has pushed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raised {
    /// The transmitter has a turn before it.
    Already,
    /// The transmitter is to be woken.
    Wake,
    /// There is no transmitter any more.
    Alone,
}

impl Due {
    fn raise(&self) -> Raised {
        // ORDERING: SeqCst, here and at the other looks at these two: in `raise` and `end` each
        // side writes one and then looks at the other. For what was pushed Release and Acquire
        // would do.
        let was_due = self.is_due.swap(true, Ordering::SeqCst);
        match (self.has_ended.load(Ordering::SeqCst), was_due) {
            (true, _) => Raised::Alone,
            (false, true) => Raised::Already,
            (false, false) => Raised::Wake,
        }
    }

    /// The transmitter has its turn. `false`: nothing is due.
    fn lower(&self) -> bool {
        self.is_due.swap(false, Ordering::SeqCst)
    }

    /// The transmitter ends. `true`: something is due.
    fn end(&self) -> bool {
        self.has_ended.store(true, Ordering::SeqCst);
        self.lower()
    }
}

/// Transmits to one theater. It is sent no messages, but woken.
struct Transmitter<O: Owner> {
    peer: Weak<Peer>,
    owner: Weak<O>,
}

impl<O: Owner> Transmitter<O> {
    /// `false`: nothing is due.
    fn transmit(&self) -> bool {
        let (Some(peer), Some(owner)) = (self.peer.upgrade(), self.owner.upgrade()) else {
            return false;
        };
        let is_due = peer.due.lower();
        if is_due {
            peer.transmit_now(&owner);
        }
        is_due
    }
}

impl<O: Owner> Behavior for Transmitter<O> {
    type Msg = ();
    type Inner = NoInner<()>;
    const DEFERS: bool = true;

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}

    fn handle_deferred(&mut self, _: &mut Context<'_, Self>) -> bool {
        self.transmit()
    }
}

impl<O: Owner> Drop for Transmitter<O> {
    fn drop(&mut self) {
        if let Some(peer) = self.peer.upgrade() {
            let is_due = peer.due.end();
            if let Some(owner) = self.owner.upgrade().filter(|_| is_due) {
                peer.transmit_now(&owner);
            }
        }
    }
}

impl Peer {
    /// What has been pushed is to go.
    pub(crate) fn transmit(self: &Arc<Self>, owner: &Arc<impl Owner>) {
        if gathers(self) {
            return;
        }
        let transmitter = self.transmitter.get_or_init(|| self.new_transmitter(owner));
        match transmitter {
            Some(transmitter) if !self.is_full() && extend::is_neighbour(transmitter) => {
                match self.due.raise() {
                    Raised::Already => {}
                    Raised::Wake => extend::wake_behind(transmitter),
                    Raised::Alone => self.transmit_now(owner),
                }
            }
            _ => self.transmit_now(owner),
        }
    }

    /// `None`: the theater has ended.
    fn new_transmitter(self: &Arc<Self>, owner: &Arc<impl Owner>) -> Option<ActorRef<()>> {
        let stage = owner.pool()?;
        let (peer, owner) = (Arc::downgrade(self), Arc::downgrade(owner));
        Some(extend::spawn_on(&stage, Transmitter { peer, owner }))
    }
}

/// Notes that a transmission is owed, if this thread is at a packet.
fn gathers(peer: &Arc<Peer>) -> bool {
    GATHERED.with_borrow_mut(|gathered| {
        let Some(gathered) = gathered else { return false };
        if !gathered.iter().any(|other| Arc::ptr_eq(other, peer)) {
            gathered.push(peer.clone());
        }
        true
    })
}

/// While it lives, this thread only notes to whom it is to transmit; then it does.
pub(crate) struct Gathering<'a, O: Owner> {
    owner: &'a Arc<O>,
    /// What a packet around this one has gathered: a transport may deliver what it is given at
    /// once.
    around: Option<Vec<Arc<Peer>>>,
}

impl<'a, O: Owner> Gathering<'a, O> {
    pub(crate) fn begin(owner: &'a Arc<O>) -> Self {
        Self { owner, around: GATHERED.replace(Some(Vec::new())) }
    }
}

impl<O: Owner> Drop for Gathering<'_, O> {
    fn drop(&mut self) {
        let gathered = GATHERED.replace(self.around.take());
        for peer in gathered.into_iter().flatten() {
            peer.transmit_now(self.owner);
        }
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
