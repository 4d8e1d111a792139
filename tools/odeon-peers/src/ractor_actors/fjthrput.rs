//! `fjthrput`: the driver floods actors that each do a little work at a message.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Fjthrput;
use crate::peer::Sample;
use crate::throughput::Throughput;

struct Work;

struct Worker;

struct WorkerState {
    throughput: Throughput,
    end: EndSignal<()>,
}

impl Actor for Worker {
    type Msg = Work;
    type State = WorkerState;
    type Arguments = WorkerState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        _: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        if state.throughput.step() {
            state.end.send(());
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Fjthrput) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let workers = host.block_on(async {
        let mut workers = Vec::new();
        for _ in 0..params.actors {
            let state =
                WorkerState { throughput: Throughput::new(params.messages), end: end.clone() };
            workers.push(start(Worker, state).await);
        }
        workers
    });

    let started = Instant::now();
    for _ in 0..params.messages {
        for worker in &workers {
            worker.cast(Work).expect("the worker lives");
        }
    }
    ending.wait_for(params.actors)?;
    let elapsed = started.elapsed();

    stop(&workers);
    let ops = (params.actors * params.messages) as u64;
    Ok(Sample { ops, elapsed })
}
