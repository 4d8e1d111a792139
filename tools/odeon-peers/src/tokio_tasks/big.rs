//! `big`: every actor pings random others and waits for each pong.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::mailboxes;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Big;
use crate::peer::Sample;
use crate::xorshift::XorShift64;

enum Message {
    Start,
    Ping { sender: usize },
    Pong,
}

struct Pinger {
    index: usize,
    mailbox: UnboundedReceiver<Message>,
    all: Arc<[UnboundedSender<Message>]>,
    sink: UnboundedSender<Finished>,
    numbers: XorShift64,
    pongs_missing: usize,
}

impl Pinger {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Start => self.ping(),
            Message::Ping { sender } => self.tell(sender, Message::Pong),
            Message::Pong => {
                self.pongs_missing -= 1;
                if self.pongs_missing == 0 {
                    self.sink.send(Finished).expect("the sink lives");
                } else {
                    self.ping();
                }
            }
        }
    }

    fn ping(&mut self) {
        let other = self.numbers.below_except(self.all.len(), self.index);
        self.tell(other, Message::Ping { sender: self.index });
    }

    fn tell(&self, index: usize, message: Message) {
        self.all[index].send(message).expect("every pinger lives");
    }
}

struct Finished;

struct Sink {
    mailbox: UnboundedReceiver<Finished>,
    missing: usize,
    end: EndSignal<()>,
}

impl Sink {
    async fn run(mut self) {
        while let Some(Finished) = self.mailbox.recv().await {
            self.missing -= 1;
            if self.missing == 0 {
                self.end.send(());
            }
        }
    }
}

pub fn run(host: &Host, params: &Big) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let mut tasks = JoinSet::new();
    let (sink, sink_mailbox) = mpsc::unbounded_channel();
    let sink_actor = Sink { mailbox: sink_mailbox, missing: params.actors, end };
    tasks.spawn_on(sink_actor.run(), host.handle());
    let (pingers, receivers) = mailboxes(params.actors);
    let all: Arc<[_]> = pingers.into();
    for (index, mailbox) in receivers.into_iter().enumerate() {
        let pinger = Pinger {
            index,
            mailbox,
            all: Arc::clone(&all),
            sink: sink.clone(),
            numbers: XorShift64::of_actor(index),
            pongs_missing: params.pings,
        };
        tasks.spawn_on(pinger.run(), host.handle());
    }

    let started = Instant::now();
    for pinger in all.iter() {
        pinger.send(Message::Start).expect("every pinger lives");
    }
    ending.wait()?;
    let elapsed = started.elapsed();
    let ops = (params.actors * params.pings) as u64;
    Ok(Sample { ops, elapsed })
}
