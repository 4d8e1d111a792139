//! Runners: the executors of an actor's messages besides its own turn, themselves actors of the
//! pool.

use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::engine::{Engine, Executor, Scratch};
use odeon_core::Context;
use odeon_core::extend::{Behavior, NoInner};
use std::sync::Arc;

/// Works for one speculative actor. It is sent no messages, but woken.
pub(crate) struct Runner<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    executor: Executor,
    scratch: Scratch<A::Msg>,
}

impl<A: SpeculativeActor> Runner<A> {
    pub(crate) fn new(engine: Arc<Engine<A>>, number: usize) -> Self {
        Self { engine, executor: Executor::Runner(number), scratch: Scratch::new() }
    }
}

impl<A: SpeculativeActor> Behavior for Runner<A> {
    type Msg = ();
    type Inner = NoInner<()>;
    const LANED: bool = true;

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}

    fn handle_deferred(&mut self, _: &mut Context<'_, Self>) -> bool {
        self.engine.work(&self.executor, &mut self.scratch)
    }
}
