//! Actors that others may have created here: by the kinds that are registered.

use odeon_sync::contained::{Theirs, quietly};
use std::fmt::Display;

use odeon_core::wire::{self, Erased, Passage};
use odeon_core::{ActorRef, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::network::handle::Network;
use crate::network::references::asked_for::Messages;
use crate::network::references::kinds::Registered;
use crate::network::references::remote_error::RemoteError;

/// What a [registered](Network::register) kind's function answers: a new actor, or why there is
/// none.
pub trait Made {
    /// The messages of the actor.
    type Msg: Message;

    /// The actor.
    ///
    /// # Errors
    /// Why none is created: it comes back as [`RemoteError::Refused`].
    fn made(self) -> Result<ActorRef<Self::Msg>, String>;
}

impl<M: Message> Made for ActorRef<M> {
    type Msg = M;

    fn made(self) -> Result<ActorRef<M>, String> {
        Ok(self)
    }
}

impl<M: Message, E: Display> Made for Result<ActorRef<M>, E> {
    type Msg = M;

    fn made(self) -> Result<ActorRef<M>, String> {
        self.map_err(|why| why.to_string())
    }
}

impl Network {
    /// Registers a kind of actor that others may have created here, in place of another one of this
    /// name: `make` creates one of the arguments that they send, or answers why it does not.
    ///
    /// `make` runs on the thread that receives what the other theater sends: what takes long
    /// belongs in the actor.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_theater::{InMemoryNetwork, LinkConfig, Network, RemoteError, TheaterId};
    /// # use std::sync::Arc;
    /// # struct Account(u64);
    /// # #[derive(serde::Serialize, serde::Deserialize)]
    /// # struct Deposit(u64);
    /// # impl Message for Deposit {}
    /// # impl Actor for Account {
    /// #     type Msg = Deposit;
    /// #     fn handle(&mut self, deposit: Deposit, _: &mut Context<'_, Self>) { self.0 += deposit.0 }
    /// # }
    /// # let (theater, another) = (Arc::new(Theater::new()?), Theater::new()?);
    /// # let net = InMemoryNetwork::new(1);
    /// # let join = |theater: &Theater| Network::join(theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
    /// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
    /// # });
    /// # let (network, elsewhere) = (join(&theater)?, join(&another)?);
    /// let spawner = theater.clone();
    /// network.register("account", move |balance: u64| match balance {
    ///     0..1_000_000 => Ok(spawner.spawn(Account(balance))),
    ///     _ => Err("more than may be in it"),
    /// });
    /// # let pump = net.clone();
    /// # let began = std::time::Instant::now();
    /// # std::thread::spawn(move || loop {
    /// #     pump.step(began.elapsed());
    /// #     std::thread::sleep(std::time::Duration::from_millis(1));
    /// # });
    /// // In another theater:
    /// let created = elsewhere.at(network.id()).spawn::<u64, Deposit>("account", &2_000_000)?.wait()?;
    /// assert_eq!(created.unwrap_err(), RemoteError::Refused("more than may be in it".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register<T, R>(&self, kind: &str, make: impl Fn(T) -> R + Send + Sync + 'static)
    where
        T: DeserializeOwned,
        R: Made<Msg: Serialize + DeserializeOwned>,
    {
        self.register_version(kind, 0, make);
    }

    /// As [`register`](Self::register), of a version of the kind: whoever asks for
    /// [another one](crate::network::references::at::At::version) is told which one is here. Change
    /// it when older arguments or messages would be misread.
    pub fn register_version<T, R>(
        &self,
        kind: &str,
        version: u32,
        make: impl Fn(T) -> R + Send + Sync + 'static,
    ) where
        T: DeserializeOwned,
        R: Made<Msg: Serialize + DeserializeOwned>,
    {
        let make = move |passage: &dyn Passage, arguments: &[u8]| {
            let arguments = wire::decode(passage, arguments)
                .map_err(|error| RemoteError::Arguments(error.to_string()))?;
            let made = quietly(|| make(arguments).made());
            let actor = made.ok_or(RemoteError::Panicked)?.map_err(RemoteError::Refused)?;
            Ok(Erased::of(&actor))
        };
        let messages = Messages::of::<R::Msg>();
        let registered = Registered { version, messages, make: Theirs::of(Box::new(make)) };
        self.inner.published.kinds.register(kind, registered);
    }
}
