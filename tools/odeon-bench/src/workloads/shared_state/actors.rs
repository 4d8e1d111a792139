//! The state as one plain actor, or as several; and the senders to all actors.

use super::lasting::{self, Runs};
use super::{Deed, Plain, Shared};
use crate::workload::prelude::*;
use odeon::prelude::*;
use std::marker::PhantomData;
use std::sync::Arc;

/// Messages that a sender sends before others get their turn.
const BURST: usize = 64;

/// What an actor with the state is sent.
pub(in crate::workloads) enum ToState<D, O> {
    Do(D),
    /// Behind everything that the asking sender has sent.
    Done(Reply<()>),
    Outcome(Reply<O>),
}

impl<D: Send + 'static, O: Send + 'static> Message for ToState<D, O> {
    fn message_name(&self) -> &'static str {
        match self {
            Self::Do(_) => "Do",
            Self::Done(_) => "Done",
            Self::Outcome(_) => "Outcome",
        }
    }
}

pub(in crate::workloads) type StateRef<S> =
    ActorRef<ToState<<S as Shared>::Deed, <S as Shared>::Outcome>>;

/// Runs against `shards` plain actors.
pub(super) fn run_plain<S: Shared>(
    shared: &S,
    params: &Params,
    shards: usize,
) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let new_shard = |_| theater.spawn(PlainActor { state: shared.plain(), told: PhantomData });
    let actors: Vec<_> = (0..shards).map(new_shard).collect();
    run(shared, params, &theater, &actors)
}

/// Has senders send everything, as often as `params` say, and checks what comes out.
pub(super) fn run<S: Shared>(
    shared: &S,
    params: &Params,
    theater: &Theater,
    actors: &[StateRef<S>],
) -> Result<Measured, BenchError> {
    let (measured, runs) =
        lasting::run(shared, params, |runs| enter(shared, theater, actors, runs))?;
    let outcomes = actors.iter().map(|actor| actor.ask(ToState::Outcome).wait());
    let outcomes: Vec<_> = outcomes.collect::<Result<_, _>>().map_err(runtime)?;
    shared.check(outcomes, &runs).map(|()| measured)
}

/// Has senders send everything, and begin again while `runs` says so.
pub(in crate::workloads) fn enter<S: Shared>(
    shared: &S,
    theater: &Theater,
    actors: &[StateRef<S>],
    runs: &Arc<Runs>,
) -> Result<Measured, BenchError> {
    let (finish, waiting) = finish_line(shared.senders());
    let new_sender = |number| {
        let deeds = shared.deeds_of(number);
        theater.spawn(Sender::<S> {
            number,
            all: deeds.clone(),
            deeds,
            runs: runs.clone(),
            missing: actors.len(),
            actors: actors.to_vec(),
            finish: finish.clone(),
        })
    };
    let senders: Vec<_> = (0..shared.senders()).map(new_sender).collect();
    let (measured, outcome) = Measured::time(shared.deeds(), || {
        senders.iter().for_each(|sender| sender.post(ToSender::Go));
        waiting.wait_beyond(runs.left())
    });
    outcome.map(|()| measured)
}

struct PlainActor<P, D, O> {
    state: P,
    told: PhantomData<fn(D) -> O>,
}

impl<P: Plain<D, O>, D: Deed, O: Send + 'static> Actor for PlainActor<P, D, O> {
    type Msg = ToState<D, O>;

    fn handle(&mut self, message: ToState<D, O>, _: &mut Context<'_, Self>) {
        match message {
            ToState::Do(deed) => self.state.apply(deed),
            ToState::Done(reply) => reply.send(()),
            ToState::Outcome(reply) => reply.send(self.state.outcome()),
        }
    }
}

#[derive(Message)]
enum ToSender {
    Go,
    Answered,
}

struct Sender<S: Shared> {
    number: usize,
    all: S::Deeds,
    /// What is left of them.
    deeds: S::Deeds,
    runs: Arc<Runs>,
    actors: Vec<StateRef<S>>,
    missing: usize,
    finish: Finish,
}

impl<S: Shared> Actor for Sender<S> {
    type Msg = ToSender;

    fn handle(&mut self, message: ToSender, ctx: &mut Context<'_, Self>) {
        match message {
            ToSender::Go => {
                for _ in 0..BURST {
                    let Some(deed) = self.deeds.next() else {
                        if self.runs.goes_on(self.number) {
                            self.deeds = self.all.clone();
                            break;
                        }
                        for actor in &self.actors {
                            let reply = ctx.reply_to(|_: Result<(), AskError>| ToSender::Answered);
                            actor.post(ToState::Done(reply));
                        }
                        return;
                    };
                    S::parts(deed, self.actors.len(), |shard, deed| {
                        self.actors[shard].post(ToState::Do(deed));
                    });
                }
                ctx.send_self(ToSender::Go);
            }
            ToSender::Answered => {
                self.missing -= 1;
                if self.missing == 0 {
                    self.finish.arrive();
                }
            }
        }
    }
}
