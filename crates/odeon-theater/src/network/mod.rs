//! A theater among others: references, messages and answers over the links to them.
//!
//! One message on its way:
//!
//! | where | what happens | file |
//! |---|---|---|
//! | at the sender's | it waits at the receiver's seat, and is written | `odeon-core`: `wire/seat.rs`; `outbound.rs`, `way.rs` |
//! | | references and replies in it become addresses and numbers | `passage.rs` |
//! | | it is pushed on the link, and goes | `peer.rs`, `transmitting.rs` |
//! | at the receiver's | it comes, in its order | `peer.rs` |
//! | | it is read, and sent to the actor | `arrivals.rs` |
//!
//! Who refers to whom is known in `exports.rs` (actors here, referred to from elsewhere) and `seats.rs` (actors elsewhere, referred
//! to from here, and mobile ones); questions under way in `questions.rs`; actors that move in `migrations.rs`, and the
//! answers to who has asked for that in `owed.rs`.

mod accompanied;
mod arrivals;
mod asked;
mod asked_for;
mod channel;
mod control;
mod creation;
mod draining;
mod endings;
mod exports;
mod grants;
mod held;
mod in_order;
mod later;
mod marks;
mod membership;
mod migrations;
mod mobile_id;
mod outbound;
mod overview;
mod owed;
mod passage;
mod peer;
mod peers;
mod pressed;
mod published;
mod questions;
mod remote_error;
mod seats;
mod transmitting;
mod way;

use std::ops::Deref;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use odeon_core::extend::{self, Submit};
use odeon_core::wire::Inbound;
use odeon_core::{Actor, ActorRef, Ask, Clock, Theater};

use self::accompanied::Accompanied;
use self::control::Control;
use self::exports::Exports;
use self::grants::GrantNumbers;
use self::membership::Members;
use self::migrations::{Joined, Migrations};
use self::owed::Owed;
use self::peer::{Peer, send_by};
use self::peers::Peers;
use self::published::Published;
use self::questions::Questions;
use self::seats::Seats;
use crate::link::Greeting;
use crate::{LinkConfig, Listener, Refusal, TheaterId, Transport};

pub use accompanied::Companions;
pub(crate) use asked_for::{Messages, other_messages};
pub use creation::Made;
pub use draining::{Drained, Kept};
pub use membership::{Membership, MembershipEvent};
pub use migrations::{Migrate, MigrateError, Migrated};
pub use mobile_id::MobileId;
pub use overview::{MobileActor, Overview};
pub use published::At;
pub use remote_error::RemoteError;

/// A theater's place among other theaters: made by [`join`](Self::join). Clones are the same.
#[derive(Clone)]
pub struct Network {
    inner: Arc<Handle>,
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
struct Handle(Arc<Inner>);

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

struct Inner {
    id: TheaterId,
    name: String,
    config: LinkConfig,
    /// Where what stands here for actors elsewhere lives.
    pool: Weak<dyn Submit>,
    clock: Arc<dyn Clock>,
    transport: OnceLock<Arc<dyn Transport>>,
    peers: Peers,
    members: Members,
    exports: Exports,
    grant_numbers: GrantNumbers,
    seats: Seats,
    questions: Questions,
    migrations: Migrations,
    owed: Owed,
    published: Published,
    accompanied: Accompanied,
    joined: Arc<Joined>,
    /// Whether mobile actors of the theater that have not been introduced are of this network, from the first on that it has created.
    has_natives: OnceLock<bool>,
}

impl Network {
    /// Has a theater join others. `connect` makes the way to them: it is given this theater's identity, and whom to tell what comes.
    /// The theater's actors can be referred to from elsewhere from here on, until it [leaves](Self::leave), or ends. When the last clone of the network is
    /// dropped it leaves at once, and what has not arrived is dead letters.
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
        let inner = Arc::new(Inner {
            id,
            name: theater.name().into(),
            config,
            pool: extend::pool(theater),
            clock: extend::clock(theater),
            transport: OnceLock::new(),
            peers: Peers::default(),
            members: Members::default(),
            exports: Exports::default(),
            grant_numbers: GrantNumbers::default(),
            seats: Seats::new(),
            questions: Questions::default(),
            migrations: Migrations::default(),
            owed: Owed::default(),
            published: Published::default(),
            accompanied: Accompanied::default(),
            joined: joined.clone(),
            has_natives: OnceLock::new(),
        });
        joined.set(&inner);
        let transport = connect(id, Arc::new(Ears(Arc::downgrade(&inner))))?;
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

    /// Leaves: all that has been sent to other theaters goes first, and what they send comes meanwhile; then they know that this one has
    /// left. `false`: not all have acknowledged that within `deadline`; what they have not acknowledged is dead letters. References to
    /// actors elsewhere are stopped.
    ///
    /// Call it before the theater's shutdown: what its actors send while they end has no way any more. A shutdown, and a theater that is dropped, does so
    /// itself, behind what is drained, and takes 300 ms at most for it.
    pub fn leave(&self, deadline: Duration) -> bool {
        self.inner.leave(deadline)
    }

