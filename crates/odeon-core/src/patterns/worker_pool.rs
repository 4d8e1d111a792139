//! Worker pools: several actors of one kind that share the messages sent to the pool.
//!
//! | question | file |
//! |---|---|
//! | sending, growing and shrinking | this one |
//! | which member gets a message | `patterns/worker_pool/routing.rs` |
//! | how it gets there, past members that have ended or are full | `patterns/worker_pool/sending.rs` |
//! | how a pool comes to be | `patterns/worker_pool/spawning.rs` |
//! | what a member is | `patterns/worker_pool/member.rs` |
//! | how a pool is found by its name | `patterns/worker_pool/named.rs` |
//! | how many messages a member has before it | `patterns/worker_pool/load.rs` |
//!
//! PROTOCOL
//! 1. Senders read the list of members without a lock; it is replaced as a whole, by one at a time.
//! 2. A member that is in no list any more has no reference from the pool. Senders that still read
//!    an older list have one. So it ends as unreachable (S11), when all that was sent to it is
//!    handled.
//! 3. Who finds all members of a list ended looks whether there is a newer list before giving up.
//!
//! Covered by `tests/s16_worker_pools.rs`.

mod load;
mod member;
pub(crate) mod named;
mod routing;
mod sending;
pub(crate) mod spawning;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use odeon_sync::Mutex;
use odeon_sync::atomic::AtomicU64;

use crate::lifecycle::timer::AskWithin;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::Ask;
use crate::messaging::ask::asker::AskedOne;
use crate::messaging::ask::kept::KeptQuestion;
use crate::messaging::ask::sending::Unsent;
use crate::messaging::reply::Reply;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::error::{SendError, TrySendError};
use crate::vocabulary::message::{Message, mailbox_of};
use member::LoadedMember;

pub use routing::Routing;

/// Several supervised actors of one kind, each of which can handle every message that is sent to
/// the pool. A handle: its clones are the same worker pool.
///
/// Members have numbers from 0 on. One that ends for good (its supervision gives it up, or it stops
/// itself) gets no more messages; the others get its part, until a [`resize`](Self::resize)
/// replaces it. When all handles are gone the members finish what they have been sent and end
/// (S11).
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
///     theater.actor().supervised(Supervision::new()).pool(4, Routing::LeastLoaded, |_number| Hasher);
/// assert_eq!(hashers.ask(|reply| Job::Hash("four".into(), reply)).wait()?, 4);
/// hashers.resize(8);
/// assert_eq!(hashers.len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorkerPool<M: Message> {
    inner: Arc<WorkerPoolShared<M>>,
}

struct WorkerPoolShared<M: Message> {
    members: ArcSwap<Vec<LoadedMember<M>>>,
    routing: Routing<M>,
    theater: Arc<TheaterShared>,
    /// Numbers the messages, for routing.
    sent: AtomicU64,
    make: Box<dyn Fn(usize) -> LoadedMember<M> + Send + Sync>,
    /// Held by whoever replaces the list.
    replacing: Mutex<()>,
}

impl<M: Message> WorkerPool<M> {
    fn new(
        size: usize,
        routing: Routing<M>,
        theater: Arc<TheaterShared>,
        make_member: impl Fn(usize) -> LoadedMember<M> + Send + Sync + 'static,
    ) -> Self {
        let inner = WorkerPoolShared {
            members: ArcSwap::from_pointee((0..size).map(&make_member).collect()),
            routing,
            theater,
            sent: AtomicU64::new(0),
            make: Box::new(make_member),
            replacing: Mutex::new(()),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Sends a message to one of the members; which one is the [`Routing`]'s choice. Then as
    /// [`ActorRef::send`].
    ///
    /// Costs that and 5 to 10 ns for a number that all senders share; with [`Routing::LeastLoaded`]
    /// some 15 more for the load; with [`Routing::ByKey`], instead of both, some 4 for each member.
    ///
    /// # Errors
    /// Gives the message back if all members have ended. If members are [`Bounded`](crate::Bounded)
    /// to reject, when all of them are full, or with [`Routing::ByKey`] the one that has the key.
    ///
    /// # Panics
    /// As [`ActorRef::send`], and if the function of [`Routing::ByKey`] does.
    #[track_caller]
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        self.inner.send(message, ActorRef::send)
    }

    /// As [`send`](Self::send), but gives the message back also if the sender would have to hold
    /// back for each of the members, or with [`Routing::ByKey`] for the one that has the key.
    ///
    /// # Errors
    /// As [`ActorRef::try_send`].
    ///
    /// # Panics
    /// As [`send`](Self::send).
    #[track_caller]
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        self.inner.send(message, ActorRef::try_send)
    }

