//! Two actors send a ball to and fro; an operation is a round trip.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

#[derive(Message)]
enum Call {
    Meet(ActorRef<Call>),
    Ball(u64),
}

struct Player {
    partner: Option<ActorRef<Call>>,
    end: Sender<()>,
}

impl Actor for Player {
    type Msg = Call;

    fn handle(&mut self, call: Call, _ctx: &mut Context<'_, Self>) {
        match (call, &self.partner) {
            (Call::Meet(partner), _) => self.partner = Some(partner),
            (Call::Ball(left), Some(partner)) if left > 0 => {
                let _ = partner.send(Call::Ball(left - 1));
            }
            (Call::Ball(_), _) => {
                let _ = self.end.send(());
            }
        }
    }
}

pub(super) fn run(rounds: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let [one, other] = [end.clone(), end].map(|end| theater.spawn(Player { partner: None, end }));
    one.send(Call::Meet(other.clone())).map_err(text)?;
    other.send(Call::Meet(one.clone())).map_err(text)?;
    one.send(Call::Ball(2 * rounds)).map_err(text)?;
    wait(&ended)
}
