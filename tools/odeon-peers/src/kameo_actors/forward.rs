//! `forward`: many tokens go from actor to random actor.
//!
//! Kameo has no setting for one message per turn; the tokens are simply forwarded.

use std::sync::Arc;
use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start_prepared, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Forward;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

struct Token {
    hops_left: usize,
}

#[derive(Actor)]
struct Forwarder {
    all: Arc<[ActorRef<Forwarder>]>,
    numbers: XorShift64,
    end: EndSignal<()>,
}

impl Message<Token> for Forwarder {
    type Reply = ();

    async fn handle(&mut self, token: Token, _: &mut Context<Self, Self::Reply>) {
        if token.hops_left == 0 {
            self.end.send(());
        } else {
            let hops_left = token.hops_left - 1;
            let target = self.numbers.below(self.all.len());
            self.all[target].tell(Token { hops_left }).send().await.expect("every forwarder lives");
        }
    }
}

pub fn run(host: &Host, params: &Forward) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let all = host.block_on(async {
        let prepared = Vec::from_iter((0..params.actors).map(|_| prepare::<Forwarder>()));
        let all: Arc<[_]> = prepared.iter().map(|one| one.actor_ref().clone()).collect();
        for (index, one) in prepared.into_iter().enumerate() {
            let forwarder = Forwarder {
                all: Arc::clone(&all),
                numbers: XorShift64::of_actor(index),
                end: end.clone(),
            };
            start_prepared(one, forwarder).await;
        }
        all
    });

    let hops_left = params.hops;
    let started = Instant::now();
    for forwarder in &all[..params.tokens] {
        forwarder.tell(Token { hops_left }).blocking_send().expect("every forwarder lives");
    }
    ending.wait_for(params.tokens)?;
    let elapsed = started.elapsed();

    host.block_on(stop(&all));
    let ops = (params.tokens * params.hops) as u64;
    Ok(Sample { ops, elapsed })
}
