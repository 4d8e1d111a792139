//! `create`: one actor creates many; each acknowledges and stops.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// See the module.
pub(super) static CREATE: Workload = Workload {
    summary: "one actor creates many others; each acknowledges its start and stops",
    operation: "actor created, acknowledged, stopped",
    floor_is: "boxes pushed to a VecDeque by one loop, popped, counted and dropped by another",
    parameters: &[
        Parameter::number("actors", "actors to create", 1, 100_000_000, 100_000),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("create", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let actors = params.number("actors");
    let (finish, waiting) = finish_line(1);
    let creator = theater.spawn(Creator { missing: actors, finish });
    waiting
        .time(actors, || {
            creator.post(ToCreator::Begin);
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let actors = params.number("actors");
    let acknowledged = Rc::new(Cell::new(0));
    let (measured, ()) = Measured::time(actors, || {
        let mut queue: VecDeque<Box<dyn FloorChild>> = VecDeque::new();
        for _ in 0..actors {
            queue.push_back(Box::new(Acknowledging(acknowledged.clone())));
        }
        while let Some(child) = queue.pop_front() {
            child.start();
        }
    });
    if acknowledged.get() != actors {
        return Err(BenchError::WrongResult("an acknowledgement got lost".to_owned()));
    }
    Ok(measured)
}

#[derive(Message)]
enum ToCreator {
    Begin,
    Started,
}

struct Creator {
    missing: u64,
    finish: Finish,
}

impl Actor for Creator {
    type Msg = ToCreator;

    fn handle(&mut self, message: ToCreator, ctx: &mut Context<'_, Self>) {
        match message {
            ToCreator::Begin => {
                for _ in 0..self.missing {
                    let creator = ctx.actor_ref();
                    ctx.spawn(Child { creator });
                }
            }
            ToCreator::Started => {
                self.missing -= 1;
                if self.missing == 0 {
                    self.finish.arrive();
                }
            }
        }
    }
}

struct Child {
    creator: ActorRef<ToCreator>,
}

impl Actor for Child {
    type Msg = ();

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.creator.post(ToCreator::Started);
        ctx.stop();
    }

    fn handle(&mut self, (): (), _ctx: &mut Context<'_, Self>) {}
}

trait FloorChild {
    fn start(&self);
}

struct Acknowledging(Rc<Cell<u64>>);

impl FloorChild for Acknowledging {
    fn start(&self) {
        self.0.set(self.0.get() + 1);
    }
}
