//! The actors of this theater that others refer to.
//!
//! Each theater that holds references to an actor is counted with as many references as have been sent to it. It gives them back
//! together when nobody there refers to the actor any more. A reference that it has sent on to a third theater it has granted: it says so
//! before it gives its own back, on the same link. So an actor is kept as long as any of them holds a reference or one is under
//! way, although the third theater may give its references back before the grant is known: its count is below zero for a while.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use odeon_core::wire::{Arriving, Inbound, Leaving, WireError};
use odeon_core::{EndReason, Watch};
use odeon_sync::Mutex;

use crate::TheaterId;

/// See the module.
#[derive(Default)]
pub(super) struct Exports {
    known: Mutex<HashMap<u64, Export>>,
}

struct Export {
    inbound: Arc<dyn Inbound>,
    holders: HashMap<TheaterId, i64>,
    /// Who tells of its end.
    watch: Option<Watch>,
    /// Why it has ended, if it has.
    end: Option<EndReason>,
}

/// Keeps an actor no longer, when it is dropped: to be done without the lock.
pub(super) struct Over(#[expect(dead_code, reason = "it is there to be dropped")] Export);

impl Drop for Export {
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.cancel();
        }
    }
}

impl Exports {
    /// A reference to an actor of this theater leaves for `to`. Answers the way in, if the actor is referred to from elsewhere for the
    /// first time.
    pub(super) fn leaves(&self, actor: &Leaving<'_>, to: TheaterId) -> Option<Arc<dyn Inbound>> {
        let number = actor.actor;
        let mut known = self.lock();
        let mut first = None;
        let export = known.entry(number).or_insert_with(|| {
            let inbound = (actor.inbound)();
            first = Some(inbound.clone());
            Export { inbound, holders: HashMap::new(), watch: None, end: None }
        });
        *export.holders.entry(to).or_default() += 1;
        first
    }

    /// The actor of a seat is referred to from a theater. `true`: for the first time from elsewhere.
    pub(super) fn is_referred_to(&self, inbound: &Arc<dyn Inbound>, from: TheaterId) -> bool {
        let mut known = self.lock();
        let mut is_first = false;
        let export = known.entry(inbound.actor()).or_insert_with(|| {
            is_first = true;
            Export { inbound: inbound.clone(), holders: HashMap::new(), watch: None, end: None }
        });
        add(&mut export.holders, from, 1);
        is_first
    }

    /// The theaters that refer to an actor, in the order of their numbers.
    pub(super) fn holders(&self, actor: u64) -> Vec<TheaterId> {
        let known = self.lock();
        let holders = known.get(&actor).map(|export| export.holders.iter());
        let holders = holders.into_iter().flatten();
        let mut holders: Vec<_> =
            holders.filter_map(|(&holder, &count)| (count > 0).then_some(holder)).collect();
        holders.sort_unstable();
        holders
    }

    /// The actor's end will be told.
    pub(super) fn is_watched(&self, actor: u64, watch: Watch) {
        if let Some(export) = self.lock().get_mut(&actor) {
            export.watch = Some(watch);
        }
    }

    /// An actor has ended. Answers who is to know.
    pub(super) fn has_ended(&self, actor: u64, reason: EndReason) -> Vec<TheaterId> {
        let mut known = self.lock();
        let Some(export) = known.get_mut(&actor) else { return Vec::new() };
        export.end = Some(reason);
        export.holders.keys().copied().collect()
    }

    /// Why an actor has ended, if it has and others refer to it.
    pub(super) fn end_of(&self, actor: u64) -> Option<EndReason> {
        self.lock().get(&actor)?.end
    }

    /// A theater has sent a reference on to another one.
    pub(super) fn granted(&self, actor: u64, to: TheaterId) {
        if let Some(export) = self.lock().get_mut(&actor) {
            add(&mut export.holders, to, 1);
        }
    }

    /// A theater gives references back. Answers what is to be dropped: nobody elsewhere refers to the actor any more.
    #[must_use]
    pub(super) fn released(&self, actor: u64, by: TheaterId, references: u64) -> Option<Over> {
        let mut known = self.lock();
        let export = known.get_mut(&actor)?;
        add(&mut export.holders, by, -i64::try_from(references).unwrap_or(i64::MAX));
        if !export.holders.is_empty() {
            return None;
        }
        known.remove(&actor).map(Over)
    }

    /// A theater is dead: it holds no references.
    #[must_use]
    pub(super) fn died(&self, theater: TheaterId) -> Vec<Over> {
        let mut known = self.lock();
        let over: Vec<u64> = known
            .iter_mut()
            .filter_map(|(&actor, export)| {
                export.holders.remove(&theater)?;
                export.holders.is_empty().then_some(actor)
            })
            .collect();
        over.iter().filter_map(|actor| known.remove(actor)).map(Over).collect()
    }

    /// The way in to an actor.
    pub(super) fn get(&self, actor: u64) -> Option<Arc<dyn Inbound>> {
        self.lock().get(&actor).map(|export| export.inbound.clone())
    }

    /// A reference to an actor of this theater, if others refer to it.
    ///
    /// # Errors
    /// If they do not, or it takes other messages.
    pub(super) fn reference(
        &self,
        actor: u64,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        let gone = WireError::Refused("nobody refers to the actor from elsewhere");
        let inbound = self.get(actor).ok_or(gone)?;
        if inbound.message_type() != arriving.message_type() {
            return Err(WireError::OtherMessages);
        }
        Ok(inbound.reference())
    }

    /// The actors that others refer to.
    pub(super) fn actors(&self) -> Vec<u64> {
        self.lock().keys().copied().collect()
    }

    /// How many actors others refer to.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, HashMap<u64, Export>> {
        self.known.lock().expect("nothing panics under this lock")
    }
}

fn add(holders: &mut HashMap<TheaterId, i64>, theater: TheaterId, references: i64) {
    let count = holders.entry(theater).or_default();
    *count = count.saturating_add(references);
    if *count == 0 {
        holders.remove(&theater);
    }
}
