//! `forward`: many tokens go from actor to random actor.
//!
//! Ractor has no setting for one message per turn; the tokens are simply forwarded.

use std::sync::Arc;
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Forward;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

type Forwarders = Arc<[ActorRef<ForwarderMessage>]>;

enum ForwarderMessage {
    Connect(Forwarders, RpcReplyPort<()>),
    Token { hops_left: usize },
}

struct Forwarder;

struct ForwarderState {
    all: Forwarders,
    numbers: XorShift64,
    end: EndSignal<()>,
}

impl Actor for Forwarder {
    type Msg = ForwarderMessage;
    type State = ForwarderState;
    type Arguments = ForwarderState;

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
            ForwarderMessage::Connect(all, connected) => {
                state.all = all;
                connected.send(())?;
            }
            ForwarderMessage::Token { hops_left: 0 } => state.end.send(()),
            ForwarderMessage::Token { hops_left } => {
                let hops_left = hops_left - 1;
                let target = state.numbers.below(state.all.len());
                state.all[target]
                    .cast(ForwarderMessage::Token { hops_left })
                    .expect("every forwarder lives");
            }
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Forward) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let all = host.block_on(async {
        let mut forwarders = Vec::new();
        for index in 0..params.actors {
            let state = ForwarderState {
                all: Arc::new([]),
                numbers: XorShift64::of_actor(index),
                end: end.clone(),
            };
            forwarders.push(start(Forwarder, state).await);
        }
        let all: Forwarders = forwarders.into();
        for forwarder in all.iter() {
            let all = Arc::clone(&all);
            ractor::call!(forwarder, ForwarderMessage::Connect, all)
                .expect("every forwarder lives");
        }
        all
    });

    let hops_left = params.hops;
    let started = Instant::now();
    for forwarder in &all[..params.tokens] {
        forwarder.cast(ForwarderMessage::Token { hops_left }).expect("every forwarder lives");
    }
    ending.wait_for(params.tokens)?;
    let elapsed = started.elapsed();

    stop(&all);
    let ops = (params.tokens * params.hops) as u64;
    Ok(Sample { ops, elapsed })
}
