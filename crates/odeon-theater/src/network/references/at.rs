//! Another theater is asked for actors of its own, and answers.

use std::sync::{Arc, Weak};

use odeon_core::wire::{self, Answerable, Erased, Passage, WireError};
use odeon_core::{ActorRef, Ask, Message, Reply, extend};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::TheaterId;
use crate::network::handle::Network;
use crate::network::inner::Inner;
use crate::network::references::asked_for::Messages;
use crate::network::references::left::Left;
use crate::network::references::passage::Between;
use crate::network::references::remote_error::RemoteError;
use crate::network::references::within::Within;
use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::routing::peer::Peer;
use crate::routing::wanted::Wanted;

/// Another theater, to ask something of it: made by [`Network::at`]. What it is asked goes at once,
/// also in a handler whose attempt may be rolled back (S8).
pub struct At<'a> {
    network: &'a Network,
    theater: TheaterId,
    version: u32,
}

impl<'a> At<'a> {
    pub(in crate::network) fn of(network: &'a Network, theater: TheaterId) -> Self {
        Self { network, theater, version: 0 }
    }

    /// Actors that are to be [created](Self::spawn) there are of this version of their kind
    /// ([`Network::register_version`]), instead of 0.
    #[must_use]
    pub fn version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Asks for the actor that is published there under a name. Asked of this theater itself, it is
    /// answered at once.
    pub fn lookup<M>(&self, name: &str) -> Ask<Result<ActorRef<M>, RemoteError>>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        let network: &Arc<Inner> = &self.network.inner;
        let wanted = Wanted::Actor { name: name.into() };
        if self.theater == network.id {
            return Self::ask_here(network, &Within::default(), &wanted);
        }
        match network.peers.get_or_meet(self.theater) {
            Some(peer) => Self::ask(Between::new(network, &peer), wanted),
            None => extend::question().1,
        }
    }

    /// Has an actor created there, of a kind that is registered there. In this theater itself it is
    /// created on this thread.
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
        let Some(peer) = network.peers.get_or_meet(self.theater) else {
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
    pub(in crate::network) fn asked(
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
