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
    let ring: Vec<ActorRef<RingStep>> = (0..params.count("actors"))
        .map(|_| {
            let member = LocalRingMember { next: None, finish: finish.clone() };
            match &stage {
                Some(stage) => theater.actor().on(stage).spawn(member),
                None => theater.spawn(member),
            }
        })
        .collect();
    for (index, member) in ring.iter().enumerate() {
        member.post(RingStep::Link(ring[(index + 1) % ring.len()].clone()));
    }
    let hops = params.number("hops");
    waiting
        .time(hops, || {
            ring[0].post(RingStep::Token(hops));
        })
        .map(Measured::from)
}

pub(super) fn floor(params: &Params) -> Result<Measured, BenchError> {
    let actors = params.count("actors");
    let ended = Rc::new(Cell::new(false));
    let mut ring: Vec<Box<dyn FloorActor<u64>>> = (0..actors)
        .map(|index| {
            let next = (index + 1) % actors;
            Box::new(FloorMember { next, ended: ended.clone() }) as Box<dyn FloorActor<u64>>
        })
        .collect();
    let hops = params.number("hops");
    let mut queue = FloorQueue::new();
    let (measured, ()) = Measured::time(hops, || {
        queue.post(0, hops);
        queue.drive(&mut ring);
    });
    let lost = || BenchError::WrongResult("the token got lost".to_owned());
    ended.get().then_some(measured).ok_or_else(lost)
}

#[derive(Message)]
enum RingStep {
    Link(ActorRef<RingStep>),
    Token(u64),
}

struct LocalRingMember {
    next: Option<ActorRef<RingStep>>,
    finish: Finish,
}

impl Actor for LocalRingMember {
    type Msg = RingStep;

    fn handle(&mut self, step: RingStep, _ctx: &mut Context<'_, Self>) {
        match (step, &self.next) {
            (RingStep::Link(next), _) => self.next = Some(next),
            (RingStep::Token(0), _) => self.finish.arrive(),
            (RingStep::Token(left), Some(next)) => next.post(RingStep::Token(left - 1)),
            (RingStep::Token(_), None) => {}
        }
    }
}

struct FloorMember {
    next: usize,
    ended: Rc<Cell<bool>>,
}

impl FloorActor<u64> for FloorMember {
    fn receive(&mut self, left: u64, queue: &mut FloorQueue<u64>) {
        if left == 0 {
            self.ended.set(true);
        } else {
            queue.post(self.next, left - 1);
        }
    }
}
