//! `pingpong`: two actors send one message to and fro.

use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start_prepared, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Pingpong;
use crate::peer::Sample;

struct Start;
struct Ping;
struct Pong;

#[derive(Actor)]
struct Pinger {
    ponger: ActorRef<Ponger>,
    rounds_left: usize,
    end: EndSignal<()>,
}

impl Pinger {
    async fn ping(&self) {
        self.ponger.tell(Ping).send().await.expect("the ponger lives");
    }
}

impl Message<Start> for Pinger {
    type Reply = ();

    async fn handle(&mut self, _: Start, _: &mut Context<Self, Self::Reply>) {
        self.ping().await;
    }
}

impl Message<Pong> for Pinger {
    type Reply = ();

    async fn handle(&mut self, _: Pong, _: &mut Context<Self, Self::Reply>) {
        self.rounds_left -= 1;
        if self.rounds_left == 0 {
            self.end.send(());
        } else {
            self.ping().await;
        }
    }
}

#[derive(Actor)]
struct Ponger {
    pinger: ActorRef<Pinger>,
}

impl Message<Ping> for Ponger {
    type Reply = ();

    async fn handle(&mut self, _: Ping, _: &mut Context<Self, Self::Reply>) {
        self.pinger.tell(Pong).send().await.expect("the pinger lives");
    }
}

pub fn run(host: &Host, params: &Pingpong) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let rounds_left = params.rounds;
    let (pinger, ponger) = host.block_on(async {
        let pinger = prepare::<Pinger>();
        let ponger = prepare::<Ponger>();
        let to_pinger = pinger.actor_ref().clone();
        let to_ponger = ponger.actor_ref().clone();
        let pinger_actor = Pinger { ponger: to_ponger, rounds_left, end };
        let ponger_actor = Ponger { pinger: to_pinger };
        (start_prepared(pinger, pinger_actor).await, start_prepared(ponger, ponger_actor).await)
    });

    let started = Instant::now();
    pinger.tell(Start).blocking_send().expect("the pinger lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(async {
        stop(&[pinger]).await;
        stop(&[ponger]).await;
    });
    let ops = params.rounds as u64;
    Ok(Sample { ops, elapsed })
}
