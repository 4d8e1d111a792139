//! Actors and references themselves are asked to move.

use odeon_core::extend::Behavior;
use std::sync::{Arc, Weak};

use odeon_core::wire::{Guest, Kind, Mobile, OfKind, kind_of, spawn_guest};
use odeon_core::{ActorRef, Ask, Context, Message, extend};
use odeon_sync::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::network::inner::Inner;
use crate::network::migration::natives::Claim;
use crate::{MigrateError, Migrated, Network, TheaterId};

/// To ask an actor, by a reference or in its own handler, to move to another theater: see
/// [`Network::migrate`].
///
/// ```
/// # use odeon_core::*;
/// # use odeon_theater::*;
/// # use serde::{Deserialize, Serialize};
/// # use std::time::Duration;
/// # #[derive(Serialize, Deserialize)]
/// # struct Account { balance: u64 }
/// # #[derive(Serialize, Deserialize)]
/// # enum Use { Deposit(u64), Balance(Reply<u64>) }
/// # impl Message for Use {}
/// # impl Actor for Account {
/// #     type Msg = Use;
/// #     fn handle(&mut self, msg: Use, _: &mut Context<'_, Self>) {
/// #         match msg { Use::Deposit(n) => self.balance += n, Use::Balance(reply) => reply.send(self.balance) }
/// #     }
/// # }
/// # impl Mobile for Account { const KIND: &'static str = "account"; }
/// # let net = InMemoryNetwork::new(1);
/// # let theaters = [Theater::new()?, Theater::new()?];
/// # let join = |n: usize| Network::join(&theaters[n], TheaterId::from_bits(n as u128 + 1), LinkConfig::new("example", 65_000), |id, ears| {
/// #     Ok::<_, std::convert::Infallible>(std::sync::Arc::new(net.join(id, ears)))
/// # }).unwrap();
/// # let (here, there) = (join(0), join(1));
/// # let (ends, begun) = (std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)), std::time::Instant::now());
/// # let driver = { let (net, ends) = (net.clone(), ends.clone()); std::thread::spawn(move || while !ends.load(std::sync::atomic::Ordering::SeqCst) {
/// #     net.step(begun.elapsed()); std::thread::sleep(Duration::from_micros(200));
/// # })};
/// there.register_mobile::<Account>();
/// let account = here.spawn_mobile(Account { balance: 1 });
/// account.send(Use::Deposit(2))?;
/// let moved = account.migrate(there.id()).wait()??;
/// assert!(moved.bytes > 0);
/// assert_eq!(account.ask(Use::Balance).wait()?, 3);
/// # ends.store(true, std::sync::atomic::Ordering::SeqCst);
/// # driver.join().unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Migrate {
    /// Has the actor move, as [`Network::migrate`] does. If the actor's theater has joined no
    /// network, the answer is [`MigrateError::NotMobile`], or [`MigrateError::Stopped`] if the
    /// actor has stopped; if several, it is asked of the one that has been joined last: of another
    /// one [`Network::migrate`] is to be asked.
    fn migrate(&self, to: TheaterId) -> Ask<Result<Migrated, MigrateError>>;
}

impl<M: Message> Migrate for ActorRef<M> {
    fn migrate(&self, to: TheaterId) -> Ask<Result<Migrated, MigrateError>> {
        let joined = extend::belonging_at::<Joined, M>(self);
        match joined.network() {
            Some(network) => network.migrate(self, to),
            None => {
                let (reply, ask) = extend::question();
                let has_ended = self.is_stopped();
                let why = if has_ended { MigrateError::Stopped } else { MigrateError::NotMobile };
                reply.send(Err(why));
                ask
            }
        }
    }
}

/// For the actor itself. The answer comes when it sits elsewhere: it is for others to wait for.
impl<A: Behavior> Migrate for Context<'_, A> {
    fn migrate(&self, to: TheaterId) -> Ask<Result<Migrated, MigrateError>> {
        self.actor_ref().migrate(to)
    }
}

/// What a theater's networks have in common.
#[derive(Default)]
pub(in crate::network) struct Joined {
    /// The one that it has joined last.
    last: Mutex<Weak<Inner>>,
    natives: Arc<Claim>,
}

impl Joined {
    pub(in crate::network) fn set(&self, network: &Arc<Inner>) {
        *self.last.lock().expect("nothing panics under this lock") = Arc::downgrade(network);
    }

    pub(in crate::network) fn natives(&self) -> Arc<Claim> {
        self.natives.clone()
    }

    fn network(&self) -> Option<Arc<Inner>> {
        self.last.lock().expect("nothing panics under this lock").upgrade()
    }
}

impl Network {
    /// Creates an actor that may move to other theaters, on the pool of this one.
    ///
    /// # Panics
    /// If the theater has been dropped.
    pub fn spawn_mobile<A: Mobile>(&self, actor: A) -> ActorRef<A::Msg> {
        self.inner.spawn_mobile(actor).expect("the theater has been dropped")
    }

    /// Lets actors of this type come here.
    pub fn register_mobile<A: Mobile>(&self) {
        self.register_kind(Arc::new(kind_of::<A>()));
    }

    pub(crate) fn register_kind(&self, kind: Arc<dyn Kind>) {
        self.inner.migrations.register(kind);
    }

    /// Creates an actor whose messages come with lanes.
    pub(crate) fn spawn_guest<M, G>(&self, guest: G) -> ActorRef<M>
    where
        M: Message + Serialize + DeserializeOwned,
        G: Guest<M> + OfKind + 'static,
    {
        let spawned = self.inner.spawn_seated(|stage| spawn_guest(stage, guest));
        spawned.expect("the theater has been dropped")
    }

    /// As [`register`](Self::register), for mobile actors: others may have them created here, and
    /// they may come and go.
    pub fn register_mobile_by<T, A>(
        &self,
        kind: &str,
        make: impl Fn(T) -> A + Send + Sync + 'static,
    ) where
        T: DeserializeOwned,
        A: Mobile,
    {
        self.register_mobile::<A>();
        let network = Arc::downgrade(&self.inner);
        self.register(kind, move |arguments| {
            let network = network.upgrade().expect("whoever asks is told by the network");
            network.spawn_mobile(make(arguments)).expect("the theater has been dropped")
        });
    }

    /// Has a mobile actor move to a theater, wherever it is. It moves when it has handled what was
    /// sent to it before; the answer comes when it sits there, or says why it stays where it is.
    ///
    /// All references lead to it as before, and what one sender sends stays in its order. With it
    /// go its state, its guards, the messages that wait, and the timers that it has begun for
    /// itself ([`Context::send_after`]). Answers to its questions come after it, and so do messages
    /// of other timers, as long as anybody in the theater where they were asked for refers to it.
    pub fn migrate<M: Message>(
        &self,
        actor: &ActorRef<M>,
        to: TheaterId,
    ) -> Ask<Result<Migrated, MigrateError>> {
        self.inner.migrate(actor, to)
    }
}
