//! What actors are sent, and how a plain and an asynchronous one handle it.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Counted, Ticket, Tracked, silent_panic, yields};

use crate::deeds::do_something;
use crate::scopes::{is_caused_by, scope};
use crate::world::World;

/// A message: its seed says what the handler does.
pub(crate) struct Errand {
    pub(crate) ticket: Option<Ticket>,
    pub(crate) reply: Option<Reply<u32>>,
    pub(crate) seed: u64,
    /// How often one errand may lead to the next.
    pub(crate) depth: u32,
    /// The scope in which it was sent.
    pub(crate) from: u64,
}

/// For groups, which copy what is published.
impl Clone for Errand {
    fn clone(&self) -> Self {
        Self { ticket: None, reply: None, seed: self.seed, depth: self.depth, from: scope() }
    }
}

impl Message for Errand {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(self.seed % 3 == 0)
    }
}

impl Counted for Errand {
    fn into_ticket(self) -> Option<Ticket> {
        self.ticket
    }
}

pub(crate) struct State {
    pub(crate) world: Arc<World>,
    panics_when_dropped: bool,
    _value: Tracked<()>,
}

impl State {
    pub(crate) fn new(world: &Arc<World>, panics_when_dropped: bool) -> Self {
        let _value = world.values.track(());
        Self { world: world.clone(), panics_when_dropped, _value }
    }

    /// Seeds `started`, which has no message.
    fn random(&self) -> Random {
        Random::from_seed(self.world.counts.handled.now())
    }

    /// Takes a message; whom to answer.
    fn take(&self, errand: &mut Errand) -> Option<Reply<u32>> {
        self.world.counts.handled.add();
        errand.ticket.take().into_iter().for_each(Ticket::handled);
        if !is_caused_by(errand.from) {
            self.world.counts.out_of_scope.add();
        }
        errand.reply.take()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if self.panics_when_dropped && !std::thread::panicking() {
            silent_panic("while a state is dropped");
        }
    }
}

/// Most answer, some forget to.
fn answer(reply: Option<Reply<u32>>, random: &mut Random) {
    if let Some(reply) = reply {
        if random.below(3) > 0 {
            reply.send(1);
        }
    }
}

pub(crate) struct Plain(pub(crate) State);

impl Actor for Plain {
    type Msg = Errand;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        match self.0.random().below(40) {
            0 => silent_panic("while it starts"),
            1 => ctx.stop(),
            _ => {}
        }
    }

    fn handle(&mut self, mut errand: Errand, ctx: &mut Context<'_, Self>) {
        let (world, mut random) = (self.0.world.clone(), Random::from_seed(errand.seed));
        let reply = self.0.take(&mut errand);
        for _ in 0..2 {
            do_something!(world, ctx, &mut random, errand.depth);
        }
        answer(reply, &mut random);
    }
}

pub(crate) struct Waiting(pub(crate) State);

impl Waiting {
    /// Between two deeds.
    async fn wait(&self, depth: u32, random: &mut Random) {
        match random.below(8) {
            0 => yields(random.below(4) as u32).await,
            1 | 2 if depth > 0 => {
                let Some(peer) = self.0.world.peer(random) else { return };
                let question = World::without_ticket(random, depth - 1);
                // It may be its own peer, or one of a circle: only for a while.
                let limit = Duration::from_micros(random.below(1500) as u64);
                let asked =
                    peer.ask_within(limit, |reply| Errand { reply: Some(reply), ..question });
                let _ = asked.await;
            }
            _ => {}
        }
    }
}

impl AsyncActor for Waiting {
    type Msg = Errand;

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let mut random = self.0.random();
        if random.below(3) == 0 {
            yields(1).await;
        }
        match random.below(40) {
            0 => silent_panic("while it starts"),
            1 => ctx.stop(),
            _ => {}
        }
    }

    async fn handle(&mut self, mut errand: Errand, ctx: &mut AsyncContext<'_, Self>) {
        let (world, mut random) = (self.0.world.clone(), Random::from_seed(errand.seed));
        let reply = self.0.take(&mut errand);
        do_something!(world, ctx, &mut random, errand.depth);
        self.wait(errand.depth, &mut random).await;
        do_something!(world, ctx, &mut random, errand.depth);
        answer(reply, &mut random);
    }
}
