//! `fjthrput`: the driver floods actors that each do a little work at a message.

use std::time::Instant;

use kameo::prelude::*;

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Fjthrput;
use crate::peer::Sample;
use crate::throughput::Throughput;

struct Work;

#[derive(Actor)]
struct Worker {
    throughput: Throughput,
    end: EndSignal<()>,
}

impl Message<Work> for Worker {
    type Reply = ();

    async fn handle(&mut self, _: Work, _: &mut Context<Self, Self::Reply>) {
        if self.throughput.step() {
            self.end.send(());
        }
    }
}

pub fn run(host: &Host, params: &Fjthrput) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let workers = host.block_on(async {
        let mut workers = Vec::new();
        for _ in 0..params.actors {
            let worker = Worker { throughput: Throughput::new(params.messages), end: end.clone() };
            workers.push(start(worker).await);
        }
        workers
    });

    let started = Instant::now();
    for _ in 0..params.messages {
        for worker in &workers {
            worker.tell(Work).blocking_send().expect("the worker lives");
        }
    }
    ending.wait_for(params.actors)?;
    let elapsed = started.elapsed();

    host.block_on(stop(&workers));
    let ops = (params.actors * params.messages) as u64;
    Ok(Sample { ops, elapsed })
}
