//! The state as one speculative actor.

use super::actors::{self, ToState};
use super::{Deed, Shared, Speculative, access};
use crate::trace;
use crate::workload::prelude::*;
use odeon::Theater;
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::Tx;
use std::marker::PhantomData;

/// What a word of the mode means.
pub(in crate::workloads) fn processing(mode: &str) -> Processing {
    match mode {
        "sequential" => Processing::sequential(),
        "concurrent" => Processing::concurrent(),
        "nonblocking" => Processing::non_blocking(),
        "combined" => Processing::combined(),
        _ => Processing::adaptive(),
    }
}

pub(super) fn run<S: Shared>(
    shared: &S,
    params: &Params,
    processing: Processing,
) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let actor = spawn(shared, &theater, processing);
    actors::run(shared, params, &theater, &[actor.actor_ref()])
}

/// The actor, fresh.
pub(in crate::workloads) fn spawn<S: Shared>(
    shared: &S,
    theater: &Theater,
    processing: Processing,
) -> SpeculativeRef<ToState<S::Deed, S::Outcome>> {
    let actor = StateActor { state: shared.speculative(), told: PhantomData };
    let actor = theater.spawn_speculative(actor, processing);
    trace::watch(&actor);
    actor
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
