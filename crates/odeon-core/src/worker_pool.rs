//! Worker pools: several actors of one kind that share the messages sent to the pool.
//!
//! | question | file |
//! |---|---|
//! | sending, growing and shrinking | this one |
//! | which member gets a message | `worker_pool/routing.rs` |
//! | how a pool comes to be | `worker_pool/spawning.rs` |
//! | what a member is | `worker_pool/member.rs` |
//! | how many messages a member has before it | `worker_pool/load.rs` |
//!
//! PROTOCOL
//! 1. Senders read the list of members without a lock; it is replaced as a whole, by one at a time.
//! 2. A member that is in no list any more has no reference from the pool. Senders that still read an
//!    older list have one. So it ends as unreachable (S11), when all that was sent to it is handled.
//! 3. Who finds all members of a list ended looks whether there is a newer list before giving up.
//!
//! Covered by `tests/s16_worker_pools.rs`.

mod load;
mod member;
mod routing;
pub(crate) mod spawning;

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering};

use crate::actor_ref::ActorRef;
use crate::ask::Ask;
use crate::error::SendError;
use crate::message::Message;
use crate::reply::Reply;
use member::Member;

pub use routing::Routing;

/// Several supervised actors of one kind, each of which can handle every message that is sent to the
/// pool. A handle: its clones are the same worker pool.
///
/// Members have numbers from 0 on. One that ends for good (its supervision gives it up, or it stops
/// itself) gets no more messages; the others get its part, until a [`resize`](Self::resize) replaces it.
/// When all handles are gone the members finish what they have been sent and end (S11).
///
/// ```
/// # use odeon_core::*;
/// struct Hasher;
/// enum Job { Hash(String, Reply<usize>) }
/// # impl Message for Job {}
/// impl Actor for Hasher {
///     type Msg = Job;
///     fn handle(&mut self, Job::Hash(text, reply): Job, _: &mut Context<'_, Self>) {
///         reply.send(text.len());
///     }
/// }
///
/// let theater = Theater::new()?;
/// let hashers =
///     theater.spawn_worker_pool(4, Routing::LeastLoaded, Supervision::new(), |_number| Hasher);
/// assert_eq!(hashers.ask(|reply| Job::Hash("four".into(), reply)).wait()?, 4);
/// hashers.resize(8);
/// assert_eq!(hashers.len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorkerPool<M: Message> {
    inner: Arc<Inner<M>>,
}

struct Inner<M: Message> {
    members: ArcSwap<Vec<Member<M>>>,
    routing: Routing<M>,
    /// Numbers the messages, for routing.
    sent: AtomicU64,
    make: Box<dyn Fn(usize) -> Member<M> + Send + Sync>,
    /// Held by whoever replaces the list.
    replacing: Mutex<()>,
}

