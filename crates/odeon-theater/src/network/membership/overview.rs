//! What a theater can say of itself.

use odeon_core::wire::{native, number_of};
use odeon_core::{ActorRef, Message};
use serde::{Deserialize, Serialize};

use crate::network::handle::Network;
use crate::network::references::mobile_actor::MobileActor;
use crate::{Membership, MobileId, TheaterId};

/// A theater as it sees itself: made by [`Network::overview`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// The theater.
    pub theater: TheaterId,
    /// Its [name](odeon_core::TheaterBuilder::name).
    pub name: String,
    /// Whether it has been [drained](Network::drain), or is being: then no actor may come.
    pub is_drained: bool,
    /// The other theaters that it sees, in the order of their identities.
    pub members: Vec<(TheaterId, Membership)>,
    /// The mobile actors that sit in it, in the order of their identities.
    pub mobile: Vec<MobileActor>,
    /// How many actors of this theater others refer to.
    pub referred_to: usize,
    /// How many actors of other theaters are referred to here.
    pub refers_to: usize,
}

impl Network {
    /// The reference to a mobile actor that sits in this theater, if it takes these messages.
    pub fn resident<M: Message>(&self, id: MobileId) -> Option<ActorRef<M>> {
        let seats = &self.inner.seats;
        let stands = seats.with(id.address(), |line| line.last().stands.clone())?;
        let reference = stands.reference().filter(|_| seats.is_resident(id.address()))?;
        reference.downcast().ok().map(|actor| *actor)
    }

    /// The identity of a mobile actor to which this theater has a reference. `None`: it is not
    /// mobile, and of this theater; one that lives elsewhere has one in any case.
    pub fn mobile_id<M: Message>(&self, actor: &ActorRef<M>) -> Option<MobileId> {
        self.inner.introduce(native(actor));
        self.inner.seats.who(number_of(actor)).map(MobileId::of)
    }

    /// Whether this theater has been [drained](Self::drain), or is being.
    pub fn is_drained(&self) -> bool {
        self.inner.migrations.refuses_arrivals()
    }

    /// What this theater can say of itself.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_theater::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Account { balance: u64 }
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Balance(Reply<u64>);
    /// # impl Message for Balance {}
    /// # impl Actor for Account {
    /// #     type Msg = Balance;
    /// #     fn handle(&mut self, Balance(reply): Balance, _: &mut Context<'_, Self>) { reply.send(self.balance) }
    /// # }
    /// # impl Mobile for Account { const KIND: &'static str = "account"; }
    /// # let theater = Theater::builder().name("till").build()?;
    /// # let net = InMemoryNetwork::new(1);
    /// # let network = Network::join(&theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
    /// #     Ok::<_, std::convert::Infallible>(std::sync::Arc::new(net.join(id, listener)))
    /// # })?;
    /// let account = network.spawn_mobile(Account { balance: 5 });
    /// assert_eq!(account.ask(Balance).wait()?, 5);
    ///
    /// let overview = network.overview();
    /// assert_eq!(overview.name, "till");
    /// assert_eq!(overview.mobile[0].kind, "account");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overview(&self) -> Overview {
        let (referred_to, refers_to) = self.references();
        Overview {
            theater: self.id(),
            name: self.inner.name.clone(),
            is_drained: self.inner.migrations.refuses_arrivals(),
            members: self.members(),
            mobile: self.inner.residents(),
            referred_to,
            refers_to,
        }
    }
}
