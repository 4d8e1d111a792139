//! `big`: many actors, each pinging random others and answering their pings.

use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_example_run::XorShift64;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// See the module.
pub(super) static BIG: Workload = Workload {
    summary: "many actors ping random others, each waiting for the pong before its next ping",
    operation: "ping answered",
    floor_is: "the same actors, boxed, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("actors", "actors", 2, 1_000_000, 120),
        Parameter::number("pings", "pings of each actor", 1, 1_000_000_000, 5000),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("big", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let (actors, pings) = (params.count("actors"), params.number("pings"));
    let (finish, waiting) = finish_line(1);
    let sink = theater.spawn(Sink { missing: actors, finish });
    let everyone = Arc::new(OnceLock::new());
    let refs: Vec<ActorRef<Ball>> = (0..actors)
        .map(|index| {
            let player = Player::new(index, actors, pings);
            theater.spawn(Pinger { player, everyone: everyone.clone(), sink: sink.clone() })
        })
        .collect();
    let refs = everyone.get_or_init(|| refs);
    waiting
        .time(actors as u64 * pings, || {
            for actor in refs {
                actor.post(Ball::Begin);
            }
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (actors, pings) = (params.count("actors"), params.number("pings"));
    let done = Rc::new(Cell::new(0));
    let mut players: Vec<Box<dyn FloorActor<Ball>>> = (0..actors)
        .map(|index| {
            let player = Player::new(index, actors, pings);
            Box::new(FloorPinger { player, done: done.clone() }) as Box<dyn FloorActor<Ball>>
        })
        .collect();
    let mut queue = FloorQueue::new();
    let (measured, ()) = Measured::time(actors as u64 * pings, || {
        for index in 0..actors {
            queue.post(index, Ball::Begin);
        }
        queue.drive(&mut players);
    });
    if done.get() != actors {
        return Err(BenchError::WrongResult("an actor did not get all its pongs".to_owned()));
    }
    Ok(measured)
}

#[derive(Message)]
enum Ball {
    Begin,
    /// With the index of the sender.
    Ping(usize),
    Pong,
}

/// What an actor knows about its own game.
struct Player {
    index: usize,
    actors: usize,
    left: u64,
    random: XorShift64,
}

/// What a player does next.
enum Move {
    Send(usize, Ball),
    Report,
}

impl Player {
    fn new(index: usize, actors: usize, pings: u64) -> Self {
        Self { index, actors, left: pings, random: XorShift64::of_actor(index) }
    }

    #[inline]
    fn receive(&mut self, ball: Ball) -> Move {
        match ball {
            Ball::Ping(from) => return Move::Send(from, Ball::Pong),
            Ball::Pong => self.left -= 1,
            Ball::Begin => {}
        }
        if self.left == 0 {
            return Move::Report;
        }
        Move::Send(self.random.other_than(self.index, self.actors), Ball::Ping(self.index))
    }
}

struct Pinger {
    player: Player,
    everyone: Arc<OnceLock<Vec<ActorRef<Ball>>>>,
    sink: ActorRef<()>,
}

impl Actor for Pinger {
    type Msg = Ball;

    fn handle(&mut self, ball: Ball, _ctx: &mut Context<'_, Self>) {
        match (self.player.receive(ball), self.everyone.get()) {
            (Move::Send(to, ball), Some(everyone)) => everyone[to].post(ball),
            (Move::Send(..), None) => {}
            (Move::Report, _) => self.sink.post(()),
        }
    }
}

struct Sink {
    missing: usize,
    finish: Finish,
}

impl Actor for Sink {
    type Msg = ();

    fn handle(&mut self, (): (), _ctx: &mut Context<'_, Self>) {
        self.missing -= 1;
        if self.missing == 0 {
            self.finish.arrive();
        }
    }
}

struct FloorPinger {
    player: Player,
    done: Rc<Cell<usize>>,
}

impl FloorActor<Ball> for FloorPinger {
    fn receive(&mut self, ball: Ball, queue: &mut FloorQueue<Ball>) {
        match self.player.receive(ball) {
            Move::Send(to, ball) => queue.post(to, ball),
            Move::Report => self.done.set(self.done.get() + 1),
        }
    }
}
