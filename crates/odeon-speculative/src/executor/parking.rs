//! Jobs that wait for something, because their handlers ask to or their guards are closed: they
//! hold their lanes, and no thread.

mod gate;

use self::gate::Gates;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::engine::Engine;
use crate::executor::job::Job;
use odeon_stm::staged::{Awaited, RolledBack};
use odeon_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};

/// The parked jobs of one actor.
pub(crate) struct Parking<A: SpeculativeActor>(Mutex<Places<A>>);

struct Places<A: SpeculativeActor> {
    parked: BTreeMap<u64, Parked<A>>,
    gates: Gates<A::Msg>,
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
        let (parked, gates) = (BTreeMap::new(), Gates::default());
        Self(Mutex::new(Places { parked, gates, next: 0, is_closed: false }))
    }

    fn with<R>(&self, act: impl FnOnce(&mut Places<A>) -> R) -> R {
        act(&mut self.0.lock().expect("no panic happens under this lock"))
    }

    /// Parks a job until what its attempt waits for has happened; if its guard has refused it,
    /// maybe behind others. The board has counted it as parked.
    ///
    /// # Errors
    /// The message, if the actor has ended.
    pub(crate) fn park(
        &self,
        engine: &Arc<Engine<A>>,
        job: Job<A::Msg>,
        until: RolledBack,
        is_refused: bool,
    ) -> Result<(), A::Msg> {
        let number = self.with(|places| {
            if places.is_closed {
                return Err(job.message);
            }
            let scout = if is_refused { places.gates.refused(job) } else { Some(job) };
            let Some(job) = scout else { return Ok(None) };
            let number = places.next;
            places.next += 1;
            places.parked.insert(number, Parked { job, awaited: None });
            Ok(Some(number))
        })?;
        let Some(number) = number else { return Ok(()) };
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

    /// A scout has come past its guard, or to another end than before it: those behind it are
    /// tried.
    #[cold]
    pub(crate) fn passed(&self, engine: &Engine<A>, mailbox: u8) {
        let next = self.with(|places| places.gates.passed(mailbox));
        next.into_iter().flatten().for_each(|job| engine.unpark(job));
    }

    /// Has every parked job tried again.
    pub(crate) fn wake_all(&self, engine: &Engine<A>) {
        let (parked, refused) = self.with(|places| {
            let mut parked = std::mem::take(&mut places.parked);
            parked.values_mut().for_each(|parked| places.gates.give_up(&mut parked.job));
            (parked, places.gates.drain())
        });
        for (_, Parked { job, awaited }) in parked {
            drop(awaited);
            engine.unpark(job);
        }
        refused.into_iter().for_each(|job| engine.unpark(job));
    }

    /// The actor ends, or leaves: all that is parked. Of each lane there is one at most.
    pub(crate) fn close(&self) -> Vec<Job<A::Msg>> {
        let (parked, refused) = self.with(|places| {
            places.is_closed = true;
            (std::mem::take(&mut places.parked), places.gates.drain())
        });
        parked.into_values().map(|parked| parked.job).chain(refused).collect()
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
