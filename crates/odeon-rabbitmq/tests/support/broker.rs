//! A RabbitMQ broker of the test's own.

use odeon_broker::{OwnBroker, UNTIL_READY};
use odeon_rabbitmq::Queue;
use std::ops::Deref;
use std::sync::{Arc, Mutex, Weak};

static SHARED: Mutex<Weak<Broker>> = Mutex::new(Weak::new());

/// An [`OwnBroker`] with queues.
pub struct Broker(OwnBroker);

impl Broker {
    /// A durable queue of it.
    pub fn queue(&self, name: &str) -> Queue {
        // It is on this machine: if it does not answer, the machine is busy.
        Queue { connect_within: UNTIL_READY, ..Queue::new(self.uri(), name) }
    }
}

impl Deref for Broker {
    type Target = OwnBroker;

    fn deref(&self) -> &OwnBroker {
        &self.0
    }
}

/// The broker that tests of this program have in common as long as one of them runs. `None` where
/// none is installed; that has been said.
pub fn shared(test: &str) -> Option<Arc<Broker>> {
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(broker) = shared.upgrade() {
        return Some(broker);
    }
    let broker = Arc::new(start(test)?);
    *shared = Arc::downgrade(&broker);
    Some(broker)
}

/// One for this test alone. As [`shared`].
pub fn start(test: &str) -> Option<Broker> {
    if !OwnBroker::is_installed() {
        super::skipped(test, "rabbitmq-server is not installed");
        return None;
    }
    Some(Broker(OwnBroker::start().unwrap()))
}