impl<M: Message> WorkerPool<M> {
    fn new(
        size: usize,
        routing: Routing<M>,
        make_member: impl Fn(usize) -> Member<M> + Send + Sync + 'static,
    ) -> Self {
        let inner = Inner {
            members: ArcSwap::from_pointee((0..size).map(&make_member).collect()),
            routing,
            sent: AtomicU64::new(0),
            make: Box::new(make_member),
            replacing: Mutex::new(()),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Sends a message to one of the members; which one is the [`Routing`]'s choice. Then as
    /// [`ActorRef::send`].
    ///
    /// Costs that and 5 to 10 ns for a number that all senders share; with [`Routing::LeastLoaded`] some 15
    /// more for the load; with [`Routing::ByKey`], instead of both, some 4 for each member.
    ///
    /// # Errors
    /// Gives the message back if all members have ended. If members are [`Bounded`](crate::Bounded) to reject,
    /// when all of them are full, or with [`Routing::ByKey`] the one that has the key.
    ///
    /// # Panics
    /// As [`ActorRef::send`], and if the function of [`Routing::ByKey`] does.
    #[track_caller]
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        let mut message = message;
        loop {
            let members = self.inner.members.load();
            match self.inner.route(&members, message) {
                Ok(()) => return Ok(()),
                Err(SendError::Full(returned)) => return Err(SendError::Full(returned)),
                Err(SendError::Stopped(returned)) => message = returned,
            }
            if Arc::ptr_eq(&members, &self.inner.members.load()) {
                return Err(SendError::Stopped(message));
            }
        }
    }

    /// Asks one of the members, as [`ActorRef::ask`] does.
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Ask<T> {
        Ask::by(question, |question| self.send(question))
    }

    /// How many members have not ended. Looks at each of them.
    pub fn len(&self) -> usize {
        self.inner.members.load().iter().filter(|member| !member.actor.is_stopped()).count()
    }

    /// Whether all members have ended, so that [`send`](Self::send) gives messages back.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members that have not ended. A reference keeps its member also if the pool shrinks.
    pub fn members(&self) -> Vec<ActorRef<M>> {
        let members = self.inner.members.load();
        let live = members.iter().map(|member| &member.actor).filter(|actor| !actor.is_stopped());
        live.cloned().collect()
    }

    /// Gives the pool the members numbered 0 to `size - 1`: makes those that are missing or have
    /// ended, and lets go of the surplus.
    ///
    /// Surplus members handle what they have been sent and then end, if nobody else has a reference to
    /// them (S11). One that is made under their number may start before that. With [`Routing::ByKey`]
    /// only those keys move that must: from 8 to 10 members, every fifth. Of such a key, messages sent
    /// before may be handled after those sent later.
    pub fn resize(&self, size: usize) {
        self.replace(|old| {
            let member = |number: usize| match old.get(number) {
                Some(member) if !member.actor.is_stopped() => member.clone(),
                _ => (self.inner.make)(number),
            };
            (0..size).map(member).collect()
        });
    }

    /// Stops all members, as [`ActorRef::stop`] does: what waits goes to the dead-letter hook.
    /// [`resize(0)`](Self::resize) lets them finish first. A later `resize` makes new ones.
    pub fn stop(&self) {
        let old = self.replace(|_| Vec::new());
        old.iter().for_each(|member| member.actor.stop());
    }

    fn replace(&self, with: impl FnOnce(&[Member<M>]) -> Vec<Member<M>>) -> Arc<Vec<Member<M>>> {
        let _alone =
            self.inner.replacing.lock().expect("nothing panics while members are replaced");
        let new = with(&self.inner.members.load());
        self.inner.members.swap(Arc::new(new))
    }
}

impl<M: Message> Inner<M> {
    /// Sends the message to one of `members`; gives it back if they have all ended or are full.
    #[inline]
    #[track_caller]
    fn route(&self, members: &[Member<M>], message: M) -> Result<(), SendError<M>> {
        if members.is_empty() {
            return Err(SendError::Stopped(message));
        }
        // ORDERING: Relaxed: a number that is the sender's own; it orders nothing.
        let number = || self.sent.fetch_add(1, Ordering::Relaxed);
        let (choice, member) = match &self.routing {
            Routing::RoundRobin => {
                let number = number();
                (number, (number % members.len() as u64) as usize)
            }
            Routing::LeastLoaded => {
                let number = number();
                let load = |member: usize| members[member].load();
                (number, routing::less_loaded(number, members.len(), load))
            }
            Routing::ByKey(key) => {
                let key = key(&message);
                (key, routing::best_of(key, 0..members.len()).expect("there are members"))
            }
        };
        match members[member].send(message) {
            Ok(()) => Ok(()),
            Err(SendError::Stopped(returned)) => self.route_to_another(choice, members, returned),
            Err(SendError::Full(returned)) => self.route_past_full(member, members, returned),
        }
    }

    /// The chosen member has ended: one of the others gets the message, the same for the same `choice` and
    /// the same members.
    #[cold]
    #[track_caller]
    fn route_to_another(
        &self,
        choice: u64,
        members: &[Member<M>],
        message: M,
    ) -> Result<(), SendError<M>> {
        let mut message = message;
        loop {
            let live = |number: &usize| !members[*number].actor.is_stopped();
            let numbers = (0..members.len()).filter(live);
            let Some(member) = routing::best_of(choice, numbers) else {
                return Err(SendError::Stopped(message));
            };
            match members[member].send(message) {
                Ok(()) => return Ok(()),
                Err(SendError::Stopped(returned)) => message = returned,
                Err(SendError::Full(returned)) => {
                    return self.route_past_full(member, members, returned);
                }
            }
        }
    }

    /// The chosen member is full and rejects the message: the others are tried in turn, unless it has to go
    /// to this one.
    #[cold]
    #[track_caller]
    fn route_past_full(
        &self,
        full: usize,
        members: &[Member<M>],
        message: M,
    ) -> Result<(), SendError<M>> {
        let mut message = message;
        if !matches!(self.routing, Routing::ByKey(_)) {
            for member in (1..members.len()).map(|next| (full + next) % members.len()) {
                match members[member].send(message) {
                    Ok(()) => return Ok(()),
                    Err(error) => message = error.into_message(),
                }
            }
        }
        Err(SendError::Full(message))
    }
}

impl<M: Message> Clone for WorkerPool<M> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<M: Message> fmt::Debug for WorkerPool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerPool")
            .field("members", &self.len())
            .field("routing", &self.inner.routing)
            .finish_non_exhaustive()
    }
}
