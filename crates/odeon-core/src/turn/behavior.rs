//! What the runtime asks of an actor: the one seam between turns and whatever is given them.
//!
//! Every [`Actor`] is a behavior. Others are written in this crate and its siblings: those that
//! handle messages in a way of their own, and those that stand around another one (*wrappers*). A
//! wrapper names the one [inside](Behavior::Inner) and says what differs: all else that one
//! answers.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::bounded::Bound;
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::Companion;
use crate::process::piped::Continuation;
use crate::process::vtable::AnyIntroduction;
use crate::turn::actor::Actor;
use crate::turn::context::Context;
use crate::turn::interior::Interior;
use crate::vocabulary::message::Message;

/// What can be given turns in which nothing is waited for. See the module; not for applications,
/// which implement [`Actor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor whose handlers never wait",
    note = "an `AsyncActor` is bounded with `Bounded::new_async`",
    note = "a `SpeculativeActor` is spawned with `spawn_speculative` and its like, and bounded by `Processing::bounded`",
    note = "a `ReadWriteActor` is spawned as what `ReadWriting::new` makes of it"
)]
pub trait Behavior: Send + Sized + 'static {
    /// What it can be sent.
    type Msg: Message;

    /// The behavior inside; [`NoInner`] if it is no wrapper.
    type Inner: Behavior<Msg = Self::Msg>;

    /// The one inside, if it is there.
    #[inline(always)]
    fn inner(&self) -> Option<&Self::Inner> {
        None
    }

    /// As [`inner`](Self::inner).
    #[inline(always)]
    fn inner_mut(&mut self) -> Option<&mut Self::Inner> {
        None
    }

    /// Handles one message.
    fn handle(&mut self, msg: Self::Msg, ctx: &mut Context<'_, Self>);

    /// As [`Actor::started`].
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if let Some(inner) = self.inner_mut() {
            ctx.lent_to(|ctx| inner.started(ctx));
        }
    }

    /// As [`Actor::stopped`].
    fn stopped(&mut self) {
        if let Some(inner) = self.inner_mut() {
            inner.stopped();
        }
    }

    /// As [`Actor::selection`].
    fn selection(&self) -> Selection {
        self.inner().map_or_else(Selection::default, Behavior::selection)
    }

    /// As [`Actor::guards`].
    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, Self::Msg>) {
        if let Some(inner) = self.inner() {
            inner.guards(guards);
        }
    }

    /// Goes on with the output of a pipe that the innermost one has begun.
    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        if let Some(inner) = self.inner_mut() {
            ctx.lent_to(|ctx| inner.go_on(continuation, ctx));
        }
    }

    /// It comes to a mark that was left among its messages ([`extend::mark`](crate::extend::mark)):
    /// what was sent before has been handled or waits in the interior. `true`: it wants to stop.
    fn marked(&mut self, interior: &mut Interior<'_, Self::Msg>) -> bool {
        self.inner_mut().is_some_and(|inner| inner.marked(interior))
    }

    /// Whether it ends because the theater is lost in which its own actor lives: for seats.
    fn is_lost(&self) -> bool {
        self.inner().is_some_and(Behavior::is_lost)
    }

    /// Whether there is a state to go on with.
    fn is_made(&self) -> bool {
        self.inner().is_none_or(Behavior::is_made)
    }

    /// What the actor is called in lines for people: the type that its user knows.
    fn type_name() -> &'static str {
        std::any::type_name::<Self>()
    }

    /// Whether its mailboxes have bounds, or, if its messages come with lanes, may
    /// [want](Self::wanted_bounds) some.
    const BOUNDED: bool = false;

    /// Whether each message comes with the lane of its sender (`messaging/lane.rs`).
    const LANED: bool = false;

    /// Whether messages may be deferred, to be handled later or by others: those below ask about
    /// that. A wrapper that says no keeps these questions from the one inside, which finds out by
    /// its cell.
    const DEFERS: bool = Self::LANED;

    /// Whether it takes another actor's messages from an inbox of its own
    /// (`messaging/shards.rs`); on the pool.
    const SERVES: bool = false;

    /// Whether it goes on with what it has deferred on every stage, those that own their actors
    /// too, and with bounds around it. It has one mailbox.
    const DEFERS_ANYWHERE: bool = false;

    /// Whether it may go on in another theater, so that account is kept of the timers that it
    /// begins for itself and of the questions for whose answers it waits: for seats.
    const MAY_MOVE: bool = false;

    /// How it is made known to a network that knows nothing of it (`extend/wire/native.rs`): for
    /// seats in which an actor has been created.
    const INTRODUCTION: Option<AnyIntroduction> = None;

    /// Takes a message with its sender's lane in its mailbox.
    fn take_laned(&mut self, msg: Self::Msg, lane: Lane, ctx: &mut Context<'_, Self>) {
        let _ = lane;
        self.handle(msg, ctx);
    }

    /// Takes a message that has come with a companion.
    fn take_accompanied(
        &mut self,
        msg: Self::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        drop(companion);
        self.take_laned(msg, lane, ctx);
    }

    /// Whether the next one is to be asked at all.
    fn has_deferred(&self) -> bool {
        self.inner().is_none_or(Behavior::has_deferred)
    }

    /// The inbox is empty: goes on with what has been deferred. `false`: there is nothing to do
    /// until a message or [`extend::wake`](crate::extend::wake) comes.
    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let Some(inner) = self.inner_mut() else { return false };
        let mut went_on = false;
        ctx.lent_to(|ctx| went_on = inner.handle_deferred(ctx));
        went_on
    }

    /// Of one that [serves](Self::SERVES) another: a turn ends although it may have something to
    /// do, which may be for long; or it `goes_idle`, after a turn for one message.
    fn turn_ends(&mut self, goes_idle: bool) {
        let _ = goes_idle;
    }

    /// Of one that [serves](Self::SERVES) another: whether a turn that has handled as many messages
    /// as it may is to go on until its time is over.
    fn extends_turn(&self) -> bool {
        false
    }

    /// On a stage that owns its actors, after each delivery: whether it wants to
    /// [go on](Self::handle_deferred) behind what has come already. For each `true` it is given one
    /// call.
    fn resumes(&mut self) -> bool {
        self.inner_mut().is_some_and(Behavior::resumes)
    }

    /// How many messages have been deferred.
    fn deferred(&self) -> usize {
        self.inner().map_or(0, Behavior::deferred)
    }

    /// How many of these count as pressure: not those that wait for what only another message can
    /// bring about, as those in a closed mailbox.
    fn pressing(&self) -> usize {
        self.inner().map_or_else(|| self.deferred(), Behavior::pressing)
    }

    /// The actor is to end: begins no more of what it has deferred. `false`: some of that is being
    /// handled at this moment by those that work for it, and it is to be asked again.
    fn may_end(&mut self) -> bool {
        self.inner_mut().is_none_or(Behavior::may_end)
    }

    /// The theater waits no longer for the actor, which may not end yet: whether it can end all the
    /// same, and leave what is being handled elsewhere behind.
    fn may_be_left_behind(&mut self) -> bool {
        self.inner_mut().is_some_and(Behavior::may_be_left_behind)
    }

    /// The actor is to see to what others request, or to go on with a pipe: it needs its state to
    /// itself. `false`: it is signalled again when it has.
    fn may_pause(&mut self) -> bool {
        self.inner_mut().is_none_or(Behavior::may_pause)
    }

    /// The actor is to be made anew: drops its state and keeps what it has deferred for the next
    /// one. `false`: all of it is to be dropped.
    fn shed(&mut self) -> bool {
        Self::DEFERS && self.inner_mut().is_some_and(Behavior::shed)
    }

    /// Goes on with the state of `new`, after it has [shed](Self::shed) its own.
    fn renew(&mut self, new: Self) {
        *self = new;
    }

    /// The actor ends: hands over the messages that it has deferred.
    fn give_back(&mut self, take: &mut dyn FnMut(Self::Msg)) {
        if let Some(inner) = self.inner_mut() {
            inner.give_back(take);
        }
    }

    /// The bounds that it wants, by mailbox, if they are known already.
    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.inner()?.wanted_bounds()
    }
}

impl<A: Actor> Behavior for A {
    type Msg = A::Msg;
    type Inner = NoInner<A::Msg>;

    #[inline(always)]
    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, A>) {
        Actor::handle(self, msg, ctx);
    }

    #[inline(always)]
    fn started(&mut self, ctx: &mut Context<'_, A>) {
        Actor::started(self, ctx);
    }

    fn stopped(&mut self) {
        Actor::stopped(self);
    }

    fn selection(&self) -> Selection {
        Actor::selection(self)
    }

    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        Actor::guards(self, guards);
    }

    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, A>) {
        continuation.run(self, ctx);
    }
}

/// What is inside of a behavior that is no wrapper: never anything.
pub struct NoInner<M> {
    pub(super) never: Infallible,
    _messages: PhantomData<fn(M)>,
}

impl<M: Message> Behavior for NoInner<M> {
    type Msg = M;
    type Inner = Self;

    fn handle(&mut self, _: M, _: &mut Context<'_, Self>) {
        match self.never {}
    }
}
