//! Actors of this theater are published, and looked at by whoever gives them names.

use std::sync::Arc;

use odeon_core::wire::{Address, Erased};
use odeon_core::{ActorRef, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::TheaterId;
use crate::network::handle::Network;
use crate::network::references::at::At;
use crate::network::references::seats::Leads;

/// How names begin under which the runtime publishes actors of its own.
const OWN: &str = "odeon/";

/// Refuses a name under which the runtime publishes actors of its own.
#[track_caller]
fn refuse_own(name: &str) {
    assert!(
        !name.starts_with(OWN),
        "names that begin with `{OWN}` are for actors of the runtime: {name:?}"
    );
}

impl Network {
    /// Publishes an actor under a name, in place of another one that had it. It is kept as long as
    /// it is published.
    ///
    /// # Panics
    /// If the name begins with `odeon/`: those are for actors of the runtime.
    #[track_caller]
    pub fn publish<M: Message + Serialize + DeserializeOwned>(
        &self,
        name: &str,
        actor: &ActorRef<M>,
    ) {
        refuse_own(name);
        self.publish_erased(name, Erased::of(actor));
    }

    /// As [`publish`](Self::publish), of an actor whose type of messages has been forgotten, and
    /// under any name.
    pub(crate) fn publish_erased(&self, name: &str, actor: Erased) {
        let mut actors = self.inner.published.actors();
        let before = actors.insert(name.into(), actor);
        drop(actors);
        drop(before);
    }

    /// Whether this theater publishes an actor under a name that has not ended.
    pub(crate) fn publishes(&self, name: &str) -> bool {
        let actors = self.inner.published.actors();
        actors.get(name).is_some_and(|actor| !actor.0.is_stopped())
    }

    /// Whether nobody refers to an actor but who publishes it under this name, who asks this, and
    /// keeps it as it is published.
    pub(crate) fn is_unreferenced(&self, name: &str, actor: &Erased) -> bool {
        let actors = self.inner.published.actors();
        let is_published = actors.get(name).is_some_and(|its| Arc::ptr_eq(&its.0, &actor.0));
        is_published && Arc::strong_count(&actor.0) == 2 && actor.0.is_alone()
    }

    /// Where a reference to an actor leads. `None`: in another theater of this process, which has
    /// nothing to do with this one.
    pub(crate) fn address_of(&self, actor: &Erased) -> Option<Address> {
        let (network, number) = (&self.inner, actor.0.actor());
        if !network.is_of_this_theater(actor.0.stage()) {
            return None;
        }
        Some(match network.seats.leads(number) {
            Some(Leads::To(reference)) => reference.at,
            _ => Address { theater: network.id.bits(), actor: number },
        })
    }

    /// Has somebody told, in place of another one, whenever [`address_of`](Self::address_of) an
    /// actor may have changed, which ends with its seat here, or its way from here is lost: whether
    /// it sits elsewhere. Each is told with a greater number than those before it.
    pub(crate) fn when_moved(
        &self,
        actor: &Erased,
        told: impl Fn(u64, bool) + Send + Sync + 'static,
    ) {
        self.inner.introduce(actor.0.native());
        self.inner.seats.follow(actor.0.actor(), Arc::new(told));
    }

    /// Whether an actor sits elsewhere, or nobody here knows where. `None`: it does not move, or
    /// its seat here is no more.
    pub(crate) fn is_elsewhere(&self, actor: &Erased) -> Option<bool> {
        self.inner.seats.is_elsewhere(actor.0.actor())
    }

    /// Who an actor is that moves, if it sits here: where it was created.
    pub(crate) fn who_sits_here(&self, actor: &Erased) -> Option<Address> {
        let sits_here = !actor.0.is_stopped() && self.is_elsewhere(actor) == Some(false);
        if sits_here { self.inner.seats.who(actor.0.actor()) } else { None }
    }

    /// An actor that moves, by what stands here for it, or is it.
    pub(crate) fn known(&self, who: Address) -> Option<Erased> {
        let stands = self.inner.seats.with(who, |line| line.last().stands.clone())?;
        stands.inbound().map(Erased)
    }

    /// An actor has a name that is at home here, which keeps it. Answers who that is, wherever it
    /// sits: where it was created. `None`: it does not move.
    pub(crate) fn has_name(&self, actor: &Erased) -> Option<Address> {
        let who = self.inner.seats.who(actor.0.actor())?;
        self.inner.seats.with(who, |line| line.has_name = true);
        self.inner.keeps_no_longer(who);
        Some(who)
    }

    /// The actor of this theater with this number, if others refer to it.
    pub(crate) fn exported(&self, actor: u64) -> Option<Erased> {
        self.inner.exports.get(actor).map(Erased)
    }

    /// Publishes it no longer. `false`: nobody had the name.
    ///
    /// # Panics
    /// If the name begins with `odeon/`.
    #[track_caller]
    pub fn unpublish(&self, name: &str) -> bool {
        refuse_own(name);
        self.unpublish_any(name)
    }

    /// As [`unpublish`](Self::unpublish), of any name.
    pub(crate) fn unpublish_any(&self, name: &str) -> bool {
        let mut actors = self.inner.published.actors();
        let before = actors.remove(name);
        drop(actors);
        before.is_some()
    }

    /// Lets those published actors go to which nobody refers: neither here, nor in another theater,
    /// nor in a message that is under way. Those that are left end as unreachable ones do (S11),
    /// behind what was sent to them. Answers their names, in order.
    ///
    /// Only names of which `may` says so are looked at. Whoever has looked an actor up, and has not
    /// been answered yet, refers to it.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_theater::{InMemoryNetwork, LinkConfig, Network, TheaterId};
    /// # use std::sync::Arc;
    /// # struct Session;
    /// # #[derive(serde::Serialize, serde::Deserialize)]
    /// # struct Touch;
    /// # impl Message for Touch {}
    /// # impl Actor for Session { type Msg = Touch; fn handle(&mut self, _: Touch, _: &mut Context<'_, Self>) {} }
    /// # let theater = Theater::new()?;
    /// # let net = InMemoryNetwork::new(1);
    /// # let network = Network::join(&theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
    /// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
    /// # })?;
    /// let used = theater.spawn(Session);
    /// network.publish("session/1", &used);
    /// network.publish("session/2", &theater.spawn(Session));
    /// assert_eq!(network.stop_unreferenced(|name| name.starts_with("session/")), ["session/2"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stop_unreferenced(&self, may: impl Fn(&str) -> bool) -> Vec<String> {
        let lock = || self.inner.published.actors();
        let mut names: Vec<String> = lock().keys().cloned().collect();
        // The user's code.
        names.retain(|name| !name.starts_with(OWN) && may(name));
        names.sort_unstable();
        let mut actors = lock();
        // Under the lock: nobody gets a reference by its name meanwhile. The `Arc` is shared with
        // those who are about to, and with other theaters' references.
        let is_unreferenced =
            |actor: &Erased| Arc::strong_count(&actor.0) == 1 && actor.0.is_alone();
        names.retain(|name| actors.get(name).is_some_and(is_unreferenced));
        let gone: Vec<_> = names.iter().map(|name| actors.remove(name)).collect();
        drop(actors);
        drop(gone);
        names
    }

    /// Another theater.
    pub fn at(&self, theater: TheaterId) -> At<'_> {
        At::of(self, theater)
    }
}
