//! What other theaters may ask for: actors by the names under which they are published, and new ones (`creation.rs`).

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use odeon_core::wire::{self, Address, Answerable, Erased, Passage, WireError};
use odeon_core::{ActorRef, Ask, Message, Reply, extend};
use odeon_sync::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::channel::Channel;
use super::control::Control;
use super::creation::Kinds;
use super::migrations::Within;
use super::passage::{Between, Left};
use super::peer::Peer;
use super::seats::Leads;
use super::{Inner, Messages, Network, RemoteError};
use crate::TheaterId;

/// How names begin under which the runtime publishes actors of its own.
const OWN: &str = "odeon/";

/// What is asked of another theater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Wanted {
    /// The actor that is published under this name.
    Actor { name: String },
    /// A new actor of this version of this kind, made of these arguments.
    New { kind: String, version: u32, arguments: Vec<u8> },
}

/// See the module.
#[derive(Default)]
pub(super) struct Published {
    actors: Mutex<HashMap<String, Erased>>,
    pub(super) kinds: Kinds,
}

impl Published {
    /// The actor that is wanted by somebody who knows it by these messages.
    fn get(
        &self,
        passage: &dyn Passage,
        wanted: &Wanted,
        messages: &str,
    ) -> Result<Erased, RemoteError> {
        match wanted {
            Wanted::Actor { name } => {
                let actors = self.actors.lock().expect("nothing panics under this lock");
                let actor = actors.get(name).cloned().ok_or(RemoteError::NotFound)?;
                Messages::to(&*actor.0).answer(messages).map(|()| actor)
            }
            Wanted::New { kind, version, arguments } => {
                self.kinds.make(passage, (kind, *version), messages, arguments)
            }
        }
    }
}

/// Refuses a name under which the runtime publishes actors of its own.
#[track_caller]
fn refuse_own(name: &str) {
    assert!(
        !name.starts_with(OWN),
        "names that begin with `{OWN}` are for actors of the runtime: {name:?}"
    );
}

impl Network {
    /// Publishes an actor under a name, in place of another one that had it. It is kept as long as it is published.
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

    /// As [`publish`](Self::publish), of an actor whose type of messages has been forgotten, and under any name.
    pub(crate) fn publish_erased(&self, name: &str, actor: Erased) {
        let mut actors =
            self.inner.published.actors.lock().expect("nothing panics under this lock");
        let before = actors.insert(name.into(), actor);
        drop(actors);
        drop(before);
    }

    /// Whether this theater publishes an actor under a name that has not ended.
    pub(crate) fn publishes(&self, name: &str) -> bool {
        let actors = self.inner.published.actors.lock().expect("nothing panics under this lock");
        actors.get(name).is_some_and(|actor| !actor.0.is_stopped())
    }

    /// Whether nobody refers to an actor but who publishes it under this name, who asks this, and keeps it as it is published.
    pub(crate) fn is_unreferenced(&self, name: &str, actor: &Erased) -> bool {
        let actors = self.inner.published.actors.lock().expect("nothing panics under this lock");
        let is_published = actors.get(name).is_some_and(|its| Arc::ptr_eq(&its.0, &actor.0));
        is_published && Arc::strong_count(&actor.0) == 2 && actor.0.is_alone()
    }

    /// Where a reference to an actor leads. `None`: in another theater of this process, which has nothing to do with this one.
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

    /// Has somebody told, in place of another one, whenever [`address_of`](Self::address_of) an actor may have changed, which ends with its seat
    /// here: whether it sits elsewhere.
    pub(crate) fn when_moved(&self, actor: &Erased, told: impl Fn(bool) + Send + Sync + 'static) {
        self.inner.introduce(actor.0.native());
        self.inner.seats.follow(actor.0.actor(), Arc::new(told));
    }

    /// An actor that moves, by what stands here for it, or is it.
    pub(crate) fn known(&self, who: Address) -> Option<Erased> {
        let stands = self.inner.seats.with(who, |line| line.last().stands.clone())?;
        stands.inbound().map(Erased)
    }

    /// An actor has a name that is at home here, which keeps it. Answers who that is, wherever it sits: where it was created. `None`: it does not move.
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
        let mut actors =
            self.inner.published.actors.lock().expect("nothing panics under this lock");
        let before = actors.remove(name);
        drop(actors);
        before.is_some()
    }

    /// Lets those published actors go to which nobody refers: neither here, nor in another theater, nor in a message that is under way. Those that are
    /// left end as unreachable ones do (S11), behind what was sent to them. Answers their names, in order.
    ///
    /// Only names of which `may` says so are looked at. Whoever has looked an actor up, and has not been answered yet, refers to it.
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
        let lock = || self.inner.published.actors.lock().expect("nothing panics under this lock");
        let mut names: Vec<String> = lock().keys().cloned().collect();
        // The user's code.
        names.retain(|name| !name.starts_with(OWN) && may(name));
        names.sort_unstable();
        let mut actors = lock();
        // Under the lock: nobody gets a reference by its name meanwhile. The `Arc` is shared with those who are about to, and with other theaters' references.
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
        At { network: self, theater, version: 0 }
    }
}

/// Another theater, to ask something of it: made by [`Network::at`]. What it is asked goes at once, also in a handler whose attempt may be
/// rolled back (S8).
pub struct At<'a> {
    network: &'a Network,
    theater: TheaterId,
    version: u32,
}

