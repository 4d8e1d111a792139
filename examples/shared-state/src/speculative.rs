//! The state as one speculative actor.

use super::actors::{self, ToState};
use super::{Deed, Looks, SharedState, Sharing, Speculative, access};
use odeon::Theater;
use odeon_example_run::{RunError, Timed, theater_with};
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::Tx;
use std::marker::PhantomData;

/// What a word of the mode means.
pub fn processing(mode: &str) -> Processing {
    match mode {
        "sequential" => Processing::sequential(),
        "concurrent" => Processing::concurrent(),
        "nonblocking" => Processing::sequential().non_blocking(),
        "combined" => Processing::concurrent().non_blocking(),
        _ => Processing::adaptive(),
    }
}

pub(super) fn run<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    processing: Processing,
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    let theater = theater_with(sharing.workers)?;
    let actor = spawn(shared, &theater, processing);
    looks.begins(&actor);
    actors::run(shared, sharing, &theater, &[actor.actor_ref()], looks)
}

/// The actor, fresh.
pub fn spawn<S: SharedState>(
    shared: &S,
    theater: &Theater,
    processing: Processing,
) -> SpeculativeRef<ToState<S::Deed, S::Outcome>> {
    let actor = StateActor { state: shared.speculative(), told: PhantomData };
    theater.spawn_speculative(actor, processing)
}

struct StateActor<P, D, O> {
    state: P,
    told: PhantomData<fn(D) -> O>,
}

impl<P: Speculative<D, O>, D: Deed, O: Send + 'static> SpeculativeActor for StateActor<P, D, O> {
    type Msg = ToState<D, O>;

    fn access(message: &ToState<D, O>) -> Access {
        match message {
            ToState::Do(deed) => access(deed),
            ToState::Done(_) => Access::Update,
            ToState::Outcome(_) => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToState<D, O>,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToState::Do(deed) => self.state.apply(*deed, tx)?,
            ToState::Done(reply) => ctx.reply(reply, ()),
            ToState::Outcome(reply) => ctx.reply(reply, self.state.outcome(tx)?),
        }
        Ok(())
    }
}