    /// As [`send`](Self::send), but waits as a future before it sends, as [`ActorRef::send_async`]
    /// does: for the member that is chosen at first, or for another one if that ends meanwhile.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    ///
    /// # Cancellation
    /// Dropped before it is ready, the future drops the message; nothing has been sent then.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    pub async fn send_async(&self, message: M) -> Result<(), SendError<M>> {
        let mut message = message;
        loop {
            let members = self.inner.members.load_full();
            let Some(number) = self.inner.choose_live(&members, &message) else {
                if Arc::ptr_eq(&members, &self.inner.members.load()) {
                    return Err(SendError::Stopped(message));
                }
                continue;
            };
            // While this waits, a smaller pool lets go of the others.
            let member = members[number].clone();
            drop(members);
            message = match member.send_async(message).await {
                Ok(()) => return Ok(()),
                Err(SendError::Stopped(returned)) => returned,
                Err(SendError::Full(returned)) => {
                    let members = self.inner.members.load();
                    let sent =
                        self.inner.route_past_full(number, &members, returned, &ActorRef::try_send);
                    return sent.map_err(|error| SendError::Full(error.into_message()));
                }
            };
        }
    }

    /// Asks one of the members, as [`ActorRef::ask`] does.
    ///
    /// # Panics
    /// Not here, but where a member waits in its handler for the answer to a question that it has
    /// got itself, as in a pool of one: it could only give it afterwards.
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Ask<T> {
        let (answer_to, ask) = Ask::pair();
        let (asked, question) = (AskedOne::default(), question(answer_to));
        match self.inner.send(question, |member, question| send_noted(member, question, &asked)) {
            Ok(()) => ask.of_one(asked),
            Err(unsent) => ask.unsent(unsent, |question| {
                let to = self.clone();
                KeptQuestion::new(async move { to.send_async(question).await })
            }),
        }
    }

    /// Asks one of the members, with a deadline, as [`ActorRef::ask_within`] does.
    pub fn ask_within<T: Send + 'static>(
        &self,
        limit: Duration,
        question: impl FnOnce(Reply<T>) -> M,
    ) -> AskWithin<T> {
        let (reply, answer) = AskWithin::to_come(&self.inner.theater, limit);
        let (asked, question) = (AskedOne::default(), question(reply));
        let sent =
            self.inner.send(question, |member, question| send_noted(member, question, &asked));
        let answer = AskWithin::asked(answer, sent, |question| {
            let to = self.clone();
            KeptQuestion::new(async move { to.send_async(question).await })
        });
        answer.of_one(asked)
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
    /// Surplus members handle what they have been sent and then end, if nobody else has a reference
    /// to them (S11). One that is made under their number may start before that. With
    /// [`Routing::ByKey`] only those keys move that must: from 8 to 10 members, every fifth. Of
    /// such a key, messages sent before may be handled after those sent later.
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

    fn replace(
        &self,
        with: impl FnOnce(&[LoadedMember<M>]) -> Vec<LoadedMember<M>>,
    ) -> Arc<Vec<LoadedMember<M>>> {
        let _alone =
            self.inner.replacing.lock().expect("nothing panics while members are replaced");
        let new = with(&self.inner.members.load());
        self.inner.members.swap(Arc::new(new))
    }
}

/// Sends a member a question, and notes who asks it.
fn send_noted<M: Message>(
    member: &ActorRef<M>,
    question: M,
    asked: &AskedOne,
) -> Result<(), Unsent<M>> {
    member.send_or_keep(mailbox_of(&question), question)?;
    asked.is(member);
    Ok(())
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
