//! One actor sends to eight, a few at a time; an operation is a message.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

/// Messages to each of the eight before the sender lets them work.
const AT_ONCE: u64 = 16;
const WORKERS: u64 = 8;

struct Worker {
    handled: u64,
    sender: Option<ActorRef<Go>>,
}

#[derive(Message)]
enum ThroughputJob {
    Of(ActorRef<Go>),
    Work,
}

impl Actor for Worker {
    type Msg = ThroughputJob;

    fn handle(&mut self, job: ThroughputJob, _ctx: &mut Context<'_, Self>) {
        match job {
            ThroughputJob::Of(sender) => self.sender = Some(sender),
            ThroughputJob::Work => {
                self.handled += 1;
                if let Some(sender) = self.sender.as_ref().filter(|_| self.handled % AT_ONCE == 0) {
                    let _ = sender.send(Go);
                }
            }
        }
    }
}

#[derive(Message)]
struct Go;

struct JobSource {
    left: u64,
    ready: u64,
    workers: Vec<ActorRef<ThroughputJob>>,
    end: Sender<()>,
}

impl Actor for JobSource {
    type Msg = Go;

    fn handle(&mut self, _go: Go, _ctx: &mut Context<'_, Self>) {
        self.ready += 1;
        if self.ready < WORKERS {
            return;
        }
        self.ready = 0;
        if self.left == 0 {
            let _ = self.end.send(());
            return;
        }
        for worker in &self.workers {
            for _ in 0..AT_ONCE {
                let _ = worker.send(ThroughputJob::Work);
            }
        }
        self.left = self.left.saturating_sub(AT_ONCE * WORKERS);
    }
}

pub(super) fn run(messages: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let workers: Vec<_> =
        (0..WORKERS).map(|_| theater.spawn(Worker { handled: 0, sender: None })).collect();
    let source =
        theater.spawn(JobSource { left: messages, ready: 0, workers: workers.clone(), end });
    for worker in &workers {
        worker.send(ThroughputJob::Of(source.clone())).map_err(text)?;
    }
    for _ in 0..WORKERS {
        source.send(Go).map_err(text)?;
    }
    wait(&ended)
}
