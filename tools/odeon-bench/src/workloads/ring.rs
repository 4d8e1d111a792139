//! `ring`: one token goes round a ring of actors.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// See the module.
pub(super) static RING: Workload = Workload {
    summary: "one token goes round a ring of actors; --stage pinned: all on one pinned stage",
    operation: "hop",
    floor_is: "boxed actors in a ring, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("actors", "actors in the ring", 1, 1_000_000, 31),
        Parameter::number("hops", "hops of the token", 1, 1_000_000_000, 1_000_000),
        WORKERS,
    ],
    variants: &[Variant::Pool, Variant::Pinned],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("ring", run, floor)
};

fn run(variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let stage = match variant {
        Variant::Pinned => Some(pinned_stage(&theater, "ring")?),
        Variant::Pool | Variant::Async | Variant::Stm => None,
    };
    let (finish, waiting) = finish_line(1);
    let ring: Vec<ActorRef<Step>> = (0..params.count("actors"))
        .map(|_| {
            let member = Member { next: None, finish: finish.clone() };
            match &stage {
                Some(stage) => theater.actor().on(stage).spawn(member),
                None => theater.spawn(member),
            }
        })
        .collect();
    for (index, member) in ring.iter().enumerate() {
        member.post(Step::Link(ring[(index + 1) % ring.len()].clone()));
    }
    let hops = params.number("hops");
    waiting
        .time(hops, || {
            ring[0].post(Step::Token(hops));
        })
        .map(Measured::from)
}

pub(super) fn floor(params: &Params) -> Result<Measured, BenchError> {
    let actors = params.count("actors");
    let ended = Rc::new(Cell::new(false));
    let mut ring: Vec<Box<dyn Receiver<u64>>> = (0..actors)
        .map(|index| {
            let next = (index + 1) % actors;
            Box::new(FloorMember { next, ended: ended.clone() }) as Box<dyn Receiver<u64>>
        })
        .collect();
    let hops = params.number("hops");
    let mut queue = Queue::new();
    let (measured, ()) = Measured::time(hops, || {
        queue.post(0, hops);
        queue.drive(&mut ring);
    });
    let lost = || BenchError::WrongResult("the token got lost".to_owned());
    ended.get().then_some(measured).ok_or_else(lost)
}

#[derive(Message)]
enum Step {
    Link(ActorRef<Step>),
    Token(u64),
}

struct Member {
    next: Option<ActorRef<Step>>,
    finish: Finish,
}

impl Actor for Member {
    type Msg = Step;

    fn handle(&mut self, step: Step, _ctx: &mut Context<'_, Self>) {
        match (step, &self.next) {
            (Step::Link(next), _) => self.next = Some(next),
            (Step::Token(0), _) => self.finish.arrive(),
            (Step::Token(left), Some(next)) => next.post(Step::Token(left - 1)),
            (Step::Token(_), None) => {}
        }
    }
}

struct FloorMember {
    next: usize,
    ended: Rc<Cell<bool>>,
}

impl Receiver<u64> for FloorMember {
    fn receive(&mut self, left: u64, queue: &mut Queue<u64>) {
        if left == 0 {
            self.ended.set(true);
        } else {
            queue.post(self.next, left - 1);
        }
    }
}
