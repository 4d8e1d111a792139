//! One meter for several users, and for long runs.

use crate::domain::Domain;
use crate::meter::{Count, Meter};
use crate::unavailable::{Cause, Unavailable};
use odeon_sync::contained::quietly;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A handle to a meter: its clones are the same meter.
///
/// Each handle is told of each interruption once, whoever has read the meter when it was found:
/// another handle, or the thread that keeps it up.
#[derive(Clone)]
pub struct SharedMeter {
    meter: Arc<Mutex<Metered>>,
    domains: Arc<[Domain]>,
    /// The run of each domain that this handle has counted last; `None` before the first time, and
    /// after it was told of an error.
    known: Vec<Option<u64>>,
}

struct Metered {
    meter: Box<dyn Meter>,
    /// By domain: why the count had to begin anew the last time.
    why: Vec<Option<Unavailable>>,
}

impl Metered {
    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        let count = self.meter.count(domain);
        if let Err(why) = &count {
            self.why[domain] = Some(why.clone());
        }
        count
    }
}

impl SharedMeter {
    /// Shares `meter`.
    pub fn new(meter: impl Meter + 'static) -> Self {
        let domains: Arc<[Domain]> = meter.domains().into();
        let (why, known) = (vec![None; domains.len()], vec![None; domains.len()]);
        let meter = Metered { meter: Box::new(meter), why };
        Self { meter: Arc::new(Mutex::new(meter)), domains, known }
    }

    /// Reads all counters once in `every`, on a thread of its own, until what is returned is
    /// dropped: for runs that are longer than a counter takes to begin anew
    /// ([`Rapl::longest_gap`](crate::Rapl::longest_gap); where a part tells no limit of its power,
    /// that may be 40 s: 20 s are often enough).
    pub fn kept_up(&self, every: Duration) -> KeptUp {
        let (end, ended) = channel::<()>();
        let meter = Arc::downgrade(&self.meter);
        let domains = self.domains.len();
        let keeper = thread::Builder::new().name("odeon-energy".into()).spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let Some(meter) = meter.upgrade() else { return };
                let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
                for domain in 0..domains {
                    // Each handle is told what is wrong when it reads next: the run is another one
                    // then. And of a panic, if it panics again: the thread goes on.
                    quietly(|| meter.count(domain));
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
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.known[domain].take();
        let count = meter.count(domain)?;
        if known.is_some_and(|run| run != count.run) {
            let why = meter.why[domain].as_ref().map_or_else(
                || format!("the counter of {} had to begin anew", self.domains[domain]),
                |why| why.sentence().to_owned(),
            );
            return Err(Unavailable::new(Cause::Interrupted, why));
        }
        self.known[domain] = Some(count.run);
        Ok(count)
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
