//! A RabbitMQ broker of the test's own.

use odeon_rabbitmq::OwnBroker;
use std::sync::{Arc, Mutex, Weak};

static SHARED: Mutex<Weak<OwnBroker>> = Mutex::new(Weak::new());

/// The broker that tests of this program have in common as long as one of them runs. `None` where none is installed; that has been said.
pub fn shared(test: &str) -> Option<Arc<OwnBroker>> {
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(broker) = shared.upgrade() {
        return Some(broker);
    }
    let broker = Arc::new(start(test)?);
    *shared = Arc::downgrade(&broker);
    Some(broker)
}

/// One for this test alone. As [`shared`].
pub fn start(test: &str) -> Option<OwnBroker> {
    if !OwnBroker::is_installed() {
        super::skipped(test, "rabbitmq-server is not installed");
        return None;
    }
    Some(OwnBroker::start().unwrap())
}
