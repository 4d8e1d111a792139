//! `ring`: one token goes round a circle of actors.

use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::mailboxes;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Ring;
use crate::peer::Sample;

struct Token {
    hops_left: u64,
}

struct Node {
    mailbox: UnboundedReceiver<Token>,
    next: UnboundedSender<Token>,
    end: EndSignal<()>,
}

impl Node {
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
            self.next.send(Token { hops_left }).expect("the next node lives");
        }
    }
}

pub fn run(host: &Host, params: &Ring) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (nodes, receivers) = mailboxes(params.actors);
    let mut tasks = JoinSet::new();
    for (index, mailbox) in receivers.into_iter().enumerate() {
        let node =
            Node { mailbox, next: nodes[(index + 1) % params.actors].clone(), end: end.clone() };
        tasks.spawn_on(node.run(), host.handle());
    }

    let ops = params.hops as u64;
    let started = Instant::now();
    nodes[0].send(Token { hops_left: ops }).expect("the first node lives");
    ending.wait()?;
    let elapsed = started.elapsed();
    Ok(Sample { ops, elapsed })
}
