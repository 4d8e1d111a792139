//! A token goes round 31 actors; an operation is a hop.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

#[derive(Message)]
enum RingStep {
    Link(ActorRef<RingStep>),
    Token(u64),
}

struct RingMember {
    next: Option<ActorRef<RingStep>>,
    end: Sender<()>,
}

impl Actor for RingMember {
    type Msg = RingStep;

    fn handle(&mut self, step: RingStep, _ctx: &mut Context<'_, Self>) {
        match (step, &self.next) {
            (RingStep::Link(next), _) => self.next = Some(next),
            (RingStep::Token(left), Some(next)) if left > 0 => {
                let _ = next.send(RingStep::Token(left - 1));
            }
            (RingStep::Token(_), _) => {
                let _ = self.end.send(());
            }
        }
    }
}

pub(super) fn run(hops: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let ring: Vec<_> =
        (0..31).map(|_| theater.spawn(RingMember { next: None, end: end.clone() })).collect();
    for (index, member) in ring.iter().enumerate() {
        member.send(RingStep::Link(ring[(index + 1) % ring.len()].clone())).map_err(text)?;
    }
    ring[0].send(RingStep::Token(hops)).map_err(text)?;
    wait(&ended)
}
