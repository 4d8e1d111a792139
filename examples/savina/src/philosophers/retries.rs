//! The version of the suite: who cannot have both forks is told so, and asks again.

use super::feast::Feast;
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, feast: Feast) {
    theater.spawn(Arbitrator { feast, philosophers: Vec::new() }).post(ToArbitrator::Begin);
}

#[derive(Message)]
enum ToArbitrator {
    Begin,
    Hungry { seat: usize },
    Done { seat: usize },
    Leaves { seat: usize, meals: u64 },
}

#[derive(Message)]
enum ToPhilosopher {
    BeHungry,
    Eat,
    Denied,
}

struct Arbitrator {
    feast: Feast,
    philosophers: Vec<ActorRef<ToPhilosopher>>,
}

impl Actor for Arbitrator {
    type Msg = ToArbitrator;

    fn handle(&mut self, message: ToArbitrator, ctx: &mut Context<'_, Self>) {
        match message {
            ToArbitrator::Begin => {
                let rounds = self.feast.rounds();
                let philosopher =
                    |seat| Philosopher { seat, rounds, meals: 0, arbitrator: ctx.actor_ref() };
                self.philosophers =
                    (0..self.feast.seats()).map(|seat| ctx.spawn(philosopher(seat))).collect();
                self.philosophers.iter().for_each(|one| one.post(ToPhilosopher::BeHungry));
            }
            ToArbitrator::Hungry { seat } => {
                let answer = if self.feast.can_eat(seat) {
                    self.feast.serve(seat);
                    ToPhilosopher::Eat
                } else {
                    ToPhilosopher::Denied
                };
                self.philosophers[seat].post(answer);
            }
            ToArbitrator::Done { seat } => self.feast.clear(seat),
            ToArbitrator::Leaves { seat, meals } => {
                if self.feast.leave(seat, meals) {
                    ctx.stop();
                }
            }
        }
    }
}

struct Philosopher {
    seat: usize,
    rounds: u64,
    meals: u64,
    arbitrator: ActorRef<ToArbitrator>,
}

impl Actor for Philosopher {
    type Msg = ToPhilosopher;

    fn handle(&mut self, message: ToPhilosopher, ctx: &mut Context<'_, Self>) {
        let (seat, arbitrator) = (self.seat, &self.arbitrator);
        match message {
            ToPhilosopher::BeHungry | ToPhilosopher::Denied => {
                arbitrator.post(ToArbitrator::Hungry { seat })
            }
            ToPhilosopher::Eat => {
                self.meals += 1;
                arbitrator.post(ToArbitrator::Done { seat });
                if self.meals < self.rounds {
                    ctx.send_self(ToPhilosopher::BeHungry);
                } else {
                    arbitrator.post(ToArbitrator::Leaves { seat, meals: self.meals });
                    ctx.stop();
                }
            }
        }
    }
}
