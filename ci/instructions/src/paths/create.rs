//! An actor creates others, which answer and end; an operation is an actor.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

/// Actors that live at the same time.
const AT_ONCE: u64 = 64;

#[derive(Message)]
enum ToCreator {
    Begin,
    Started,
}

struct Creator {
    left: u64,
    living: u64,
    end: Sender<()>,
}

impl Creator {
    fn begin(&mut self, ctx: &mut Context<'_, Self>) {
        self.living = AT_ONCE.min(self.left);
        self.left -= self.living;
        for _ in 0..self.living {
            let creator = ctx.actor_ref();
            ctx.spawn(Child { creator });
        }
    }
}

impl Actor for Creator {
    type Msg = ToCreator;

    fn handle(&mut self, message: ToCreator, ctx: &mut Context<'_, Self>) {
        match message {
            ToCreator::Begin => self.begin(ctx),
            ToCreator::Started => {
                self.living -= 1;
                if self.living > 0 {
                    return;
                }
                if self.left > 0 {
                    self.begin(ctx);
                } else {
                    let _ = self.end.send(());
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
        let _ = self.creator.send(ToCreator::Started);
        ctx.stop();
    }

    fn handle(&mut self, (): (), _ctx: &mut Context<'_, Self>) {}
}

pub(super) fn run(actors: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let creator = theater.spawn(Creator { left: actors, living: 0, end });
    creator.send(ToCreator::Begin).map_err(text)?;
    wait(&ended)
}