    /// Whether the theater leaves, or has left.
    pub(crate) fn leaves(&self) -> bool {
        self.inner.peers.leaves()
    }

    /// The same network, not kept in it.
    pub(crate) fn is_of(&self, theater: &Theater) -> bool {
        extend::pool(theater).upgrade().is_some_and(|it| self.inner.is_of_this_theater(&*it))
    }

    pub(crate) fn downgrade(&self) -> WeakNetwork {
        WeakNetwork(Arc::downgrade(&self.inner))
    }

    /// The clock of the theater.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock.clone()
    }

    /// Creates an actor in the theater. `None`: that has ended.
    pub(crate) fn spawn<A: Actor>(&self, actor: A) -> Option<ActorRef<A::Msg>> {
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

    /// How many actors of this theater others refer to, and how many of theirs are referred to here.
    pub fn references(&self) -> (usize, usize) {
        (self.inner.exports.len(), self.inner.seats.elsewhere())
    }
}

impl Inner {
    fn now(&self) -> Duration {
        self.clock.now()
    }

    fn leave(self: &Arc<Self>, deadline: Duration) -> bool {
        self.peers.leave().iter().for_each(|peer| peer.leave(self));
        let have_gone = self.peers.wait_until_empty(deadline);
        self.peers.all().iter().for_each(|peer| peer.give_up(self));
        have_gone
    }

    fn tell_peer(self: &Arc<Self>, peer: &Arc<Peer>, control: &Control) {
        let _ = peer.push(channel::Channel::Control, &control.to_bytes());
        peer.transmit(self);
    }

    /// Those that refer to an actor of this theater are to know when it ends.
    fn tell_of_the_end_of(self: &Arc<Self>, inbound: &dyn Inbound) {
        let (network, actor) = (Arc::downgrade(self), inbound.actor());
        let watch = inbound.on_end(Box::new(move |reason| {
            let Some(network) = network.upgrade() else { return };
            for holder in network.exports.has_ended(actor, reason) {
                if let Some(peer) = network.peers.get(holder) {
                    peer.tell_later(Control::ended(actor, reason));
                    peer.transmit(&network);
                }
            }
        }));
        self.exports.is_watched(actor, watch);
    }

    /// Tells another theater that an actor of this one has ended, if it has; behind what has been pushed.
    fn tell_if_ended(self: &Arc<Self>, actor: u64, peer: &Arc<Peer>) {
        if let Some(reason) = self.exports.end_of(actor) {
            peer.tell_later(Control::ended(actor, reason));
            peer.transmit(self);
        }
    }

    fn is_of_this_theater(&self, stage: &dyn Submit) -> bool {
        let of_theater = |pool: Arc<dyn Submit>| Arc::ptr_eq(pool.theater(), stage.theater());
        self.pool.upgrade().is_some_and(of_theater)
    }
}

/// Hears for a theater what its transport tells, as long as it is there.
struct Ears(Weak<Inner>);

impl Listener for Ears {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        let Some(network) = self.0.upgrade() else { return };
        // No link takes it, and a greeting that is so long is none.
        if packet.len() > network.config.largest_incoming() {
            return;
        }
        // An ended link still has answers for the other side; what it cannot take is for the next one.
        if network
            .peers
            .ended(from, network.now())
            .is_some_and(|peer| peer.receive(&network, packet))
        {
            return;
        }
        let secret = network.config.secret.as_ref();
        let peer = match Greeting::of(packet, secret, network.id, from) {
            Greeting::None => network.peers.get(from),
            Greeting::Good => network.peers.get_or_meet(&network, from),
            Greeting::Foreign => return network.members.refused(from, Refusal::OtherSecret),
            Greeting::Refused(why, refusal) => {
                network.members.refused(from, why);
                if let Some(transport) = network.transport.get() {
                    send_by(&**transport, from, refusal);
                }
                return;
            }
        };
        if let Some(peer) = peer {
            peer.receive(&network, packet);
        }
    }

    fn appeared(&self, theater: TheaterId) {
        let Some(network) = self.0.upgrade() else { return };
        network.peers.note(theater, true);
        if let Some(peer) = network.peers.get_or_meet(&network, theater) {
            peer.transmit(&network);
        }
    }

    fn vanished(&self, theater: TheaterId) {
        // Whether it is dead, its link finds out.
        if let Some(network) = self.0.upgrade() {
            network.peers.note(theater, false);
            network.members.forget_refused(theater);
        }
    }

    fn foreign(&self, theater: TheaterId) {
        if let Some(network) = self.0.upgrade() {
            network.members.refused(theater, Refusal::OtherCluster);
        }
    }
}
