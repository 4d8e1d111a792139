//! The theaters that are there, as far as Zenoh knows, with publishers for packets to them, made
//! when first needed.
//!
//! Nothing is kept for others: theaters come and go, and each has an identity of its own.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};
use odeon_theater::TheaterId;
use zenoh::pubsub::Publisher;

/// See the module.
#[derive(Default)]
pub(super) struct Others(Mutex<Known>);

#[derive(Default)]
struct Known {
    there: HashMap<TheaterId, Option<Arc<Publisher<'static>>>>,
    /// Publishers for theaters that have gone. Whoever sends next drops them: those who hear that a
    /// theater has gone must not wait for Zenoh.
    over: Vec<Arc<Publisher<'static>>>,
}

/// What packets are sent by.
pub(super) enum Way {
    Publisher(Arc<Publisher<'static>>),
    /// The theater is there, and has no publisher yet.
    NotYet,
    /// The theater is not there, or not yet: nothing is kept for it.
    Absent,
}

impl Others {
    pub(super) fn appeared(&self, theater: TheaterId) {
        self.lock().there.entry(theater).or_default();
    }

    pub(super) fn vanished(&self, theater: TheaterId) {
        let mut known = self.lock();
        let publisher = known.there.remove(&theater).flatten();
        known.over.extend(publisher);
    }

    pub(super) fn way(&self, to: TheaterId) -> Way {
        let mut known = self.lock();
        let over = mem::take(&mut known.over);
        let way = match known.there.get(&to) {
            Some(Some(publisher)) => Way::Publisher(publisher.clone()),
            Some(None) => Way::NotYet,
            None => Way::Absent,
        };
        drop(known);
        drop(over);
        way
    }

    /// There is a publisher for packets to a theater, if that is still there.
    pub(super) fn publishes(&self, to: TheaterId, publisher: &Arc<Publisher<'static>>) {
        if let Some(there) = self.lock().there.get_mut(&to) {
            there.get_or_insert_with(|| publisher.clone());
        }
    }

    /// For how many theaters something is kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        let known = self.lock();
        known.there.len() + known.over.len()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
