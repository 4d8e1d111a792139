//! What a handler can do during its turn.

mod guarding;

use crate::mailbox::Guards;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::reply::Reply;
use crate::process::cell::MessageCell;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::theater_shared::TheaterShared;
use crate::turn::behavior::Behavior;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::error::AskError;
use crate::vocabulary::message::Message;
use std::marker::PhantomData;

/// The actor's view of its surroundings while it handles one message.
#[repr(C)]
pub struct Context<'a, A: Behavior> {
    cell: &'a MessageCell<A::Msg>,
    guards: Option<&'a mut Guards>,
    stop: bool,
    _actor: PhantomData<fn(A)>,
    _stays: Stays,
}

/// Named by the compiler where a context is moved to another thread.
pub(crate) trait OnlyInItsTurnUseActorRef {}

pub(crate) type Stays = PhantomData<*const dyn OnlyInItsTurnUseActorRef>;

impl<'a, A: Behavior> Context<'a, A> {
    #[inline(always)]
    pub(crate) fn new(cell: &'a MessageCell<A::Msg>, guards: Option<&'a mut Guards>) -> Self {
        Self { cell, guards, stop: false, _actor: PhantomData, _stays: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn wants_stop(&self) -> bool {
        self.stop
    }

    /// This actor, its message type forgotten.
    pub(crate) fn erased(&self) -> ErasedWeakRef {
        ErasedWeakRef::new(&self.cell.header)
    }

    /// The guards of an actor with several mailboxes. With one there are none: compile error.
    pub(crate) fn guards_mut(&mut self) -> &mut Guards {
        const { assert!(A::Msg::MAILBOXES > 1, "guards need a message type with several mailboxes") };
        self.guards.as_mut().expect("an actor with several mailboxes has guards")
    }

    /// Whether the message being handled, if it is an answer, is one that was only looked at.
    pub(crate) fn settle_answer(&mut self, handled: bool) {
        if let Some(guards) = self.guards.as_deref_mut() {
            guards.settle_answer(handled);
        }
    }

    /// As [`guards_mut`](Self::guards_mut), to be looked at; `None` with one mailbox.
    #[inline(always)]
    pub(crate) fn guards(&self) -> Option<Guards> {
        if A::Msg::MAILBOXES == 1 {
            return None;
        }
        self.guards.as_deref().copied()
    }

    pub(crate) fn cell(&self) -> &'a MessageCell<A::Msg> {
        self.cell
    }

    /// The theater of this actor.
    pub(crate) fn theater(&self) -> &TheaterShared {
        self.cell.header.stage.theater()
    }

    /// Lets an actor inside this one, of the same messages, work in its place.
    #[inline(always)]
    pub(crate) fn lent_to<B: Behavior<Msg = A::Msg>>(
        &mut self,
        work: impl FnOnce(&mut Context<'_, B>),
    ) {
        let lent = std::ptr::from_mut(self).cast::<Context<'_, B>>();
        // SAFETY: the layout is fixed, and the two types differ in the marker alone, as both actors
        // have the same messages. Not copied: that would be read before what is written a moment
        // ago is in the cache.
        work(unsafe { &mut *lent });
    }

    /// The address of this actor. Each call makes a new strong reference; an actor that keeps one
    /// in its own state keeps itself alive.
    pub fn actor_ref(&self) -> ActorRef<A::Msg> {
        ActorRef::in_turn_of(self.cell)
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        self.cell.header.id
    }

    /// Sends a message to this actor itself, behind what its mailbox holds already.
    pub fn send_self(&self, message: A::Msg) {
        if let Err(returned) = self.actor_ref().send_unhindered(message) {
            // Only `stopped`, which has no context, runs after the mailbox is closed.
            unreachable!("an actor in its own turn has not stopped: {returned:?}");
        }
    }

    /// Ends this actor after the message being handled. Messages still waiting go to the
    /// dead-letter hook.
    pub fn stop(&mut self) {
        self.stop = true;
    }

    /// A [`Reply`] whose answer comes to this actor as a message. Put it into a question to another
    /// actor: asking this way blocks nothing.
    ///
    /// `message` turns the answer, or the reason why there is none, into one of this actor's
    /// messages. If it captures nothing (a variant's constructor, a plain closure) nothing is
    /// allocated. It runs where the answer is given, or dropped: in a handler of the answerer,
    /// which waits for it. A panic in it is a failure of this actor and not of the answerer (S5).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// struct Doubler;
    /// enum Double { It(u32, Reply<u32>) }
    /// impl Message for Double {}
    /// impl Actor for Doubler {
    ///     type Msg = Double;
    ///     fn handle(&mut self, Double::It(n, reply): Double, _: &mut Context<'_, Self>) {
    ///         reply.send(2 * n);
    ///     }
    /// }
    ///
    /// struct Asker { doubler: ActorRef<Double>, out: Sender<u32> }
    /// enum Ask { Start, Answer(Result<u32, AskError>) }
    /// impl Message for Ask {}
    /// impl Actor for Asker {
    ///     type Msg = Ask;
    ///     fn handle(&mut self, msg: Ask, ctx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Ask::Start => {
    ///                 let reply = ctx.reply_to(Ask::Answer);
    ///                 self.doubler.send(Double::It(21, reply)).unwrap();
    ///             }
    ///             Ask::Answer(answer) => self.out.send(answer.unwrap()).unwrap(),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new().unwrap();
    /// # let (out, answers) = channel();
    /// # let asker = theater.spawn(Asker { doubler: theater.spawn(Doubler), out });
    /// # asker.send(Ask::Start).unwrap();
    /// # assert_eq!(answers.recv().unwrap(), 42);
    /// ```
    pub fn reply_to<T, F>(&self, message: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    {
        Reply::to_actor(self.actor_ref(), message)
    }
}
