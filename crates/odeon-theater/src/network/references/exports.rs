//! The actors of this theater that others refer to.
//!
//! Each theater that holds references to an actor is counted with as many references as have come
//! to it. It gives them back together when nobody there refers to the actor any more. What is under
//! way to it from a third theater is known by grants (`grants.rs`).

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use odeon_core::wire::{Arriving, Inbound, Leaving, WireError};
use odeon_core::{EndReason, Watch};
use odeon_sync::Mutex;

use crate::TheaterId;
use crate::network::references::grants::Grants;

/// See the module.
#[derive(Default)]
pub(in crate::network) struct Exports {
    known: Mutex<HashMap<u64, Export>>,
}

struct Export {
    inbound: Arc<dyn Inbound>,
    holders: HashMap<TheaterId, u64>,
    /// Made when somebody grants a reference to it.
    grants: Option<Box<Grants>>,
    /// Who tells of its end.
    watch: Option<Watch>,
    /// Why it has ended, if it has.
    end: Option<EndReason>,
}

/// Keeps an actor no longer, when it is dropped: to be done without the lock.
pub(in crate::network) struct Over(
    #[expect(dead_code, reason = "it is there to be dropped")] Export,
);

impl Export {
    fn to(inbound: Arc<dyn Inbound>) -> Self {
        Self { inbound, holders: HashMap::new(), grants: None, watch: None, end: None }
    }

    fn with_grants(&mut self, change: impl FnOnce(&mut Grants)) {
        if let Some(grants) = &mut self.grants {
            change(grants);
        }
    }

    /// Whether a reference elsewhere leads to the actor, or one is under way.
    fn is_referred_to(&self) -> bool {
        !self.holders.is_empty() || self.grants.as_ref().is_some_and(|grants| grants.keep())
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.cancel();
        }
    }
}

impl Exports {
    /// A reference to an actor of this theater leaves for `to`. Answers the way in, if the actor is
    /// referred to from elsewhere for the first time.
    pub(in crate::network) fn leaves(
        &self,
        actor: &Leaving<'_>,
        to: TheaterId,
    ) -> Option<Arc<dyn Inbound>> {
        let number = actor.actor;
        let mut known = self.lock();
        let mut first = None;
        let export = known.entry(number).or_insert_with(|| {
            let inbound = (actor.inbound)();
            first = Some(inbound.clone());
            Export::to(inbound)
        });
        *export.holders.entry(to).or_default() += 1;
        first
    }

    /// The actor of a seat is referred to from a theater. `true`: for the first time from
    /// elsewhere.
    pub(in crate::network) fn is_referred_to(
        &self,
        inbound: &Arc<dyn Inbound>,
        from: TheaterId,
    ) -> bool {
        let mut known = self.lock();
        let mut is_first = false;
        let export = known.entry(inbound.actor()).or_insert_with(|| {
            is_first = true;
            Export::to(inbound.clone())
        });
        *export.holders.entry(from).or_default() += 1;
        is_first
    }

    /// The theaters that refer to an actor, in the order of their numbers.
    pub(in crate::network) fn holders(&self, actor: u64) -> Vec<TheaterId> {
        let known = self.lock();
        let holders = known.get(&actor).map(|export| export.holders.keys().copied().collect());
        let mut holders: Vec<_> = holders.unwrap_or_default();
        holders.sort_unstable();
        holders
    }

    /// The actor's end will be told.
    pub(in crate::network) fn is_watched(&self, actor: u64, watch: Watch) {
        if let Some(export) = self.lock().get_mut(&actor) {
            export.watch = Some(watch);
        }
    }

    /// An actor has ended. Answers who is to know, in the order of their numbers.
    pub(in crate::network) fn has_ended(&self, actor: u64, reason: EndReason) -> Vec<TheaterId> {
        let mut known = self.lock();
        let Some(export) = known.get_mut(&actor) else { return Vec::new() };
        export.end = Some(reason);
        let mut holders: Vec<_> = export.holders.keys().copied().collect();
        holders.sort_unstable();
        holders
    }

    /// Why an actor has ended, if it has and others refer to it.
    pub(in crate::network) fn end_of(&self, actor: u64) -> Option<EndReason> {
        self.lock().get(&actor)?.end
    }

