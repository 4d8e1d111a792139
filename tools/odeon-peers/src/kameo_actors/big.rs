//! `big`: every actor pings random others and waits for each pong.

use std::sync::Arc;
use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start, start_prepared, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Big;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

struct Start;
struct Ping {
    sender: usize,
}
struct Pong;
struct Finished;

#[derive(Actor)]
struct Pinger {
    index: usize,
    all: Arc<[ActorRef<Pinger>]>,
    sink: ActorRef<Sink>,
    numbers: XorShift64,
    pongs_missing: usize,
}

impl Pinger {
    async fn ping(&mut self) {
        let other = self.numbers.below_except(self.all.len(), self.index);
        self.all[other].tell(Ping { sender: self.index }).send().await.expect("every pinger lives");
    }
}

impl Message<Start> for Pinger {
    type Reply = ();

    async fn handle(&mut self, _: Start, _: &mut Context<Self, Self::Reply>) {
        self.ping().await;
    }
}

impl Message<Ping> for Pinger {
    type Reply = ();

    async fn handle(&mut self, ping: Ping, _: &mut Context<Self, Self::Reply>) {
        self.all[ping.sender].tell(Pong).send().await.expect("every pinger lives");
    }
}

impl Message<Pong> for Pinger {
    type Reply = ();

    async fn handle(&mut self, _: Pong, _: &mut Context<Self, Self::Reply>) {
        self.pongs_missing -= 1;
        if self.pongs_missing == 0 {
            self.sink.tell(Finished).send().await.expect("the sink lives");
        } else {
            self.ping().await;
        }
    }
}

#[derive(Actor)]
struct Sink {
    missing: usize,
    end: EndSignal<()>,
}

impl Message<Finished> for Sink {
    type Reply = ();

    async fn handle(&mut self, _: Finished, _: &mut Context<Self, Self::Reply>) {
        self.missing -= 1;
        if self.missing == 0 {
            self.end.send(());
        }
    }
}

pub fn run(host: &Host, params: &Big) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let sink_actor = Sink { missing: params.actors, end };
    let (sink, all) = host.block_on(async {
        let sink = start(sink_actor).await;
        let prepared = Vec::from_iter((0..params.actors).map(|_| prepare::<Pinger>()));
        let all: Arc<[_]> = prepared.iter().map(|one| one.actor_ref().clone()).collect();
        for (index, one) in prepared.into_iter().enumerate() {
            let pinger = Pinger {
                index,
                all: Arc::clone(&all),
                sink: sink.clone(),
                numbers: XorShift64::of_actor(index),
                pongs_missing: params.pings,
            };
            start_prepared(one, pinger).await;
        }
        (sink, all)
    });

    let started = Instant::now();
    for pinger in all.iter() {
        pinger.tell(Start).blocking_send().expect("every pinger lives");
    }
    ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(async {
        stop(&all).await;
        stop(&[sink]).await;
    });
    let ops = (params.actors * params.pings) as u64;
    Ok(Sample { ops, elapsed })
}
