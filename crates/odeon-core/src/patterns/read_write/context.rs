//! What a read, and what a write can do during its turn.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::time::Duration;

use super::shared::SenderCell;
use super::{ReadWrite, ReadWriteActor, ReadWriting};
use crate::lifecycle::pipe::Pipe;
use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::reply::Reply;
use crate::turn::context::{Context, Stays};
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::error::{AskError, Elapsed};

/// A read's view of its surroundings. Other reads of the same actor may be under way at the same
/// moment, so it offers what several can do at once.
///
/// ```
/// # use odeon_core::*;
/// struct Heights { highest: u32 }
/// struct Look(Reply<u32>);
/// struct Set(u32);
/// # impl Message for Look {}
/// # impl Message for Set {}
///
/// impl ReadWriteActor for Heights {
///     type Read = Look;
///     type Write = Set;
///     fn read(&self, Look(reply): Look, ctx: &mut ReadContext<'_, Self>) {
///         if self.highest == 0 {
///             // A read cannot change the state: it asks itself for a write.
///             ctx.send_self(ReadWrite::Write(Set(1)));
///         }
///         reply.send(self.highest);
///     }
///     fn write(&mut self, Set(height): Set, _ctx: &mut WriteContext<'_, Self>) {
///         self.highest = self.highest.max(height);
///     }
/// }
/// # let theater = Theater::new()?;
/// # let heights = theater.spawn(ReadWriting::new(Heights { highest: 0 }, ReadWritePolicy::ArrivalOrder));
/// # assert_eq!(heights.ask_read(Look).wait(), Ok(0));
/// # while heights.ask_read(Look).wait() != Ok(1) {}
/// # Ok::<(), BuildError>(())
/// ```
pub struct ReadContext<'a, A: ReadWriteActor> {
    cell: &'a SenderCell<A>,
    stop: bool,
    _actor: PhantomData<fn(A)>,
    _stays: Stays,
}

impl<'a, A: ReadWriteActor> ReadContext<'a, A> {
    #[inline(always)]
    pub(super) fn new(cell: &'a SenderCell<A>) -> Self {
        Self { cell, stop: false, _actor: PhantomData, _stays: PhantomData }
    }

    #[inline(always)]
    pub(super) fn wants_stop(&self) -> bool {
        self.stop
    }

    /// The address of this actor. See [`Context::actor_ref`].
    pub fn actor_ref(&self) -> ActorRef<ReadWrite<A::Read, A::Write>> {
        // Beside the actor's own turn its phase keeps a reference, so that this is never the first
        // one.
        self.cell.header.revive_strong();
        // SAFETY: counted just above.
        unsafe { ActorRef::from_counted(NonNull::from(self.cell)) }
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        self.cell.header.id
    }

    /// Sends a message to this actor itself, behind what its mailbox holds already. If the theater
    /// has ended the actor meanwhile, the message is a dead letter.
    pub fn send_self(&self, message: ReadWrite<A::Read, A::Write>) {
        let me = self.actor_ref();
        if let Err(error) = me.send_unhindered(message) {
            me.dead_letter(error);
        }
    }

    /// Creates an actor on the stage of this one; from a dedicated stage, on the theater's pool.
    pub fn spawn<Kind, B: Spawnable<Kind>>(&self, actor: B) -> ActorRef<B::Msg> {
        actor.create(Location::beside(&self.cell.header))
    }

