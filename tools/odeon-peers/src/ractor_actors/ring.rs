//! `ring`: one token goes round a circle of actors.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Ring;
use crate::peer::Sample;

enum NodeMessage {
    Connect(ActorRef<NodeMessage>, RpcReplyPort<()>),
    Token { hops_left: u64 },
}

struct Node;

struct NodeState {
    next: Option<ActorRef<NodeMessage>>,
    end: EndSignal<()>,
}

impl Actor for Node {
    type Msg = NodeMessage;
    type State = NodeState;
    type Arguments = EndSignal<()>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        end: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(NodeState { next: None, end })
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            NodeMessage::Connect(next, connected) => {
                state.next = Some(next);
                connected.send(())?;
            }
            NodeMessage::Token { hops_left: 0 } => state.end.send(()),
            NodeMessage::Token { hops_left } => {
                let next = state.next.as_ref().expect("the node is connected");
                let hops_left = hops_left - 1;
                next.cast(NodeMessage::Token { hops_left }).expect("the next node lives");
            }
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Ring) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let nodes = host.block_on(async {
        let mut nodes = Vec::new();
        for _ in 0..params.actors {
            nodes.push(start(Node, end.clone()).await);
        }
        for (index, node) in nodes.iter().enumerate() {
            let next = nodes[(index + 1) % params.actors].clone();
            ractor::call!(node, NodeMessage::Connect, next).expect("the node lives");
        }
        nodes
    });

    let ops = params.hops as u64;
    let started = Instant::now();
    nodes[0].cast(NodeMessage::Token { hops_left: ops }).expect("the first node lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    stop(&nodes);
    Ok(Sample { ops, elapsed })
}