impl At<'_> {
    /// Actors that are to be [created](Self::spawn) there are of this version of their kind
    /// ([`Network::register_version`]), instead of 0.
    #[must_use]
    pub fn version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Asks for the actor that is published there under a name. Asked of this theater itself, it is answered at once.
    pub fn lookup<M>(&self, name: &str) -> Ask<Result<ActorRef<M>, RemoteError>>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        let network: &Arc<Inner> = &self.network.inner;
        let wanted = Wanted::Actor { name: name.into() };
        if self.theater == network.id {
            return Self::ask_here(network, &Within::default(), &wanted);
        }
        match network.peers.get_or_meet(network, self.theater) {
            Some(peer) => Self::ask(Between::new(network, &peer), wanted),
            None => extend::question().1,
        }
    }

    /// Has an actor created there, of a kind that is registered there. In this theater itself it is created on this thread.
    ///
    /// # Errors
    /// If the arguments cannot be written. Whether it was created, the answer says.
    pub fn spawn<T, M>(
        &self,
        kind: &str,
        arguments: &T,
    ) -> Result<Ask<Result<ActorRef<M>, RemoteError>>, WireError>
    where
        T: Serialize,
        M: Message + Serialize + DeserializeOwned,
    {
        let network: &Arc<Inner> = &self.network.inner;
        let mut bytes = Vec::new();
        if self.theater == network.id {
            let within = Within::default();
            wire::encode(&within, arguments, &mut bytes)?;
            let (kind, version) = (kind.into(), self.version);
            let wanted = Wanted::New { kind, version, arguments: bytes };
            return Ok(Self::ask_here(network, &within, &wanted));
        }
        let Some(peer) = network.peers.get_or_meet(network, self.theater) else {
            return Ok(extend::question().1);
        };
        let between = Between::new(network, &peer);
        if let Err(error) = wire::encode(&between, arguments, &mut bytes) {
            between.undo();
            return Err(error);
        }
        let wanted = Wanted::New { kind: kind.into(), version: self.version, arguments: bytes };
        Ok(Self::ask(between, wanted))
    }

    /// Asks this theater itself: the answer is written and read as one that comes from elsewhere.
    fn ask_here<M>(
        network: &Arc<Inner>,
        within: &Within,
        wanted: &Wanted,
    ) -> Ask<Result<ActorRef<M>, RemoteError>>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        let (reply, ask) = extend::question();
        let found = network.find_wanted(within, wanted, &Messages::of::<M>().to_string());
        let mut bytes = Vec::new();
        let written = wire::encode(within, &found, &mut bytes);
        if let Ok(found) = written.and_then(|()| wire::decode(within, &bytes)) {
            reply.send(found);
        }
        ask
    }

    /// The answer is that there is none if the question cannot go.
    fn ask<M>(between: Between<'_>, wanted: Wanted) -> Ask<Result<ActorRef<M>, RemoteError>>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        let (network, peer) = (between.network(), between.peer());
        let (reply, ask) = extend::question();
        let asking = Arc::downgrade(network);
        let referred = Referred::<M> { reply, asking, to: peer.clone(), left: between.left() };
        let question = network.questions.leaves(Box::new(referred), peer.id, None);
        let messages = Messages::of::<M>().to_string();
        let asked = Control::Asked { question, wanted, messages };
        if peer.push(Channel::Control, &asked.to_bytes()).is_ok() {
            between.done();
        } else {
            between.undo();
            drop(network.questions.take(question, peer.id));
        }
        peer.transmit(network);
        ask
    }
}

/// The answer is a reference.
struct Referred<M: Message> {
    reply: Reply<Result<ActorRef<M>, RemoteError>>,
    asking: Weak<Inner>,
    to: Arc<Peer>,
    /// With the arguments.
    left: Vec<Left>,
}

impl<M: Message + Serialize + DeserializeOwned> Answerable for Referred<M> {
    fn answer(self: Box<Self>, passage: &dyn Passage, bytes: &[u8]) -> Result<(), WireError> {
        let found: Result<_, RemoteError> = wire::decode(passage, bytes)?;
        let is_unread = found.as_ref().is_err_and(RemoteError::is_found_before_the_arguments);
        if let Some(network) = self.asking.upgrade().filter(|_| is_unread) {
            network.undo(&self.to, &self.left);
        }
        self.reply.send(found);
        Ok(())
    }
}

impl Inner {
    fn find_wanted(
        &self,
        passage: &dyn Passage,
        wanted: &Wanted,
        messages: &str,
    ) -> Result<Erased, RemoteError> {
        if matches!(wanted, Wanted::New { .. }) && self.migrations.refuses_arrivals() {
            return Err(RemoteError::Drained);
        }
        self.published.get(passage, wanted, messages)
    }

    /// Another theater asks for a reference.
    pub(super) fn asked(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        question: u64,
        wanted: &Wanted,
        messages: &str,
    ) {
        let between = Between::new(self, peer);
        let found = self.find_wanted(&between, wanted, messages);
        let mut bytes = Vec::new();
        let is_written = wire::encode(&between, &found, &mut bytes).is_ok();
        if is_written && peer.push(Channel::Answer(question), &bytes).is_ok() {
            between.done();
        } else {
            between.undo();
            self.tell_peer(peer, &Control::Unanswered { question });
        }
    }
}
