//! Jobs whose handlers wait for something: they hold their lanes, and no thread.

use crate::engine::Engine;
use crate::job::Job;
use crate::speculative_actor::SpeculativeActor;
use odeon_stm::staged::{Awaited, RolledBack};
use odeon_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};

/// The parked jobs of one actor.
pub(crate) struct Parking<A: SpeculativeActor>(Mutex<Places<A>>);

struct Places<A: SpeculativeActor> {
    parked: BTreeMap<u64, Parked<A>>,
    next: u64,
    is_closed: bool,
}

struct Parked<A: SpeculativeActor> {
    job: Job<A::Msg>,
    /// Dropping it cancels the wait. Empty until it has been asked for.
    awaited: Option<Awaited>,
}

/// Wakes one parked job.
struct Waking<A: SpeculativeActor> {
    engine: Weak<Engine<A>>,
    number: u64,
}

impl<A: SpeculativeActor> Parking<A> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Places { parked: BTreeMap::new(), next: 0, is_closed: false }))
    }

    fn with<R>(&self, act: impl FnOnce(&mut Places<A>) -> R) -> R {
        act(&mut self.0.lock().expect("no panic happens under this lock"))
    }

    /// Parks a job until what its attempt waits for has happened. The board has counted it as parked.
    ///
    /// # Errors
    /// The message, if the actor has ended.
    pub(crate) fn park(
        &self,
        engine: &Arc<Engine<A>>,
        job: Job<A::Msg>,
        until: RolledBack,
    ) -> Result<(), A::Msg> {
        let number = self.with(|places| {
            if places.is_closed {
                return Err(job.message);
            }
            let number = places.next;
            places.next += 1;
            places.parked.insert(number, Parked { job, awaited: None });
            Ok(number)
        })?;
        let waking = Waking { engine: Arc::downgrade(engine), number };
        // Not under the lock: it may be woken at once.
        let awaited = until.wake(Waker::from(Arc::new(waking)));
        let left = self.with(|places| match places.parked.get_mut(&number) {
            Some(parked) => parked.awaited.replace(awaited),
            None => Some(awaited),
        });
        drop(left);
        Ok(())
    }

    fn take(&self, number: u64) -> Option<Parked<A>> {
        self.with(|places| places.parked.remove(&number))
    }

    /// Has every parked job tried again.
    pub(crate) fn wake_all(&self, engine: &Engine<A>) {
        let parked = self.with(|places| std::mem::take(&mut places.parked));
        for (_, Parked { job, awaited }) in parked {
            drop(awaited);
            engine.unpark(job);
        }
    }

    /// The actor ends: the messages of all that is parked.
    pub(crate) fn close(&self) -> Vec<A::Msg> {
        let parked = self.with(|places| {
            places.is_closed = true;
            std::mem::take(&mut places.parked)
        });
        parked.into_values().map(|parked| parked.job.message).collect()
    }
}

impl<A: SpeculativeActor> Wake for Waking<A> {
    fn wake(self: Arc<Self>) {
        let Some(engine) = self.engine.upgrade() else { return };
        let Some(Parked { job, awaited }) = engine.parking.take(self.number) else { return };
        drop(awaited);
        engine.unpark(job);
    }
}