    /// A [`Reply`] whose answer comes to this actor as a message. See [`Context::reply_to`].
    pub fn reply_to<T, F>(&self, message: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> ReadWrite<A::Read, A::Write> + Send + 'static,
    {
        Reply::to_actor(self.actor_ref(), message)
    }

    /// Ends this actor after this read and those under way beside it. Messages still waiting go to
    /// the dead-letter hook.
    pub fn stop(&mut self) {
        self.stop = true;
    }
}

/// A write's view of its surroundings: it is alone, so this is the [`Context`] of the actor, with
/// all that that offers; what goes on later gets the state itself.
///
/// ```
/// # use odeon_core::*;
/// # use std::time::Duration;
/// struct Cache { page: String }
/// struct Get(Reply<String>);
/// enum Change { Set(String), Refresh }
/// # impl Message for Get {}
/// # impl Message for Change {}
///
/// impl ReadWriteActor for Cache {
///     type Read = Get;
///     type Write = Change;
///     fn started(&mut self, ctx: &mut WriteContext<'_, Self>) {
///         ctx.send_after(Duration::from_millis(1), ReadWrite::Write(Change::Refresh));
///     }
///     fn read(&self, Get(reply): Get, _ctx: &mut ReadContext<'_, Self>) { reply.send(self.page.clone()) }
///     fn write(&mut self, change: Change, ctx: &mut WriteContext<'_, Self>) {
///         match change {
///             Change::Set(page) => self.page = page,
///             Change::Refresh => {
///                 ctx.pipe(async { "new".to_string() }, |cache, page, _ctx| cache.page = page);
///             }
///         }
///     }
/// }
/// # let theater = Theater::new()?;
/// # let cache = theater.spawn(ReadWriting::new(Cache { page: String::new() }, ReadWritePolicy::ArrivalOrder));
/// # while cache.ask_read(Get).wait() != Ok("new".to_string()) {}
/// # cache.write(Change::Set("newer".into())).unwrap();
/// # Ok::<(), BuildError>(())
/// ```
pub struct WriteContext<'a, A: ReadWriteActor>(Context<'a, ReadWriting<A>>);

impl<'a, A: ReadWriteActor> WriteContext<'a, A> {
    #[inline(always)]
    pub(super) fn new(cell: &'a SenderCell<A>) -> Self {
        Self(Context::new(cell, None))
    }

    /// Runs `future` beside this actor and calls `go_on` with its output as a turn of this actor,
    /// alone with the state. See [`Context::pipe`].
    pub fn pipe<F, G>(&self, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, F::Output, &mut WriteContext<'_, A>) + Send + 'static,
    {
        self.0.pipe(future, alone_with(go_on))
    }

    /// As [`pipe`](Self::pipe), with a deadline. See [`Context::pipe_within`].
    ///
    /// # Panics
    /// As there.
    pub fn pipe_within<F, G>(&self, limit: Duration, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, Result<F::Output, Elapsed>, &mut WriteContext<'_, A>) + Send + 'static,
    {
        self.0.pipe_within(limit, future, alone_with(go_on))
    }

    /// Runs `task` on the pool, in parallel with this actor, and calls `then` with what it returns
    /// as a turn of this actor, alone with the state. See [`Context::fork`].
    pub fn fork<T, F, G>(&self, task: F, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, T, &mut WriteContext<'_, A>) + Send + 'static,
    {
        self.0.fork(task, alone_with(then))
    }

    /// Runs all `tasks` on the pool, and calls `then` with all that they return when the last one
    /// is over. See [`Context::fork_all`].
    pub fn fork_all<T, F, G>(&self, tasks: impl IntoIterator<Item = F>, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, Vec<T>, &mut WriteContext<'_, A>) + Send + 'static,
    {
        self.0.fork_all(tasks, alone_with(then))
    }
}

/// What goes on later, with the state.
fn alone_with<A: ReadWriteActor, T>(
    go_on: impl FnOnce(&mut A, T, &mut WriteContext<'_, A>) + Send + 'static,
) -> impl FnOnce(&mut ReadWriting<A>, T, &mut Context<'_, ReadWriting<A>>) + Send + 'static {
    move |actor, output, ctx| {
        // The core goes on with a pipe when it has been told that the actor is alone (`may_pause`).
        actor.alone(ctx, |state, ctx| go_on(state, output, ctx));
    }
}

impl<'a, A: ReadWriteActor> Deref for WriteContext<'a, A> {
    type Target = Context<'a, ReadWriting<A>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<A: ReadWriteActor> DerefMut for WriteContext<'_, A> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
