//! The version with a selector: each seat has a mailbox at the arbitrator, which is closed while a
//! neighbour eats.

use super::feast::{Feast, MAX_SEATS};
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, feast: Feast) {
    theater.spawn(Arbitrator { feast, philosophers: Vec::new() }).post(ToArbitrator::Begin);
}

/// The mailbox of who is hungry on this seat.
const fn hungry_on(seat: usize) -> usize {
    seat + 1
}

enum ToArbitrator {
    Begin,
    Hungry { seat: usize },
    Done { seat: usize },
    Leaves { seat: usize, meals: u64 },
}

impl Message for ToArbitrator {
    const MAILBOXES: usize = 1 + MAX_SEATS;

    #[inline]
    fn mailbox(&self) -> usize {
        match self {
            Self::Hungry { seat } => hungry_on(*seat),
            Self::Begin | Self::Done { .. } | Self::Leaves { .. } => 0,
        }
    }
}

#[derive(Message)]
enum ToPhilosopher {
    BeHungry,
    Eat,
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
                self.feast.serve(seat);
                self.philosophers[seat].post(ToPhilosopher::Eat);
                ctx.close(hungry_on(self.feast.before(seat)));
                ctx.close(hungry_on(self.feast.after(seat)));
            }
            ToArbitrator::Done { seat } => {
                self.feast.clear(seat);
                for neighbour in [self.feast.before(seat), self.feast.after(seat)] {
                    if self.feast.can_eat(neighbour) {
                        ctx.open(hungry_on(neighbour));
                    }
                }
            }
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
            ToPhilosopher::BeHungry => arbitrator.post(ToArbitrator::Hungry { seat }),
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
