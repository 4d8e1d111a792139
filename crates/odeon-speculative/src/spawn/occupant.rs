//! A speculative actor inside another actor, which gives it its turns and its messages: the one
//! that sits in its seat in a theater, and can be taken out of it (`odeon-coordination`).

use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::quietly;
use crate::executor::dispatcher::Dispatcher;
use crate::executor::engine::{EndsWithMaker, Engine, Surroundings};
use crate::executor::job::Job;
use crate::processing::{Ordering, Processing};
use odeon_core::extend::{self, Behavior, Companion, Lane};
use odeon_core::{ActorRef, Context, Message};
use std::fmt;
use std::sync::Arc;

/// See the module. A message that fails vanishes, and the actor goes on with its last good state.
pub struct Occupant<A: SpeculativeActor> {
    /// Ends before the engine does.
    dispatcher: Option<Dispatcher<A>>,
    engine: EndsWithMaker<A>,
    state: Arc<A>,
    processing: Processing,
    surroundings: Surroundings,
    /// Once it is to leave: how many messages of transactions may still come that have nothing here
    /// yet.
    visits_left: Option<u32>,
}

/// TUNE: messages of new transactions that a speculative actor takes while it is to leave, guessed
/// 2026-11. Each is one that need not be begun again, and may keep the actor for as long as it
/// takes.
const MOST_VISITS: u32 = 64;

impl<A: SpeculativeActor> Occupant<A> {
    /// An actor that has handled nothing here yet.
    ///
    /// # Panics
    /// If its messages have several mailboxes and are to be handled in the order of arrival, and if
    /// the processing bounds mailboxes.
    #[track_caller]
    pub fn new(state: A, processing: Processing, surroundings: Surroundings) -> Self {
        assert!(
            A::Msg::MAILBOXES == 1 || processing.ordering != Ordering::Mailbox,
            "the order of arrival is for actors with one mailbox"
        );
        assert!(processing.bounds.is_empty(), "a mobile actor has no bounded mailboxes");
        Self::of(Arc::new(state), processing, surroundings)
    }

    fn of(state: Arc<A>, processing: Processing, surroundings: Surroundings) -> Self {
        let engine = Engine::new(state.clone(), &processing, surroundings.clone());
        let engine = EndsWithMaker(Arc::new(engine));
        Self { dispatcher: None, engine, state, processing, surroundings, visits_left: None }
    }

    /// Its state.
    pub fn state(&self) -> &A {
        &self.state
    }

    /// How it is processed.
    pub fn processing(&self) -> &Processing {
        &self.processing
    }

    /// Has the actor do something in a turn of the one around it. `None`: a message has failed.
    fn within<B: Behavior<Msg = A::Msg>, R>(
        &mut self,
        ctx: &mut Context<'_, B>,
        work: impl FnOnce(&mut Dispatcher<A>, &mut Context<'_, Dispatcher<A>>) -> R,
    ) -> Option<R> {
        let (engine, ordering) = (&self.engine.0, self.processing.ordering);
        let dispatcher =
            self.dispatcher.get_or_insert_with(|| Dispatcher::new(engine.clone(), ordering, None));
        let mut result = None;
        extend::lend(ctx, |ctx| {
            // Its engine has counted the failure.
            result = quietly(|| work(dispatcher, ctx));
        });
        result
    }

    /// It begins.
    pub fn started<B: Behavior<Msg = A::Msg>>(&mut self, ctx: &mut Context<'_, B>) {
        self.within(ctx, |inside, ctx| inside.started(ctx));
    }

    /// Takes a message.
    pub fn take<B: Behavior<Msg = A::Msg>>(
        &mut self,
        message: A::Msg,
        lane: Lane,
        ctx: &mut Context<'_, B>,
    ) {
        self.within(ctx, |inside, ctx| inside.take_laned(message, lane, ctx));
    }

    /// Takes a message of a coordinated transaction.
    pub fn take_with<B: Behavior<Msg = A::Msg>>(
        &mut self,
        message: A::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, B>,
    ) {
        let is_known = || self.engine.0.is_visited_by(&companion);
        match &mut self.visits_left {
            None => {}
            Some(0) if is_known() => {}
            Some(0) => {
                // Dropped, it tells the transaction.
                drop(companion);
                return extend::dead_letter(&ctx.actor_ref(), message);
            }
            Some(left) => *left -= 1,
        }
        self.within(ctx, |inside, ctx| inside.take_accompanied(message, lane, companion, ctx));
    }

    /// Goes on with what it has taken. `false`: there is nothing to do until more comes, or the
    /// actor around it is woken.
    pub fn go_on<B: Behavior<Msg = A::Msg>>(&mut self, ctx: &mut Context<'_, B>) -> bool {
        // After a failure it is looked at once more.
        self.within(ctx, |inside, ctx| inside.handle_deferred(ctx)).unwrap_or(true)
    }

    /// How many messages it has taken that wait.
    pub fn deferred(&self) -> usize {
        self.dispatcher.as_ref().map_or(0, Behavior::deferred)
    }

    /// How many of these count as pressure.
    pub fn pressing(&self) -> usize {
        self.dispatcher.as_ref().map_or(0, Behavior::pressing)
    }

    /// It is to end. `false`: some of its messages are being handled, and it is to be asked again.
    pub fn may_end(&mut self) -> bool {
        self.dispatcher.as_mut().is_none_or(Behavior::may_end)
    }

    /// It ends: hands over what it has not handled.
    pub fn give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        if let Some(inside) = &mut self.dispatcher {
            inside.give_back(take);
        }
    }

    /// It has ended.
    pub fn stopped(&mut self) {
        self.state.stopped();
    }

    /// It is to leave: begins no more messages, but those that a coordinated transaction waits for,
    /// which is at it. Answers whether no attempt is under way, and no transaction at it. `me` is
    /// the actor around it, which is woken when that may be so.
    ///
    /// Of transactions that begin from here on so many come here that it leaves sooner or later;
    /// the others lose their messages.
    pub fn may_leave(&mut self, me: impl FnOnce() -> ActorRef<A::Msg>) -> bool {
        self.visits_left.get_or_insert(MOST_VISITS);
        let Some(inside) = &mut self.dispatcher else { return true };
        inside.bring_taken(me);
        self.engine.0.comes_to_rest()
    }

    /// It is not to leave after all.
    pub fn stays(&mut self) {
        self.visits_left = None;
        self.engine.0.goes_on();
    }

    /// It [may leave](Self::may_leave), and does: hands over what it has not handled, that of each
    /// lane in its order, with the mailboxes. It could go on with what it is given.
    pub fn hand_over(&mut self, take: &mut dyn FnMut(A::Msg, usize, Option<Lane>)) {
        self.visits_left = None;
        if self.dispatcher.take().is_none() {
            return;
        }
        // A policy of the width is made, maybe, by a user's code: before anything is taken out.
        let again = |how| Self::of(self.state.clone(), how, self.surroundings.clone());
        let next = quietly(|| again(self.processing.clone())).unwrap_or_else(|| Self {
            processing: self.processing.clone(),
            ..again(self.processing.one_at_a_time())
        });
        let (state, waiting) = self.engine.0.take_along();
        debug_assert!(state.is_none_or(|state| Arc::ptr_eq(&state, &self.state)));
        *self = next;
        for Job { message, mailbox, lane, .. } in waiting {
            take(message, mailbox.into(), lane);
        }
    }
}

impl<A: SpeculativeActor> fmt::Debug for Occupant<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Occupant").field("processing", &self.processing).finish_non_exhaustive()
    }
}
