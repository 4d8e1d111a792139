//! Who carries programs out: a plain and an asynchronous actor.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Ticket, Tracked, yields};

use crate::deeds::do_one;
use crate::program::{Deed, Program};
use crate::world::{Mode, Msg, OneAtATime, Seen, World};

/// How long a thread waits for an answer that somebody stopped or waiting for ever may never give.
const IMPATIENCE: Duration = Duration::from_millis(200);

/// What both kinds of actors are.
pub(crate) struct Role {
    pub(crate) world: Arc<World>,
    /// Its place among the peers; `None` for members of the pool and children.
    number: Option<usize>,
    /// Whether it may block its thread.
    may_block: bool,
    /// Whether its bounds displace messages.
    drops_oldest: bool,
    pub(crate) kept: Option<Pipe>,
    busy: Arc<AtomicBool>,
    seen: Seen,
    _state: Tracked<()>,
}

impl Role {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self {
            world: world.clone(),
            number: None,
            may_block: false,
            drops_oldest: false,
            kept: None,
            busy: Arc::default(),
            seen: Seen::default(),
            _state: world.values.track(()),
        }
    }

    pub(crate) fn peer(number: usize, drops_oldest: bool, world: &Arc<World>) -> Self {
        Self { number: Some(number), drops_oldest, ..Self::new(world) }
    }

    pub(crate) fn that_may_block(self) -> Self {
        Self { may_block: true, ..self }
    }

    /// Whether it lives as long as the run, and handles all that it is sent.
    pub(crate) fn keeps_all(&self) -> bool {
        self.number.is_some() && !self.drops_oldest
    }

    pub(crate) fn cancel_kept(&mut self) {
        if self.kept.take().is_some_and(Pipe::cancel) {
            self.world.counts.cancelled.add();
        }
    }

    /// Counts the message; what there is to do for it, and whom to answer then.
    fn take(&mut self, msg: Msg) -> (Program, Option<Reply<()>>) {
        let counts = &self.world.counts;
        counts.handled.add();
        match msg {
            Msg::Run { program, ticket, .. } => {
                ticket.into_iter().for_each(Ticket::handled);
                return (program, None);
            }
            Msg::Question { reply, program, ticket } => {
                ticket.into_iter().for_each(Ticket::handled);
                return (program, Some(reply));
            }
            Msg::Answer => {}
            Msg::Item { stream, number } => {
                counts.items.add();
                if !self.seen.item(stream, number) && self.keeps_all() {
                    counts.items_wrong.add();
                }
            }
            Msg::End { stream, items } => {
                if !self.seen.end(stream, items) && self.keeps_all() {
                    counts.items_wrong.add();
                }
                if self.keeps_all() {
                    counts.streams_ended.add();
                }
            }
        }
        (Program::new(), None)
    }
}

pub(crate) struct Plain(pub(crate) Role);

impl Plain {
    fn carry_out(&mut self, program: &Program, ctx: &mut Context<'_, Self>) {
        for deed in program {
            match deed {
                Deed::AwaitAnswer { to, program } if self.0.may_block => self.wait(*to, program),
                deed => do_one!(self, deed, ctx),
            }
        }
    }

    /// The continuation of a pipe.
    pub(crate) fn go_on(&mut self, then: &Program, ctx: &mut Context<'_, Self>) {
        self.0.world.counts.gone_on.add();
        let _one = OneAtATime::begin(&self.0.busy);
        self.carry_out(then, ctx);
    }

    fn wait(&self, to: usize, program: &Program) {
        let world = &self.0.world;
        let Some(to) = world.higher_peer(self.0.number, to) else { return };
        world.counts.asked.add();
        let program = program.clone();
        let answer = to.ask(|reply| Msg::Question { reply, program, ticket: None });
        if world.mode == Mode::Wild {
            let _ = answer.wait_timeout(IMPATIENCE);
        } else {
            let _ = answer.wait();
        }
        world.counts.answered.add();
    }
}

impl Actor for Plain {
    type Msg = Msg;
    fn handle(&mut self, msg: Msg, ctx: &mut Context<'_, Self>) {
        let _one = OneAtATime::begin(&self.0.busy);
        let (program, reply) = self.0.take(msg);
        self.carry_out(&program, ctx);
        if let Some(reply) = reply {
            if program.len() % 2 == 1 {
                ctx.pipe(yields(2), move |_, (), _| reply.send(()));
            } else {
                reply.send(());
            }
        }
    }
}

pub(crate) struct Waiting(pub(crate) Role);

impl Waiting {
    /// The continuation of a pipe; it cannot wait.
    pub(crate) fn go_on(&mut self, then: &Program, ctx: &mut AsyncContext<'_, Self>) {
        self.0.world.counts.gone_on.add();
        let _one = OneAtATime::begin(&self.0.busy);
        for deed in then {
            do_one!(self, deed, ctx);
        }
    }

    /// Carries a deed out that waits; whether this was one.
    async fn wait(&self, deed: &Deed) -> bool {
        let world = &self.0.world;
        match deed {
            Deed::Yield(times) => yields(*times).await,
            Deed::WaitForEver => std::future::pending().await,
            Deed::SendAsync { to, mailbox, program } => {
                if let Some(to) = world.peer(*to) {
                    drop(to.send_async(Msg::without_ticket(*mailbox, program)).await);
                }
            }
            Deed::AwaitAnswer { to, program } => {
                if let Some(to) = world.higher_peer(self.0.number, *to) {
                    world.counts.asked.add();
                    let program = program.clone();
                    let question = |reply| Msg::Question { reply, program, ticket: None };
                    let _ = to.ask(question).await;
                    world.counts.answered.add();
                }
            }
            _ => return false,
        }
        true
    }
}

impl AsyncActor for Waiting {
    type Msg = Msg;
    async fn handle(&mut self, msg: Msg, ctx: &mut AsyncContext<'_, Self>) {
        let _one = OneAtATime::begin(&self.0.busy);
        let (program, reply) = self.0.take(msg);
        for deed in &program {
            if !self.wait(deed).await {
                do_one!(self, deed, ctx);
            }
        }
        if let Some(reply) = reply {
            if program.len() % 2 == 1 {
                ctx.pipe(yields(2), move |_, (), _| reply.send(()));
            } else {
                reply.send(());
            }
        }
    }
}
