//! Actors that do not live on the pool: on a thread that owns them, alone or with others.

use std::sync::Arc;

use super::root::Root;
use super::{Stage, TheaterParts};
use crate::lifecycle::actor_builder::{ActorBuilder, SupervisedBuilder};
use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::process::supervision::Supervision;
use crate::process::theater_shared::TheaterShared;
use crate::scheduler::pinned::{PinnedKind, PinnedShared};
use crate::vocabulary::error::StageError;

/// An actor to be created with a thread of its own, in which it may block. Made by
/// [`ActorBuilder::dedicated`].
#[must_use = "nothing happens before `spawn`"]
#[derive(Clone, Copy)]
pub struct DedicatedBuilder<'a> {
    builder: ActorBuilder<'a>,
    name: &'a str,
}

impl<'a> ActorBuilder<'a> {
    /// It lives on this stage. While a handler of an asynchronous actor waits, the stage's thread
    /// serves the other actors of the stage.
    ///
    /// # Panics
    /// If the stage belongs to another theater.
    #[track_caller]
    pub fn on(self, stage: &'a Stage) -> Self {
        assert!(
            std::ptr::eq(&raw const *self.theater, Arc::as_ptr(stage.shared.theater())),
            "the stage belongs to another theater"
        );
        Self { location: self.location.moved_to(&stage.shared), ..self }
    }

    /// It gets a thread of its own, named `name`, in which it may block. The thread ends with it,
    /// and is the same after each restart.
    pub fn dedicated(self, name: &'a str) -> DedicatedBuilder<'a> {
        DedicatedBuilder { builder: self, name }
    }
}

impl DedicatedBuilder<'_> {
    /// It is made anew when it fails, or whatever else the supervision says.
    pub fn supervised(self, supervision: Supervision) -> SupervisedBuilder<Self> {
        SupervisedBuilder { builder: self, supervision }
    }

    /// Creates it, and its thread.
    ///
    /// # Errors
    /// If the thread cannot be started, or the theater ends.
    pub fn spawn<Kind, A: Spawnable<Kind>>(self, actor: A) -> Result<ActorRef<A::Msg>, StageError> {
        Ok(actor.create(self.location(&self.start()?)))
    }

    fn start(&self) -> Result<Arc<PinnedShared>, StageError> {
        TheaterParts::of(self.builder.theater)?.start_pinned(self.name, PinnedKind::Dedicated)
    }

    fn location<'b>(&'b self, stage: &'b Arc<PinnedShared>) -> Location<'b> {
        self.builder.location.moved_to(stage)
    }
}

impl SupervisedBuilder<DedicatedBuilder<'_>> {
    /// Creates it, and its thread. `make` makes its state, now and for each restart.
    ///
    /// What a handler creates so is a child of its actor.
    ///
    /// # Errors
    /// If the thread cannot be started, or the theater ends.
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn<Kind, A: Spawnable<Kind>>(
        self,
        mut make: impl FnMut() -> A + Send + 'static,
    ) -> Result<ActorRef<A::Msg>, StageError> {
        // Before the thread starts: nobody would end it if this panicked.
        let mut first = Some(make());
        let stage = self.builder.start()?;
        let make = move || first.take().unwrap_or_else(&mut make);
        Ok(A::create_supervised(self.builder.location(&stage), self.supervision, make))
    }
}

impl TheaterParts {
    /// The parts of a theater that has not ended.
    fn of(theater: &TheaterShared) -> Result<Arc<Self>, StageError> {
        Root::of(theater).parts().ok_or_else(StageError::theater_ended)
    }
}

impl std::fmt::Debug for DedicatedBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DedicatedBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
