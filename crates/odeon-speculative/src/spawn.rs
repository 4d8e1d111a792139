//! How a speculative actor comes to be, and what its maker holds.

pub(crate) mod occupant;
mod surroundings;

use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::dispatcher::Dispatcher;
use crate::executor::engine::{CallersEntrance, EndsWithMaker, Engine, Surroundings};
use crate::processing::{Ordering, Processing};
use crate::report::stats::SpeculationStats;
use odeon_core::extend::{self, Outbox, Reporter};
use odeon_core::{ActorRef, Directive, Message, Supervision, Theater};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

/// Creates speculative actors in a theater.
pub trait SpawnSpeculative {
    /// Creates a speculative actor on the pool. A message that fails vanishes, and the actor goes
    /// on with its last good state.
    ///
    /// # Panics
    /// If its messages have several mailboxes and are to be handled in the
    /// [order of arrival](crate::Ordering::Mailbox), and if the processing
    /// [bounds](Processing::bounded) a mailbox that they do not have.
    #[track_caller]
    fn spawn_speculative<A: SpeculativeActor>(
        &self,
        actor: A,
        processing: Processing,
    ) -> SpeculativeRef<A::Msg>;

    /// As [`spawn_speculative`](Self::spawn_speculative), with a supervision that decides what a
    /// failure leads to. `make` makes the state, at first and for each restart.
    ///
    /// # Panics
    /// As [`spawn_speculative`](Self::spawn_speculative).
    #[track_caller]
    fn spawn_speculative_supervised<A: SpeculativeActor>(
        &self,
        supervision: Supervision,
        processing: Processing,
        make: impl FnMut() -> A + Send + 'static,
    ) -> SpeculativeRef<A::Msg>;
}

impl SpawnSpeculative for Theater {
    fn spawn_speculative<A: SpeculativeActor>(
        &self,
        actor: A,
        processing: Processing,
    ) -> SpeculativeRef<A::Msg> {
        let mut actor = Some(actor);
        let make = move || actor.take().expect("an actor that always resumes is made once");
        let resumes = Supervision::new().always(Directive::Resume);
        self.spawn_speculative_supervised(resumes, processing, make)
    }

    fn spawn_speculative_supervised<A: SpeculativeActor>(
        &self,
        supervision: Supervision,
        processing: Processing,
        mut make: impl FnMut() -> A + Send + 'static,
    ) -> SpeculativeRef<A::Msg> {
        assert!(
            A::Msg::MAILBOXES == 1 || processing.ordering != Ordering::Mailbox,
            "the order of arrival is for actors with one mailbox: with several, a message waits for its guard while later ones are handled"
        );
        let workers = extend::workers(self);
        let surroundings = Surroundings::of(self);
        let bounds = processing.bounds_of(A::Msg::MAILBOXES);
        // With one mailbox and its order alone to be kept: what is waited for then is no guard, no
        // bound, and no message of another sender.
        let is_divided = A::Msg::MAILBOXES == 1
            && processing.ordering == Ordering::PerSender
            && bounds.is_none()
            && processing.may_be_wide(workers);
        let engine = Engine::new(Arc::new(make()), &processing, surroundings);
        let engine = Arc::new(if is_divided { engine.divided() } else { engine });
        let control: Arc<dyn Control> =
            Arc::new(SpeculativeHandle { engine: engine.clone(), workers });
        let mut is_first = true;
        let ordering = processing.ordering;
        let reporter: Weak<dyn Reporter> = Arc::<Engine<A>>::downgrade(&engine);
        let keeps_order = ordering != Ordering::Unordered;
        let entrance = CallersEntrance { engine: engine.clone(), keeps_order };
        let shards = engine.clone();
        let engine = EndsWithMaker(engine);
        let new = move || {
            let EndsWithMaker(engine) = &engine;
            if !std::mem::take(&mut is_first) {
                engine.set_state(make());
            }
            Dispatcher::new(engine.clone(), ordering, bounds.clone())
        };
        // It starts when it has all that belongs to it: it may send to itself.
        let mut start = Outbox::new();
        let actor = start.hold_during(|| self.actor().supervised(supervision).spawn(new));
        if is_divided {
            extend::divide(&actor, move |number| shards.shard(number));
        }
        extend::report_by(self, &actor, reporter);
        extend::open_entrance(&actor, entrance);
        extend::let_happen(move || start.release());
        SpeculativeRef { actor, control }
    }
}

/// The address of a speculative actor, and the way to see and change how it is processed. It is an
/// [`ActorRef`] in all other respects.
pub struct SpeculativeRef<M: Message> {
    actor: ActorRef<M>,
    control: Arc<dyn Control>,
}

impl<M: Message> SpeculativeRef<M> {
    /// The plain address.
    pub fn actor_ref(&self) -> ActorRef<M> {
        self.actor.clone()
    }

    /// Changes how messages are processed while the actor runs; the order of its messages and the
    /// bounds of its mailboxes stay as they were chosen at the spawn.
    pub fn set_processing(&self, processing: Processing) {
        self.control.set_processing(&processing);
    }

    /// What the actor has done so far, and what was in its way. Printed it is a
    /// [report](SpeculationStats).
    pub fn speculation(&self) -> SpeculationStats {
        self.control.stats()
    }
}

impl<M: Message> Deref for SpeculativeRef<M> {
    type Target = ActorRef<M>;

    fn deref(&self) -> &ActorRef<M> {
        &self.actor
    }
}

impl<M: Message> Clone for SpeculativeRef<M> {
    fn clone(&self) -> Self {
        Self { actor: self.actor.clone(), control: self.control.clone() }
    }
}

impl<M: Message> fmt::Debug for SpeculativeRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpeculativeRef").field(&self.actor.id()).finish()
    }
}

/// An engine, the type of its actor forgotten.
trait Control: Send + Sync {
    fn set_processing(&self, processing: &Processing);
    fn stats(&self) -> SpeculationStats;
}

struct SpeculativeHandle<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    workers: usize,
}

impl<A: SpeculativeActor> Control for SpeculativeHandle<A> {
    fn set_processing(&self, processing: &Processing) {
        self.engine.set_processing(processing, self.workers);
    }

    fn stats(&self) -> SpeculationStats {
        self.engine.stats()
    }
}
