//! A theater joins others, and leaves.

use std::ops::Deref;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use odeon_core::extend::{self, Behavior};
use odeon_core::{ActorRef, Ask, Clock, Theater};

use crate::network::inner::Inner;
use crate::network::listening::Ears;
use crate::network::membership::members::Members;
use crate::network::migration::natives::Natives;
use crate::network::migration::owed::Owed;
use crate::network::migration::{Joined, Migrations};
use crate::network::references::exports::Exports;
use crate::network::references::grants::GrantNumbers;
use crate::network::references::mobile_actor::MobileActor;
use crate::network::references::published::Published;
use crate::network::references::questions::Questions;
use crate::network::references::seats::Seats;
use crate::routing::companions::Accompanied;
use crate::routing::migrated::{MigrateError, Migrated};
use crate::routing::peers::Peers;
use crate::{LinkConfig, Listener, MobileId, TheaterId, Transport};

/// A theater's place among other theaters: made by [`join`](Self::join). Clones are the same.
#[derive(Clone)]
pub struct Network {
    pub(super) inner: Arc<Handle>,
}

/// A [`Network`] for those who are not to keep the theater in it.
#[derive(Clone)]
pub struct WeakNetwork(Weak<Handle>);

impl WeakNetwork {
    /// `None`: the theater has left.
    pub fn upgrade(&self) -> Option<Network> {
        self.0.upgrade().map(|inner| Network { inner })
    }
}

/// What all clones have in common.
pub(super) struct Handle(Arc<Inner>);

impl Deref for Handle {
    type Target = Arc<Inner>;

    fn deref(&self) -> &Arc<Inner> {
        &self.0
    }
}

impl Drop for Handle {
    /// Who has not left before leaves without waiting: what has not arrived is dead letters.
    fn drop(&mut self) {
        self.peers.leave().iter().for_each(|peer| peer.give_up(self));
    }
}

impl Network {
    /// Has a theater join others. `connect` makes the way to them: it is given this theater's
    /// identity, and whom to tell what comes. The theater's actors can be referred to from
    /// elsewhere from here on, until it [leaves](Self::leave), or ends. When the last clone of the
    /// network is dropped it leaves at once, and what has not arrived is dead letters.
    ///
    /// # Errors
    /// What `connect` answers.
    ///
    /// # Panics
    /// If a setting is out of its range.
    pub fn join<E>(
        theater: &Theater,
        id: TheaterId,
        config: LinkConfig,
        connect: impl FnOnce(TheaterId, Arc<dyn Listener>) -> Result<Arc<dyn Transport>, E>,
    ) -> Result<Self, E> {
        if let Err(wrong) = config.validate() {
            panic!("{wrong}");
        }
        let joined = extend::belonging::<Joined>(theater);
        let clock = extend::clock(theater);
        let peers = Peers::new(id, config.clone(), clock.clone());
        let inner = Arc::new(Inner {
            id,
            name: theater.name().into(),
            config,
            pool: extend::pool(theater),
            clock,
            transport: OnceLock::new(),
            peers,
            members: Members::default(),
            exports: Exports::default(),
            grant_numbers: GrantNumbers::default(),
            seats: Seats::new(),
            questions: Questions::default(),
            migrations: Migrations::default(),
            owed: Owed::default(),
            published: Published::default(),
            accompanied: Accompanied::default(),
            natives: Natives::of(joined.natives()),
        });
        joined.set(&inner);
        let transport = connect(id, Arc::new(Ears::of(&inner)))?;
        let _ = inner.transport.set(transport);
        inner.peers.all().iter().for_each(|peer| peer.transmit_now(&inner));
        let network = Arc::downgrade(&inner);
        extend::before_the_end(theater, move |within| {
            if let Some(network) = network.upgrade() {
                network.leave(within);
            }
        });
        Ok(Self { inner: Arc::new(Handle(inner)) })
    }

    /// This theater, among the others.
    pub fn id(&self) -> TheaterId {
        self.inner.id
    }

    /// Leaves: all that has been sent to other theaters goes first, and what they send comes
    /// meanwhile; then they know that this one has left. `false`: not all have acknowledged that
    /// within `deadline`; what they have not acknowledged is dead letters. References to actors
    /// elsewhere are stopped.
    ///
    /// Call it before the theater's shutdown: what its actors send while they end has no way any
    /// more. A shutdown, and a theater that is dropped, does so itself, behind what is drained, and
    /// takes 300 ms at most for it.
    pub fn leave(&self, deadline: Duration) -> bool {
        self.inner.leave(deadline)
    }

    /// Whether the theater leaves, or has left.
    pub(crate) fn leaves(&self) -> bool {
        self.inner.peers.leaves()
    }

    /// Whether it is this theater's.
    pub(crate) fn is_of(&self, theater: &Theater) -> bool {
        extend::pool(theater).upgrade().is_some_and(|it| self.inner.is_of_this_theater(&*it))
    }

    /// The same network, not kept in it.
    pub(crate) fn downgrade(&self) -> WeakNetwork {
        WeakNetwork(Arc::downgrade(&self.inner))
    }

    /// The clock of the theater.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock.clone()
    }

    /// Creates an actor in the theater. `None`: that has ended.
    pub(crate) fn spawn<A: Behavior>(&self, actor: A) -> Option<ActorRef<A::Msg>> {
        self.inner.pool.upgrade().map(|pool| extend::spawn_on(&pool, actor))
    }

    /// The mobile actors that sit here.
    pub(crate) fn residents(&self) -> Vec<MobileActor> {
        self.inner.residents()
    }

    /// Has one of them move.
    pub(crate) fn migrate_resident(
        &self,
        actor: MobileId,
        to: TheaterId,
    ) -> Ask<Result<Migrated, MigrateError>> {
        self.inner.migrate_resident(actor.address(), to)
    }

    /// How many actors of this theater others refer to, and how many of theirs are referred to
    /// here.
    pub fn references(&self) -> (usize, usize) {
        (self.inner.exports.len(), self.inner.seats.elsewhere())
    }
}
