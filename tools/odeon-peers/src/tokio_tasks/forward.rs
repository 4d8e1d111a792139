//! `forward`: many tokens go from actor to random actor.
//!
//! Tokio has no setting for one message per turn; the tokens are simply forwarded.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::mailboxes;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Forward;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

struct Token {
    hops_left: usize,
}

struct Forwarder {
    mailbox: UnboundedReceiver<Token>,
    all: Arc<[UnboundedSender<Token>]>,
    numbers: XorShift64,
    end: EndSignal<()>,
}

impl Forwarder {
    async fn run(mut self) {
        while let Some(token) = self.mailbox.recv().await {
            self.handle(token);
        }
    }

    fn handle(&mut self, token: Token) {
        if token.hops_left == 0 {
            self.end.send(());
        } else {
            let hops_left = token.hops_left - 1;
            let target = self.numbers.below(self.all.len());
            self.all[target].send(Token { hops_left }).expect("every forwarder lives");
        }
    }
}

pub fn run(host: &Host, params: &Forward) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (forwarders, receivers) = mailboxes(params.actors);
    let all: Arc<[_]> = forwarders.into();
    let mut tasks = JoinSet::new();
    for (index, mailbox) in receivers.into_iter().enumerate() {
        let forwarder = Forwarder {
            mailbox,
            all: Arc::clone(&all),
            numbers: XorShift64::of_actor(index),
            end: end.clone(),
        };
        tasks.spawn_on(forwarder.run(), host.handle());
    }

    let hops_left = params.hops;
    let started = Instant::now();
    for forwarder in &all[..params.tokens] {
        forwarder.send(Token { hops_left }).expect("every forwarder lives");
    }
    ending.wait_for(params.tokens)?;
    let elapsed = started.elapsed();
    let ops = (params.tokens * params.hops) as u64;
    Ok(Sample { ops, elapsed })
}
