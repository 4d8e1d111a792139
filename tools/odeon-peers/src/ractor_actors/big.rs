//! `big`: every actor pings random others and waits for each pong.

use std::sync::Arc;
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Big;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

type Pingers = Arc<[ActorRef<PingerMessage>]>;

enum PingerMessage {
    Connect(Pingers, RpcReplyPort<()>),
    Start,
    Ping { sender: usize },
    Pong,
}

struct Pinger;

struct PingerState {
    index: usize,
    all: Pingers,
    sink: ActorRef<Finished>,
    numbers: XorShift64,
    pongs_missing: usize,
}

impl PingerState {
    fn ping(&mut self) {
        let other = self.numbers.below_except(self.all.len(), self.index);
        self.tell(other, PingerMessage::Ping { sender: self.index });
    }

    fn tell(&self, index: usize, message: PingerMessage) {
        self.all[index].cast(message).expect("every pinger lives");
    }
}

impl Actor for Pinger {
    type Msg = PingerMessage;
    type State = PingerState;
    type Arguments = PingerState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            PingerMessage::Connect(all, connected) => {
                state.all = all;
                connected.send(())?;
            }
            PingerMessage::Start => state.ping(),
            PingerMessage::Ping { sender } => state.tell(sender, PingerMessage::Pong),
            PingerMessage::Pong => {
                state.pongs_missing -= 1;
                if state.pongs_missing == 0 {
                    state.sink.cast(Finished).expect("the sink lives");
                } else {
                    state.ping();
                }
            }
        }
        Ok(())
    }
}

struct Finished;

struct Sink;

struct SinkState {
    missing: usize,
    end: EndSignal<()>,
}

impl Actor for Sink {
    type Msg = Finished;
    type State = SinkState;
    type Arguments = SinkState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        _: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        state.missing -= 1;
        if state.missing == 0 {
            state.end.send(());
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Big) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (sink, all) = host.block_on(async {
        let state = SinkState { missing: params.actors, end };
        let sink = start(Sink, state).await;
        let mut pingers = Vec::new();
        for index in 0..params.actors {
            let state = PingerState {
                index,
                all: Arc::new([]),
                sink: sink.clone(),
                numbers: XorShift64::of_actor(index),
                pongs_missing: params.pings,
            };
            pingers.push(start(Pinger, state).await);
        }
        let all: Pingers = pingers.into();
        for pinger in all.iter() {
            let all = Arc::clone(&all);
            ractor::call!(pinger, PingerMessage::Connect, all).expect("every pinger lives");
        }
        (sink, all)
    });

    let started = Instant::now();
    for pinger in all.iter() {
        pinger.cast(PingerMessage::Start).expect("every pinger lives");
    }
    ending.wait()?;
    let elapsed = started.elapsed();

    stop(&all);
    stop(&[sink]);
    let ops = (params.actors * params.pings) as u64;
    Ok(Sample { ops, elapsed })
}
