//! `chameneos`: creatures meet in pairs by way of one mall.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::{start, stop};
use crate::colour::Colour;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Chameneos;
use crate::peer::Sample;

struct Visitor {
    colour: Colour,
    creature: ActorRef<CreatureMessage>,
}

enum MallMessage {
    Meet(Visitor),
    Report { meetings: u64 },
}

struct Mall;

struct MallState {
    waiting: Option<Visitor>,
    meetings_left: usize,
    reports_missing: usize,
    reported_meetings: u64,
    end: EndSignal<u64>,
}

impl MallState {
    fn receive(&mut self, visitor: Visitor) {
        if self.meetings_left == 0 {
            visitor.creature.cast(CreatureMessage::Exit).expect("a creature lives until its exit");
            return;
        }
        match self.waiting.take() {
            None => self.waiting = Some(visitor),
            Some(first) => {
                self.meetings_left -= 1;
                first
                    .creature
                    .cast(CreatureMessage::Meet(visitor))
                    .expect("a waiting creature lives");
            }
        }
    }
}

impl Actor for Mall {
    type Msg = MallMessage;
    type State = MallState;
    type Arguments = MallState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            MallMessage::Meet(visitor) => state.receive(visitor),
            MallMessage::Report { meetings } => {
                state.reported_meetings += meetings;
                state.reports_missing -= 1;
                if state.reports_missing == 0 {
                    state.end.send(state.reported_meetings);
                }
            }
        }
        Ok(())
    }
}

enum CreatureMessage {
    Start,
    Meet(Visitor),
    Change(Colour),
    Exit,
}

struct Creature;

struct CreatureState {
    mall: ActorRef<MallMessage>,
    colour: Colour,
    meetings: u64,
}

impl CreatureState {
    fn go_to_mall(&self, myself: ActorRef<CreatureMessage>) {
        self.tell_mall(MallMessage::Meet(Visitor { colour: self.colour, creature: myself }));
    }

    fn tell_mall(&self, message: MallMessage) {
        self.mall.cast(message).expect("the mall lives");
    }
}

impl Actor for Creature {
    type Msg = CreatureMessage;
    type State = CreatureState;
    type Arguments = CreatureState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            CreatureMessage::Start => state.go_to_mall(myself),
            CreatureMessage::Meet(partner) => {
                state.colour = state.colour.complement(partner.colour);
                state.meetings += 1;
                partner
                    .creature
                    .cast(CreatureMessage::Change(state.colour))
                    .expect("a creature in a meeting lives");
                state.go_to_mall(myself);
            }
            CreatureMessage::Change(colour) => {
                state.colour = colour;
                state.meetings += 1;
                state.go_to_mall(myself);
            }
            CreatureMessage::Exit => {
                let meetings = state.meetings;
                state.tell_mall(MallMessage::Report { meetings });
                myself.stop(None);
            }
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Chameneos) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (mall, creatures) = host.block_on(async {
        let state = MallState {
            waiting: None,
            meetings_left: params.meetings,
            reports_missing: params.creatures,
            reported_meetings: 0,
            end,
        };
        let mall = start(Mall, state).await;
        let mut creatures = Vec::new();
        for index in 0..params.creatures {
            let state = CreatureState {
                mall: mall.clone(),
                colour: Colour::of_creature(index),
                meetings: 0,
            };
            creatures.push(start(Creature, state).await);
        }
        (mall, creatures)
    });

    let started = Instant::now();
    for creature in &creatures {
        creature.cast(CreatureMessage::Start).expect("a creature lives until its exit");
    }
    let reported = ending.wait()?;
    let elapsed = started.elapsed();

    stop(&[mall]);
    let ops = params.meetings as u64;
    assert_eq!(reported, 2 * ops, "each meeting has two creatures");
    Ok(Sample { ops, elapsed })
}
