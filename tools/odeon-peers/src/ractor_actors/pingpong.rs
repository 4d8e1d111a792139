//! `pingpong`: two actors send one message to and fro.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Pingpong;
use crate::peer::Sample;

enum PingerMessage {
    Start,
    Pong,
}

struct Pinger;

struct PingerState {
    ponger: ActorRef<PongerMessage>,
    rounds_left: usize,
    end: EndSignal<()>,
}

impl PingerState {
    fn ping(&self) {
        self.ponger.cast(PongerMessage::Ping).expect("the ponger lives");
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
            PingerMessage::Start => state.ping(),
            PingerMessage::Pong => {
                state.rounds_left -= 1;
                if state.rounds_left == 0 {
                    state.end.send(());
                } else {
                    state.ping();
                }
            }
        }
        Ok(())
    }
}

enum PongerMessage {
    Connect(ActorRef<PingerMessage>, RpcReplyPort<()>),
    Ping,
}

struct Ponger;

impl Actor for Ponger {
    type Msg = PongerMessage;
    type State = Option<ActorRef<PingerMessage>>;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        (): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(None)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        pinger: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            PongerMessage::Connect(to_pinger, connected) => {
                *pinger = Some(to_pinger);
                connected.send(())?;
            }
            PongerMessage::Ping => pinger
                .as_ref()
                .expect("the ponger is connected")
                .cast(PingerMessage::Pong)
                .expect("the pinger lives"),
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Pingpong) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (pinger, ponger) = host.block_on(async {
        let ponger = start(Ponger, ()).await;
        let state = PingerState { ponger: ponger.clone(), rounds_left: params.rounds, end };
        let pinger = start(Pinger, state).await;
        ractor::call!(ponger, PongerMessage::Connect, pinger.clone()).expect("the ponger lives");
        (pinger, ponger)
    });

    let started = Instant::now();
    pinger.cast(PingerMessage::Start).expect("the pinger lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    stop(&[pinger]);
    stop(&[ponger]);
    let ops = params.rounds as u64;
    Ok(Sample { ops, elapsed })
}
