//! The way out: messages for one actor of another theater.

use std::sync::{Arc, Weak};

use odeon_core::wire::{Encode, NotTaken, Outbound, WireError};
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use super::Inner;
use super::channel::Channel;
use super::control::Control;
use super::passage::Between;
use super::peer::Peer;
use crate::PushError;

/// See the module.
pub(super) struct ToActor {
    network: Weak<Inner>,
    home: Arc<Peer>,
    actor: u64,
    /// The number of the actor that stands here for the other one.
    stood: AtomicU64,
    /// Whether none stands here for the same one that has messages to hand over first.
    is_open: AtomicBool,
    /// Where messages are written.
    bytes: Mutex<Vec<u8>>,
}

impl ToActor {
    pub(super) fn new(network: &Arc<Inner>, home: Arc<Peer>, actor: u64) -> Self {
        Self {
            network: Arc::downgrade(network),
            home,
            actor,
            stood: AtomicU64::new(0),
            is_open: AtomicBool::new(false),
            bytes: Mutex::default(),
        }
    }

    /// Which actor it is that stands here; it has had no turn.
    pub(super) fn stands(&self, actor: u64) {
        // ORDERING: Relaxed: the actor is woken afterwards.
        self.stood.store(actor, Ordering::Relaxed);
    }

    /// Lets messages go; `false`: they went already. Under the lock of the stand-ins.
    pub(super) fn open(&self) -> bool {
        let was_closed = !self.is_open.swap(true, Ordering::Relaxed);
        // ORDERING: SeqCst fence between opening and the attempt to wake, which fails if nobody refers to the actor that stands here; partner: the
        // fence in `is_open`, behind the reference that such an actor takes to itself. One of the two sees the other.
        fence(Ordering::SeqCst);
        was_closed
    }

    pub(super) fn is_dead(&self) -> bool {
        self.home.is_dead()
    }
}

impl Outbound for ToActor {
    fn take(&self, mailbox: usize, encode: Encode<'_>) -> Result<(), NotTaken> {
        let network = self.network.upgrade().ok_or(NotTaken::Unreachable)?;
        if self.home.is_dead() {
            return Err(NotTaken::Unreachable);
        }
        let mut bytes = self.bytes.lock().expect("nothing panics under this lock");
        bytes.clear();
        // There are 64 mailboxes at most.
        bytes.push(mailbox as u8);
        let between = Between::new(&network, &self.home);
        if let Err(error) = encode(&between, &mut bytes) {
            between.undo();
            return Err(NotTaken::Unwritable(error));
        }
        match self.home.push(Channel::Actor(self.actor), &bytes) {
            Ok(()) => {
                between.done();
                Ok(())
            }
            Err(error) => {
                between.undo();
                Err(match error {
                    PushError::TooLarge { .. } => {
                        NotTaken::Unwritable(WireError::Refused("it is too large"))
                    }
                    _ => NotTaken::Unreachable,
                })
            }
        }
    }

    fn flush(&self) {
        if let Some(network) = self.network.upgrade() {
            self.home.transmit(&network);
        }
    }

    fn pressing(&self) -> usize {
        self.home.pressing()
    }

    fn is_open(&self) -> bool {
        // ORDERING: Relaxed, here and below: what is open stays so, and nothing else hangs on it.
        if self.is_open.load(Ordering::Relaxed) {
            return true;
        }
        // ORDERING: SeqCst: see `open`.
        fence(Ordering::SeqCst);
        self.is_open.load(Ordering::Relaxed)
    }

    fn ended(&self) {
        let Some(network) = self.network.upgrade() else { return };
        // ORDERING: Relaxed: see `stands`; called in a turn of that actor.
        let stood = self.stood.load(Ordering::Relaxed);
        if let Some((address, references)) = network.stand_ins.ended(stood) {
            // Behind the messages that it has handed over, which may refer to actors that only its references keep.
            self.home.tell_later(Control::Released { actor: address.actor, references });
            self.home.transmit(&network);
        }
    }
}
