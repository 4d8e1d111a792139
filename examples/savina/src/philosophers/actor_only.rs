//! The version with an arbitrator of one mailbox, which keeps a set of who waits for forks.

use super::feast::Feast;
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, feast: Feast) {
    theater
        .spawn(Arbitrator { feast, philosophers: Vec::new(), hungry: 0 })
        .post(ToArbitrator::Begin);
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
}

struct Arbitrator {
    feast: Feast,
    philosophers: Vec<ActorRef<ToPhilosopher>>,
    /// Bit `n`: who waits on seat `n`.
    hungry: u64,
}

impl Arbitrator {
    fn serve(&mut self, seat: usize) {
        self.feast.serve(seat);
        self.philosophers[seat].post(ToPhilosopher::Eat);
    }
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
                if self.feast.can_eat(seat) {
                    self.serve(seat);
                } else {
                    self.hungry |= 1 << seat;
                }
            }
            ToArbitrator::Done { seat } => {
                self.feast.clear(seat);
                for neighbour in [self.feast.before(seat), self.feast.after(seat)] {
                    if self.hungry & 1 << neighbour != 0 && self.feast.can_eat(neighbour) {
                        self.hungry &= !(1 << neighbour);
                        self.serve(neighbour);
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
