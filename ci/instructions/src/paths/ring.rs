//! A token goes round 31 actors; an operation is a hop.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

#[derive(Message)]
enum Step {
    Link(ActorRef<Step>),
    Token(u64),
}

struct Member {
    next: Option<ActorRef<Step>>,
    end: Sender<()>,
}

impl Actor for Member {
    type Msg = Step;

    fn handle(&mut self, step: Step, _ctx: &mut Context<'_, Self>) {
        match (step, &self.next) {
            (Step::Link(next), _) => self.next = Some(next),
            (Step::Token(left), Some(next)) if left > 0 => {
                let _ = next.send(Step::Token(left - 1));
            }
            (Step::Token(_), _) => {
                let _ = self.end.send(());
            }
        }
    }
}

pub(super) fn run(hops: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let ring: Vec<_> =
        (0..31).map(|_| theater.spawn(Member { next: None, end: end.clone() })).collect();
    for (index, member) in ring.iter().enumerate() {
        member.send(Step::Link(ring[(index + 1) % ring.len()].clone())).map_err(text)?;
    }
    ring[0].send(Step::Token(hops)).map_err(text)?;
    wait(&ended)
}
