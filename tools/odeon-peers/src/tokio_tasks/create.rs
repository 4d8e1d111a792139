//! `create`: one actor spawns many, each of which acknowledges and stops.

use std::convert::Infallible;
use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Create;
use crate::peer::Sample;

enum CreatorMessage {
    Start,
    Started,
}

struct Creator {
    mailbox: UnboundedReceiver<CreatorMessage>,
    myself: UnboundedSender<CreatorMessage>,
    actors: usize,
    acknowledged: usize,
    end: EndSignal<()>,
}

impl Creator {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: CreatorMessage) {
        match message {
            CreatorMessage::Start => {
                for _ in 0..self.actors {
                    spawn_child(self.myself.clone());
                }
            }
            CreatorMessage::Started => {
                self.acknowledged += 1;
                if self.acknowledged == self.actors {
                    self.end.send(());
                }
            }
        }
    }
}

/// Nobody writes to a child, but an actor without a mailbox would be a mere task.
struct Child {
    _mailbox: UnboundedReceiver<Infallible>,
    creator: UnboundedSender<CreatorMessage>,
}

impl Child {
    async fn run(self) {
        self.creator.send(CreatorMessage::Started).expect("the creator lives");
    }
}

fn spawn_child(creator: UnboundedSender<CreatorMessage>) -> UnboundedSender<Infallible> {
    let (address, mailbox) = mpsc::unbounded_channel();
    let child = Child { _mailbox: mailbox, creator };
    tokio::spawn(child.run());
    address
}

pub fn run(host: &Host, params: &Create) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (creator, mailbox) = mpsc::unbounded_channel();
    let creator_actor =
        Creator { mailbox, myself: creator.clone(), actors: params.actors, acknowledged: 0, end };
    let mut tasks = JoinSet::new();
    tasks.spawn_on(creator_actor.run(), host.handle());

    let started = Instant::now();
    creator.send(CreatorMessage::Start).expect("the creator lives");
    ending.wait()?;
    let elapsed = started.elapsed();
    let ops = params.actors as u64;
    Ok(Sample { ops, elapsed })
}
