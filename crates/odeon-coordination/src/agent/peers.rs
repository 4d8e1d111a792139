//! How agents find each other, and learn that one has gone.

use odeon_core::extend::send_unhindered;
use odeon_core::{ActorRef, Context, Reply, Watch};
use odeon_theater::TheaterId;
use odeon_theater::extend::leaves;

use crate::agent::Agent;
use crate::agent::tell::Tell;

/// Under which name each theater publishes its agent.
pub(crate) const AGENT: &str = "odeon/coordination";

/// Another agent.
pub(crate) enum Peer {
    /// It is being looked for, to be told this.
    Sought(Vec<Tell>),
    Known(ActorRef<Tell>, Watch),
}

impl Agent {
    /// Tells the agent of a theater, which is looked for if it is not known. What cannot be told is
    /// dropped, and its replies with it.
    pub(crate) fn tell(&mut self, theater: TheaterId, tell: Tell, ctx: &mut Context<'_, Self>) {
        if theater == self.me {
            let _ = send_unhindered(&ctx.actor_ref(), tell);
            return;
        }
        self.seek(theater, ctx);
        match self.peers.get_mut(&theater) {
            Some(Peer::Sought(waiting)) => waiting.push(tell),
            // Never held back: agents that wait for each other would wait for ever. Of one that has
            // ended its watch tells.
            Some(Peer::Known(agent, _)) => drop(send_unhindered(agent, tell)),
            None => {}
        }
    }

    /// Asks the agent of a theater; `None`: there is no answer.
    pub(crate) fn ask<T: Send + 'static>(
        &mut self,
        theater: TheaterId,
        question: impl FnOnce(Reply<T>) -> Tell,
        then: impl FnOnce(&mut Self, Option<T>, &mut Context<'_, Self>) + Send + 'static,
        ctx: &mut Context<'_, Self>,
    ) {
        let reply = ctx.reply_to(move |answer: Result<T, _>| {
            Tell::then(move |it, ctx| match answer {
                Err(_) if it.has_left() => ctx.stop(),
                answer => then(it, answer.ok(), ctx),
            })
        });
        self.tell(theater, question(reply), ctx);
    }

    /// Looks for the agent of a theater, unless it is known.
    pub(crate) fn seek(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        if theater == self.me || self.peers.contains_key(&theater) {
            return;
        }
        let Some(network) = self.network.upgrade() else { return };
        self.peers.insert(theater, Peer::Sought(Vec::new()));
        let found = network.at(theater).lookup::<Tell>(AGENT);
        ctx.pipe(found, move |it, found, ctx| match found {
            Ok(Ok(agent)) => it.meet(theater, agent, ctx),
            _ => it.has_gone(theater, ctx),
        });
    }

    fn meet(&mut self, theater: TheaterId, agent: ActorRef<Tell>, ctx: &mut Context<'_, Self>) {
        let which = agent.id();
        let watch = ctx.watch(&agent, move |_| {
            Tell::then(move |it, ctx| {
                let is_this =
                    |peer: &Peer| matches!(peer, Peer::Known(agent, _) if agent.id() == which);
                if it.peers.get(&theater).is_some_and(is_this) {
                    it.has_gone(theater, ctx);
                }
            })
        });
        let waiting = self.peers.insert(theater, Peer::Known(agent.clone(), watch));
        if let Some(Peer::Sought(waiting)) = waiting {
            waiting.into_iter().for_each(|tell| drop(send_unhindered(&agent, tell)));
        }
    }

    /// Whether this theater has left the others, which live: who decided by that they are out of
    /// reach would do so alone.
    fn has_left(&self) -> bool {
        self.network.upgrade().is_none_or(|network| leaves(&network))
    }

    /// A theater has gone, cannot be reached, or takes no part: for this one it is dead.
    fn has_gone(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        if self.has_left() {
            return ctx.stop();
        }
        let sought = match self.peers.remove(&theater) {
            Some(Peer::Known(_, watch)) => {
                watch.cancel();
                None
            }
            sought => sought,
        };
        self.member_has_gone(theater, ctx);
        self.leader_has_gone(theater, ctx);
        self.records_without(theater, ctx);
        // Only here are questions dropped that were to be asked of it: what comes of that finds it
        // gone.
        drop(sought);
        self.note_sizes();
    }
}
