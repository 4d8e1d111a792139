//! `create`: one actor spawns many, each of which acknowledges and stops.

use std::time::Instant;

use kameo::error::Infallible;
use kameo::mailbox;
use kameo::prelude::*;

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Create;
use crate::peer::Sample;

struct Start;
struct Started;

#[derive(Actor)]
struct Creator {
    actors: usize,
    acknowledged: usize,
    end: EndSignal<()>,
}

impl Message<Start> for Creator {
    type Reply = ();

    /// A child stops by itself, because nobody keeps a reference to it.
    async fn handle(&mut self, _: Start, ctx: &mut Context<Self, Self::Reply>) {
        for _ in 0..self.actors {
            let creator = ctx.actor_ref().clone();
            Child::spawn_with_mailbox(creator, mailbox::unbounded());
        }
    }
}

impl Message<Started> for Creator {
    type Reply = ();

    async fn handle(&mut self, _: Started, _: &mut Context<Self, Self::Reply>) {
        self.acknowledged += 1;
        if self.acknowledged == self.actors {
            self.end.send(());
        }
    }
}

struct Child;

impl Actor for Child {
    type Args = ActorRef<Creator>;
    type Error = Infallible;

    async fn on_start(creator: Self::Args, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        creator.tell(Started).send().await.expect("the creator lives");
        Ok(Self)
    }
}

pub fn run(host: &Host, params: &Create) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let creator_actor = Creator { actors: params.actors, acknowledged: 0, end };
    let creator = host.block_on(start(creator_actor));

    let started = Instant::now();
    creator.tell(Start).blocking_send().expect("the creator lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(stop(&[creator]));
    let ops = params.actors as u64;
    Ok(Sample { ops, elapsed })
}
