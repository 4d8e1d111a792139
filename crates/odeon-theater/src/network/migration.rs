//! Actors that move between theaters.
//!
//! PROTOCOL. An actor moves from X to Y; S is its seat at X, T its seat at Y, which may have stood
//! there for it before; W is any other theater with a seat for it.
//! 1. *Migrate* goes as a mark among its messages to the actor, wherever that is.
//! 2. S writes the actor and its guards (`departures.rs`) and sends them to Y. From here on S
//!    handles nothing and puts aside what comes.
//! 3. Y reads the actor (`arrivals.rs`), or refuses it: then it stays at X. If T has stood for it
//!    before, T closes its way, and the last thing that it sends by it is the mark *Ready*; it puts
//!    aside what comes. Otherwise T is new, and X is told directly.
//! 4. When S comes to *Ready*, all that was ever sent from Y has come to it. It hands over to T all
//!    that is aside, the actor's timers, and then the mark *Go*. From this moment the actor lives
//!    at Y, and S stands for it. Before, it lives at X, whatever happens to Y.
//! 5. What comes to T from X before *Go* is kept apart. At *Go* the actor sits in T; what has come
//!    from X goes before what T has put aside. So what one sender sends stays in its order, at X,
//!    at Y, and elsewhere.
//! 6. X tells each W that holds references to S, when it sends to S or after a while, that the
//!    actor has *Moved*, and grants it one to T. W closes its way with the mark *Through*, the last
//!    thing that goes by the old way; every seat that it comes to passes it on, until it comes to
//!    the actor, or to the seat that the actor is about to leave (`rerouting.rs`). That theater
//!    tells W that all has *Passed*: W opens the way to T, and gives its references to S back. When
//!    nobody refers to S any more it ends.
//!
//! If the link between X and Y ends before *Go* has been sent, or X leaves, the actor stays at X,
//! and T opens its old way or ends with it. What had been handed over by then is dead letters.
//! Between *Go* and its arrival the actor lives at a theater that X holds for dead: if *Go* has not
//! come there, Y keeps what it has read until X says so (`cut_off.rs`).

pub(super) mod answering;
mod arrivals;
mod asking;
mod cut_off;
mod decisions;
mod departures;
pub(super) mod draining;
mod gone;
mod local;
mod migrating;
pub(super) mod natives;
pub(super) mod owed;
pub(super) mod requests_over;
mod rerouting;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use odeon_core::Reply;
use odeon_core::extend::WrittenGuards;
use odeon_core::wire::{Address, Answerable, Kind, Passage, WireError, decode};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use crate::routing::migrated::{MigrateError, Migrated};

pub(super) use arrivals::Came;
pub(super) use asking::Joined;
pub use asking::Migrate;
use cut_off::CutOff;
use gone::Gone;

/// Nobody moves so often: a number above is of somebody who does not mean well.
const MOST_MOVES: u64 = u64::MAX / 2;

/// See the module.
#[derive(Default)]
pub(super) struct Migrations {
    /// Whether this theater is drained: no actor may come.
    is_drained: AtomicBool,
    kinds: Mutex<HashMap<String, Arc<dyn Kind>>>,
    under_way: Mutex<UnderWay>,
}

#[derive(Default)]
struct UnderWay {
    last: u64,
    /// Those that have been let go, by attempt, until it is known that they sit.
    gone: HashMap<u64, Gone>,
    /// Seats of which others are to be told that their actors have moved, and whether that is about
    /// to happen.
    to_tell: BTreeSet<u64>,
    tells: bool,
    cut_off: CutOff,
    /// Whether it will be looked at what of that is to be forgotten.
    forgets: bool,
}

impl Migrations {
    /// Whether no actor can come here, since no kind is registered.
    fn takes_nobody(&self) -> bool {
        self.kinds.lock().expect("nothing panics under this lock").is_empty()
    }

    /// Lets actors of a kind come here.
    fn register(&self, kind: Arc<dyn Kind>) {
        let mut kinds = self.kinds.lock().expect("nothing panics under this lock");
        kinds.insert(kind.name().into(), kind);
    }

    fn kind(&self, name: &str) -> Option<Arc<dyn Kind>> {
        self.kinds.lock().expect("nothing panics under this lock").get(name).cloned()
    }

    /// Whether no actor may come here.
    pub(super) fn refuses_arrivals(&self) -> bool {
        // ORDERING: Relaxed: who comes at the same moment may go either way; a drain sees it
        // afterwards.
        self.is_drained.load(Ordering::Relaxed)
    }

    /// Lets no actor come here, or all of them again.
    pub(super) fn refuse_arrivals(&self, refuses: bool) {
        // ORDERING: Relaxed: as above.
        self.is_drained.store(refuses, Ordering::Relaxed);
    }

    /// A number for a migration or a turn: another one each time.
    pub(super) fn new_number(&self) -> u64 {
        let mut under_way = self.under_way();
        under_way.last += 1;
        under_way.last
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().expect("nothing panics under this lock")
    }
}

/// Whoever waits for the end of a migration.
struct Asked(Reply<Result<Migrated, MigrateError>>);

impl Answerable for Asked {
    fn answer(self: Box<Self>, passage: &dyn Passage, bytes: &[u8]) -> Result<(), WireError> {
        self.0.send(decode(passage, bytes)?);
        Ok(())
    }
}

/// Guards as they travel: see [`WrittenGuards`].
type Guards = (u64, u64, u64, u32);

fn guards_to_wire(guards: WrittenGuards) -> Guards {
    (guards.open, guards.awaited, guards.afterwards, guards.answers)
}

fn guards_from_wire((open, awaited, afterwards, answers): Guards) -> WrittenGuards {
    WrittenGuards { open, awaited, afterwards, answers }
}

/// An actor as it travels.
#[derive(Serialize, Deserialize)]
struct Written {
    attempt: u64,
    /// The seat that it leaves.
    seat: u64,
    born: Address,
    /// The so manieth time that it moves.
    moves: u64,
    kind: String,
    version: u32,
    guards: Guards,
    state: Vec<u8>,
    /// Of the state and of the messages.
    layouts: (u64, u64),
    /// Whether it has names of the network where it was, or has come from where it had: those
    /// follow it.
    has_name: bool,
}
