//! One meter for several users, and for long runs.

use crate::domain::Domain;
use crate::meter::{Count, Meter};
use crate::unavailable::Unavailable;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A handle to a meter: its clones are the same meter.
#[derive(Clone)]
pub struct SharedMeter {
    meter: Arc<Mutex<Box<dyn Meter>>>,
    domains: Arc<[Domain]>,
}

impl SharedMeter {
    /// Shares `meter`.
    pub fn new(meter: impl Meter + 'static) -> Self {
        let domains = meter.domains().into();
        Self { meter: Arc::new(Mutex::new(Box::new(meter))), domains }
    }

    /// Reads all counters once in `every`, on a thread of its own, until what is returned is dropped: for runs that are longer than a counter takes to
    /// begin anew ([`Rapl::longest_gap`](crate::Rapl::longest_gap); where a part tells no limit of its power, that may be 40 s: 20 s are often enough).
    pub fn kept_up(&self, every: Duration) -> KeptUp {
        let (end, ended) = channel::<()>();
        let meter = Arc::downgrade(&self.meter);
        let keeper = thread::Builder::new().name("odeon-energy".into()).spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let Some(meter) = meter.upgrade() else { return };
                let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
                for domain in 0..meter.domains().len() {
                    // Who reads next is told what is wrong.
                    let _ = meter.count(domain);
                }
            }
        });
        KeptUp { end: Some(end), keeper: keeper.ok() }
    }
}

impl Meter for SharedMeter {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        // A panic of a user's meter is the user's; the next reading tells.
        self.meter.lock().unwrap_or_else(PoisonError::into_inner).count(domain)
    }
}

/// A meter is read from time to time as long as this is there.
pub struct KeptUp {
    end: Option<Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

impl Drop for KeptUp {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}
