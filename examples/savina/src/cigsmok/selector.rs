//! The version with selectors: a smoker smokes before it goes home, whenever it was told to. Guards
//! have nothing to do here, and the arbiter needs no second mailbox: nobody gets ingredients before
//! the last ones have been taken.

use super::rounds::{Rounds, Share, Smoking};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, rounds: Rounds, shares: &[Share], finish: &Finish) {
    let arbiter = theater.spawn(Arbiter { rounds, smokers: Vec::new() });
    let smoker = |share: &Share| Smoker {
        smoking: Smoking::new(*share, finish.clone()),
        arbiter: arbiter.clone(),
    };
    arbiter
        .post(ToArbiter::Begin(shares.iter().map(|share| theater.spawn(smoker(share))).collect()));
}

#[derive(Message)]
enum ToArbiter {
    Begin(Vec<ActorRef<ToSmoker>>),
    Taken,
}

#[derive(Mailboxes, Clone, Copy)]
enum Wish {
    Smoke,
    GoHome,
}

#[derive(Message)]
enum ToSmoker {
    #[mailbox(Wish::Smoke)]
    Smoke { draws: u64 },
    #[mailbox(Wish::GoHome)]
    GoHome,
}

struct Arbiter {
    rounds: Rounds,
    smokers: Vec<ActorRef<ToSmoker>>,
}

impl Actor for Arbiter {
    type Msg = ToArbiter;

    fn handle(&mut self, message: ToArbiter, ctx: &mut Context<'_, Self>) {
        match message {
            ToArbiter::Begin(smokers) => self.smokers = smokers,
            ToArbiter::Taken => {}
        }
        if let Some(round) = self.rounds.next() {
            self.smokers[round.smoker].post(ToSmoker::Smoke { draws: round.draws });
        } else {
            self.smokers.iter().for_each(|smoker| smoker.post(ToSmoker::GoHome));
            ctx.stop();
        }
    }
}

struct Smoker {
    smoking: Smoking,
    arbiter: ActorRef<ToArbiter>,
}

impl Actor for Smoker {
    type Msg = ToSmoker;

    fn handle(&mut self, message: ToSmoker, ctx: &mut Context<'_, Self>) {
        match message {
            ToSmoker::Smoke { draws } => {
                self.arbiter.post(ToArbiter::Taken);
                self.smoking.smoke(draws);
            }
            ToSmoker::GoHome => {
                self.smoking.end();
                ctx.stop();
            }
        }
    }
}
