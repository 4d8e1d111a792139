//! The state as one plain actor, or as several; and the senders to all actors.

use super::lasting::{self, Runs};
use super::{Deed, Looks, Plain, SharedState, Sharing};
use odeon::prelude::*;
use odeon_example_run::{Finish, Post, RunError, Timed, finish_line, runtime, theater_with};
use std::marker::PhantomData;
use std::sync::Arc;

/// Messages that a sender sends before others get their turn.
const BURST: usize = 64;

/// What an actor with the state is sent.
pub enum ToState<D, O> {
    /// A deed.
    Do(D),
    /// Behind everything that the asking sender has sent.
    Done(Reply<()>),
    /// Asks what is there.
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

/// An actor with the state.
pub type StateRef<S> = ActorRef<ToState<<S as SharedState>::Deed, <S as SharedState>::Outcome>>;

/// Runs against `shards` plain actors.
pub(super) fn run_plain<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    shards: usize,
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    let theater = theater_with(sharing.workers)?;
    let new_shard = |_| theater.spawn(PlainActor { state: shared.plain(), told: PhantomData });
    let actors: Vec<_> = (0..shards).map(new_shard).collect();
    run(shared, sharing, &theater, &actors, looks)
}

/// Has senders send everything, as long as they shall, and checks what comes out.
pub(super) fn run<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    theater: &Theater,
    actors: &[StateRef<S>],
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    let (timed, runs) =
        lasting::run(shared, sharing.lasting, looks, |runs| enter(shared, theater, actors, runs))?;
    let outcomes = actors.iter().map(|actor| actor.ask(ToState::Outcome).wait());
    let outcomes: Vec<_> = outcomes.collect::<Result<_, _>>().map_err(runtime)?;
    shared.check(outcomes, &runs).map(|()| timed)
}

/// Has senders send everything, and begin again while `runs` says so.
///
/// # Errors
/// If a sender does not come to its end.
pub fn enter<S: SharedState>(
    shared: &S,
    theater: &Theater,
    actors: &[StateRef<S>],
    runs: &Arc<Runs>,
) -> Result<Timed, RunError> {
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
    let (timed, outcome) = Timed::of(shared.deeds(), || {
        senders.iter().for_each(|sender| sender.post(ToSender::Go));
        waiting.wait_beyond(runs.left())
    });
    outcome.map(|()| timed)
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

struct Sender<S: SharedState> {
    number: usize,
    all: S::Deeds,
    /// What is left of them.
    deeds: S::Deeds,
    runs: Arc<Runs>,
    actors: Vec<StateRef<S>>,
    missing: usize,
    finish: Finish,
}

impl<S: SharedState> Actor for Sender<S> {
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
