//! Two actors send a ball to and fro; an operation is a round trip.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

#[derive(Message)]
enum PingPongCall {
    Meet(ActorRef<PingPongCall>),
    Ball(u64),
}

struct Player {
    partner: Option<ActorRef<PingPongCall>>,
    end: Sender<()>,
}

impl Actor for Player {
    type Msg = PingPongCall;

    fn handle(&mut self, call: PingPongCall, _ctx: &mut Context<'_, Self>) {
        match (call, &self.partner) {
            (PingPongCall::Meet(partner), _) => self.partner = Some(partner),
            (PingPongCall::Ball(left), Some(partner)) if left > 0 => {
                let _ = partner.send(PingPongCall::Ball(left - 1));
            }
            (PingPongCall::Ball(_), _) => {
                let _ = self.end.send(());
            }
        }
    }
}

pub(super) fn run(rounds: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let [one, other] = [end.clone(), end].map(|end| theater.spawn(Player { partner: None, end }));
    one.send(PingPongCall::Meet(other.clone())).map_err(text)?;
    other.send(PingPongCall::Meet(one.clone())).map_err(text)?;
    one.send(PingPongCall::Ball(2 * rounds)).map_err(text)?;
    wait(&ended)
}
