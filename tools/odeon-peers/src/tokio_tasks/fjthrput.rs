//! `fjthrput`: the driver floods actors that each do a little work at a message.

use std::time::Instant;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

use super::mailboxes;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Fjthrput;
use crate::peer::Sample;
use crate::throughput::Throughput;

struct Work;

struct Worker {
    mailbox: UnboundedReceiver<Work>,
    throughput: Throughput,
    end: EndSignal<()>,
}

impl Worker {
    async fn run(mut self) {
        while let Some(Work) = self.mailbox.recv().await {
            if self.throughput.step() {
                self.end.send(());
            }
        }
    }
}

pub fn run(host: &Host, params: &Fjthrput) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (workers, receivers) = mailboxes(params.actors);
    let mut tasks = JoinSet::new();
    for mailbox in receivers {
        let worker =
            Worker { mailbox, throughput: Throughput::new(params.messages), end: end.clone() };
        tasks.spawn_on(worker.run(), host.handle());
    }

    let started = Instant::now();
    for _ in 0..params.messages {
        for worker in &workers {
            worker.send(Work).expect("the worker lives");
        }
    }
    ending.wait_for(params.actors)?;
    let elapsed = started.elapsed();
    let ops = (params.actors * params.messages) as u64;
    Ok(Sample { ops, elapsed })
}
