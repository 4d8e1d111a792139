//! What sibling crates do before a theater ends its actors: one that has joined others leaves them.

use std::time::Duration;

use odeon_sync::Mutex;

use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::contain::contain;

/// Told how long it may take.
pub(crate) type Farewell = Box<dyn FnOnce(Duration) + Send>;

/// See the module.
pub(crate) struct Farewells {
    /// `None`: they have been said.
    to_say: Mutex<Option<Vec<Farewell>>>,
}

impl Default for Farewells {
    fn default() -> Self {
        Self { to_say: Mutex::new(Some(Vec::new())) }
    }
}

impl Farewells {
    /// Those of a theater.
    pub(crate) fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(Self::default)
    }

    /// Has one said before the theater's actors end: at once, if they do already.
    pub(crate) fn add(&self, farewell: Farewell) {
        let mut to_say = self.to_say.lock().expect("nothing panics under this lock");
        match &mut *to_say {
            Some(to_say) => to_say.push(farewell),
            None => {
                drop(to_say);
                farewell(Duration::ZERO);
            }
        }
    }

    /// Says all of them, once.
    pub(crate) fn say(&self, within: Duration) {
        let to_say = self.to_say.lock().expect("nothing panics under this lock").take();
        for farewell in to_say.into_iter().flatten() {
            contain(|| farewell(within));
        }
    }
}
