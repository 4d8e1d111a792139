//! `ring`: one token goes round a circle of actors.

use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start_prepared, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Ring;
use crate::peer::Sample;

#[derive(Actor)]
struct Node {
    next: ActorRef<Node>,
    end: EndSignal<()>,
}

struct Token {
    hops_left: u64,
}

impl Message<Token> for Node {
    type Reply = ();

    async fn handle(&mut self, token: Token, _: &mut Context<Self, Self::Reply>) {
        if token.hops_left == 0 {
            self.end.send(());
        } else {
            let hops_left = token.hops_left - 1;
            self.next.tell(Token { hops_left }).send().await.expect("the next node lives");
        }
    }
}

pub fn run(host: &Host, params: &Ring) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let nodes = host.block_on(async {
        let prepared = Vec::from_iter((0..params.actors).map(|_| prepare::<Node>()));
        let nodes = Vec::from_iter(prepared.iter().map(|node| node.actor_ref().clone()));
        for (index, node) in prepared.into_iter().enumerate() {
            let next = nodes[(index + 1) % params.actors].clone();
            let end = end.clone();
            start_prepared(node, Node { next, end }).await;
        }
        nodes
    });

    let ops = params.hops as u64;
    let started = Instant::now();
    nodes[0].tell(Token { hops_left: ops }).blocking_send().expect("the first node lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(stop(&nodes));
    Ok(Sample { ops, elapsed })
}
