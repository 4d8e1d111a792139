//! Who tells more of an actor than is counted of every actor, asked when a theater's numbers are
//! collected.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use odeon_sync::Mutex;

use super::stats::SpeculationReport;
use crate::vocabulary::actor_id::ActorId;

/// Tells of one actor what its own crate counts.
pub trait Reporter: Send + Sync {
    /// The type that the user knows as the actor.
    fn actor_type(&self) -> &'static str;

    /// The numbers of this moment.
    fn report(&self) -> SpeculationReport;
}

/// The reporters of one theater.
#[derive(Default)]
pub(crate) struct Reporters(Mutex<ReporterTable>);

struct ReporterTable {
    of: HashMap<ActorId, Weak<dyn Reporter>>,
    /// With how many those that are gone are looked for: twice as many as the last time, so that it
    /// costs little for each.
    full_at: usize,
}

/// TUNE: so many that their memory is of no account.
const FULL_AT_FIRST: usize = 64;

impl Default for ReporterTable {
    fn default() -> Self {
        Self { of: HashMap::new(), full_at: FULL_AT_FIRST }
    }
}

impl Reporters {
    /// From here on `reporter` tells of `actor`.
    pub(crate) fn add(&self, actor: ActorId, reporter: Weak<dyn Reporter>) {
        let mut table = self.0.lock().expect("no panic happens under this lock");
        if table.of.len() >= table.full_at {
            table.of.retain(|_, reporter| reporter.strong_count() > 0);
            table.full_at = FULL_AT_FIRST.max(2 * table.of.len());
        }
        table.of.insert(actor, reporter);
    }

    /// The reporters that are there, to be asked without the lock: to ask one, and to drop it, may
    /// run other crates' code.
    pub(crate) fn all(&self) -> HashMap<ActorId, Arc<dyn Reporter>> {
        let table = self.0.lock().expect("no panic happens under this lock");
        let there = |(actor, reporter): (&ActorId, &Weak<dyn Reporter>)| {
            Some((*actor, reporter.upgrade()?))
        };
        table.of.iter().filter_map(there).collect()
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests {
    use super::*;

    struct Nobody;

    impl Reporter for Nobody {
        fn actor_type(&self) -> &'static str {
            "Nobody"
        }

        fn report(&self) -> SpeculationReport {
            SpeculationReport::default()
        }
    }

    #[test]
    fn those_that_are_gone_are_forgotten() {
        let reporters = Reporters::default();
        let stays: Arc<dyn Reporter> = Arc::new(Nobody);
        reporters.add(ActorId::new(0, 0), Arc::downgrade(&stays));
        for serial in 1..10_000 {
            let goes: Arc<dyn Reporter> = Arc::new(Nobody);
            reporters.add(ActorId::new(0, serial), Arc::downgrade(&goes));
            assert!(reporters.0.lock().unwrap().of.len() <= FULL_AT_FIRST + 1);
        }
        let all = reporters.all();
        assert_eq!(all.keys().collect::<Vec<_>>(), [&ActorId::new(0, 0)]);
        assert_eq!(all.values().next().unwrap().actor_type(), "Nobody");
    }
}
