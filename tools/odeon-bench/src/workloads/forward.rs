//! `forward`: tokens are forwarded to random actors, one message per turn (scenario 2 of the
//! article on Java's ForkJoinPool at heise online): what the order of the workers' queues costs.

use crate::workload::prelude::*;
use odeon::QueueOrder;
use odeon::prelude::*;
use odeon_example_run::XorShift64;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// See the module.
pub(super) static FORWARD: Workload = Workload {
    summary: "tokens are forwarded to random actors, one message per turn, in each queue order",
    operation: "forward",
    floor_is: "the same actors, boxed, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("actors", "actors", 1, 1_000_000, 1000),
        Parameter::number("tokens", "tokens, one in each of the first actors", 1, 1_000_000, 200),
        Parameter::number("hops", "forwards of each token", 1, 1_000_000_000, 100_000),
        Parameter::word("order", "order of the run queues", &["fifo", "lifo", "central"])
            .outside_floor()
            .odeon_only(),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    check,
    ..Workload::new("forward", run, floor)
};

fn check(params: &Params) -> Result<(), BenchError> {
    let (tokens, actors) = (params.number("tokens"), params.number("actors"));
    if tokens > actors {
        let problem = format!("{tokens} tokens need at least as many actors, not {actors}");
        return Err(BenchError::bad_argument("--tokens", problem));
    }
    Ok(())
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = Theater::builder()
        .workers(params.count("workers"))
        .order(queue_order(params.word("order")))
        .turn_messages(1)
        .build()
        .map_err(runtime)?;
    let tokens = params.count("tokens");
    let hops = params.number("hops");
    let (finish, waiting) = finish_line(tokens);
    let everyone = Arc::new(OnceLock::new());
    let refs: Vec<ActorRef<u64>> = (0..params.count("actors"))
        .map(|index| {
            let random = XorShift64::of_actor(index);
            theater.spawn(TokenNode { random, everyone: everyone.clone(), finish: finish.clone() })
        })
        .collect();
    let refs = everyone.get_or_init(|| refs);
    waiting
        .time(tokens as u64 * hops, || {
            for actor in &refs[..tokens] {
                actor.post(hops);
            }
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (actors, tokens) = (params.count("actors"), params.count("tokens"));
    let hops = params.number("hops");
    let deleted = Rc::new(Cell::new(0));
    let mut nodes: Vec<Box<dyn FloorActor<u64>>> = (0..actors)
        .map(|index| {
            let random = XorShift64::of_actor(index);
            let node = FloorNode { random, actors, deleted: deleted.clone() };
            Box::new(node) as Box<dyn FloorActor<u64>>
        })
        .collect();
    let mut queue = FloorQueue::new();
    let (measured, ()) = Measured::time(tokens as u64 * hops, || {
        for index in 0..tokens {
            queue.post(index, hops);
        }
        queue.drive(&mut nodes);
    });
    if deleted.get() != tokens {
        return Err(BenchError::WrongResult("a token got lost".to_owned()));
    }
    Ok(measured)
}

fn queue_order(word: &str) -> QueueOrder {
    match word {
        "lifo" => QueueOrder::Lifo,
        "central" => QueueOrder::Central,
        _ => QueueOrder::Fifo,
    }
}

/// A token is the number of its forwards that are left.
struct TokenNode {
    random: XorShift64,
    everyone: Arc<OnceLock<Vec<ActorRef<u64>>>>,
    finish: Finish,
}

impl Actor for TokenNode {
    type Msg = u64;

    fn handle(&mut self, left: u64, _ctx: &mut Context<'_, Self>) {
        if left == 0 {
            self.finish.arrive();
        } else if let Some(everyone) = self.everyone.get() {
            everyone[self.random.below(everyone.len())].post(left - 1);
        }
    }
}

struct FloorNode {
    random: XorShift64,
    actors: usize,
    deleted: Rc<Cell<usize>>,
}

impl FloorActor<u64> for FloorNode {
    fn receive(&mut self, left: u64, queue: &mut FloorQueue<u64>) {
        if left == 0 {
            self.deleted.set(self.deleted.get() + 1);
        } else {
            queue.post(self.random.below(self.actors), left - 1);
        }
    }
}