    /// A theater has sent a reference on to another one.
    pub(in crate::network) fn granted(&self, actor: u64, by: TheaterId, to: TheaterId, grant: u64) {
        if let Some(export) = self.lock().get_mut(&actor) {
            export.grants.get_or_insert_default().granted(by, grant, to);
        }
    }

    /// A reference that was granted has come to who holds it from here on. `may_come`: that it was
    /// granted may not be known yet.
    #[must_use]
    pub(in crate::network) fn taken(
        &self,
        actor: u64,
        holder: TheaterId,
        by: TheaterId,
        grant: u64,
        may_come: bool,
    ) -> Option<Over> {
        self.change(actor, |export| {
            *export.holders.entry(holder).or_default() += 1;
            export.grants.get_or_insert_default().taken(by, grant, may_come);
        })
    }

    /// A reference that was granted has not left.
    #[must_use]
    pub(in crate::network) fn revoked(
        &self,
        actor: u64,
        by: TheaterId,
        grant: u64,
    ) -> Option<Over> {
        self.change(actor, |export| export.grants.get_or_insert_default().revoked(by, grant))
    }

    /// A theater gives references back. Answers what is to be dropped: nobody elsewhere refers to
    /// the actor any more.
    #[must_use]
    pub(in crate::network) fn released(
        &self,
        actor: u64,
        by: TheaterId,
        references: u64,
    ) -> Option<Over> {
        self.change(actor, |export| {
            let Some(count) = export.holders.get_mut(&by) else { return };
            *count = count.saturating_sub(references);
            if *count == 0 {
                export.holders.remove(&by);
            }
        })
    }

    /// No reference that a theater has granted to another one by a number up to this one is under
    /// way.
    #[must_use]
    pub(in crate::network) fn void(&self, by: TheaterId, to: TheaterId, until: u64) -> Vec<Over> {
        self.change_all(|export| export.with_grants(|grants| grants.void(by, to, until)))
    }

    /// No reference comes to a theater any more that a lost one has granted.
    #[must_use]
    pub(in crate::network) fn over(&self, by: TheaterId, to: TheaterId) -> Vec<Over> {
        self.change_all(|export| export.with_grants(|grants| grants.over(by, to)))
    }

    /// A theater is dead: it holds no references. Answers to whom it has granted some that are
    /// under way, and to which actors it has referred.
    #[must_use]
    pub(in crate::network) fn died(
        &self,
        theater: TheaterId,
    ) -> (Vec<Over>, BTreeSet<TheaterId>, Vec<Arc<dyn Inbound>>) {
        let (mut granted, mut referred_to) = (BTreeSet::new(), Vec::new());
        let over = self.change_all(|export| {
            // Who keeps it for its name there may have given back the reference before by now.
            let is_under_way = export.grants.as_ref().is_some_and(|grants| grants.are_to(theater));
            if export.holders.remove(&theater).is_some() || is_under_way {
                referred_to.push(export.inbound.clone());
            }
            export.with_grants(|grants| granted.extend(grants.died(theater)));
        });
        (over, granted, referred_to)
    }

    fn change(&self, actor: u64, change: impl FnOnce(&mut Export)) -> Option<Over> {
        let mut known = self.lock();
        let export = known.get_mut(&actor)?;
        change(export);
        if export.is_referred_to() {
            return None;
        }
        known.remove(&actor).map(Over)
    }

    fn change_all(&self, mut change: impl FnMut(&mut Export)) -> Vec<Over> {
        let mut known = self.lock();
        known.values_mut().for_each(&mut change);
        let is_over =
            |(&actor, export): (&u64, &Export)| (!export.is_referred_to()).then_some(actor);
        let mut over: Vec<u64> = known.iter().filter_map(is_over).collect();
        over.sort_unstable();
        over.iter().filter_map(|actor| known.remove(actor)).map(Over).collect()
    }

    /// The way in to an actor.
    pub(in crate::network) fn get(&self, actor: u64) -> Option<Arc<dyn Inbound>> {
        self.lock().get(&actor).map(|export| export.inbound.clone())
    }

    /// A reference to an actor of this theater, if others refer to it.
    ///
    /// # Errors
    /// If they do not, or it takes other messages.
    pub(in crate::network) fn reference(
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
    pub(in crate::network) fn actors(&self) -> Vec<u64> {
        self.lock().keys().copied().collect()
    }

    /// How many actors others refer to.
    pub(in crate::network) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, HashMap<u64, Export>> {
        self.known.lock().expect("nothing panics under this lock")
    }
}
