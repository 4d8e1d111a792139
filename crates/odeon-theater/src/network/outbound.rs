//! The way out: messages for one actor of another theater.

use std::sync::{Arc, Weak};

use odeon_core::wire::{Encode, NotTaken, Outbound, WireError};
use odeon_sync::Mutex;

use super::Inner;
use super::channel::Channel;
use super::control::Control;
use super::passage::Between;
use super::peer::Peer;
use crate::{PushError, TheaterId};

/// See the module.
pub(super) struct ToActor {
    network: Weak<Inner>,
    home: Arc<Peer>,
    actor: u64,
    /// Where messages are written.
    bytes: Mutex<Vec<u8>>,
}

impl ToActor {
    pub(super) fn new(network: &Arc<Inner>, home: Arc<Peer>, actor: u64) -> Self {
        Self { network: Arc::downgrade(network), home, actor, bytes: Mutex::default() }
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

    fn ended(&self, stood: u64) {
        let Some(network) = self.network.upgrade() else { return };
        if let Some((address, references)) = network.stand_ins.ended(stood) {
            let released = Control::Released { actor: address.actor, references };
            network.tell(TheaterId::from_bits(address.theater), &released);
        }
    }
}
