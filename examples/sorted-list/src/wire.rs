//! What the messages of coordinated sums go through from one list actor to the next, if that is to
//! take time as on a network.

use odeon_speculative::Delivery;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Delivers each message when its time has come. All take as long, so they stay in order.
#[derive(Clone)]
pub(super) struct Wire {
    delay: Duration,
    carry: Sender<(Instant, Delivery)>,
}

impl Wire {
    /// With a thread of its own, which ends with the last clone.
    ///
    /// WHY it sleeps and does not look at the clock all the time: that would take a core from those
    /// who are measured. A sleep is longer than asked for by the system's slack, some 50 us on
    /// Linux.
    pub(super) fn new(delay: Duration) -> Self {
        let (carry, carried) = channel::<(Instant, Delivery)>();
        thread::spawn(move || {
            for (due, delivery) in carried {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                delivery.deliver();
            }
        });
        Self { delay, carry }
    }

    pub(super) fn carry(&self, delivery: Delivery) {
        // Refused, the delivery is dropped, and the transaction told.
        let _ = self.carry.send((Instant::now() + self.delay, delivery));
    }
}
