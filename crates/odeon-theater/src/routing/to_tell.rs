//! Who is to know when a link ends.

use std::collections::BTreeSet;

use odeon_sync::Mutex;

use crate::TheaterId;

/// Theaters that are to be told when the link to another one ends.
#[derive(Default)]
pub(crate) struct ToTell(Mutex<BTreeSet<TheaterId>>);

impl ToTell {
    pub(crate) fn note(&self, theater: TheaterId) {
        self.lock().insert(theater);
    }

    pub(crate) fn take(&self) -> BTreeSet<TheaterId> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, BTreeSet<TheaterId>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
