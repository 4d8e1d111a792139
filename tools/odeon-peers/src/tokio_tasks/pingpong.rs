//! `pingpong`: two actors send one message to and fro.

use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Pingpong;
use crate::peer::Sample;

enum PingerMessage {
    Start,
    Pong,
}

struct Pinger {
    mailbox: UnboundedReceiver<PingerMessage>,
    ponger: UnboundedSender<Ping>,
    rounds_left: usize,
    end: EndSignal<()>,
}

impl Pinger {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: PingerMessage) {
        match message {
            PingerMessage::Start => self.ping(),
            PingerMessage::Pong => {
                self.rounds_left -= 1;
                if self.rounds_left == 0 {
                    self.end.send(());
                } else {
                    self.ping();
                }
            }
        }
    }

    fn ping(&self) {
        self.ponger.send(Ping).expect("the ponger lives");
    }
}

struct Ping;

struct Ponger {
    mailbox: UnboundedReceiver<Ping>,
    pinger: UnboundedSender<PingerMessage>,
}

impl Ponger {
    async fn run(mut self) {
        while let Some(Ping) = self.mailbox.recv().await {
            self.pinger.send(PingerMessage::Pong).expect("the pinger lives");
        }
    }
}

pub fn run(host: &Host, params: &Pingpong) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (pinger, pinger_mailbox) = mpsc::unbounded_channel();
    let (ponger, ponger_mailbox) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let pinger_actor = Pinger { mailbox: pinger_mailbox, ponger, rounds_left: params.rounds, end };
    let ponger_actor = Ponger { mailbox: ponger_mailbox, pinger: pinger.clone() };
    tasks.spawn_on(pinger_actor.run(), host.handle());
    tasks.spawn_on(ponger_actor.run(), host.handle());

    let started = Instant::now();
    pinger.send(PingerMessage::Start).expect("the pinger lives");
    ending.wait()?;
    let elapsed = started.elapsed();
    let ops = params.rounds as u64;
    Ok(Sample { ops, elapsed })
}
