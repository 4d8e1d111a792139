//! `chameneos`: creatures meet in pairs by way of one mall.

use std::ops::ControlFlow;
use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::mailboxes;
use crate::colour::Colour;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Chameneos;
use crate::peer::Sample;

struct Visitor {
    colour: Colour,
    creature: UnboundedSender<CreatureMessage>,
}

enum MallMessage {
    Meet(Visitor),
    Report { meetings: u64 },
}

struct Mall {
    mailbox: UnboundedReceiver<MallMessage>,
    waiting: Option<Visitor>,
    meetings_left: usize,
    reports_missing: usize,
    reported_meetings: u64,
    end: EndSignal<u64>,
}

impl Mall {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: MallMessage) {
        match message {
            MallMessage::Meet(visitor) => self.receive(visitor),
            MallMessage::Report { meetings } => {
                self.reported_meetings += meetings;
                self.reports_missing -= 1;
                if self.reports_missing == 0 {
                    self.end.send(self.reported_meetings);
                }
            }
        }
    }

    fn receive(&mut self, visitor: Visitor) {
        if self.meetings_left == 0 {
            visitor.creature.send(CreatureMessage::Exit).expect("a creature lives until its exit");
            return;
        }
        match self.waiting.take() {
            None => self.waiting = Some(visitor),
            Some(first) => {
                self.meetings_left -= 1;
                first
                    .creature
                    .send(CreatureMessage::Meet(visitor))
                    .expect("a waiting creature lives");
            }
        }
    }
}

enum CreatureMessage {
    Start,
    Meet(Visitor),
    Change(Colour),
    Exit,
}

struct Creature {
    mailbox: UnboundedReceiver<CreatureMessage>,
    myself: UnboundedSender<CreatureMessage>,
    mall: UnboundedSender<MallMessage>,
    colour: Colour,
    meetings: u64,
}

impl Creature {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            if self.handle(message).is_break() {
                break;
            }
        }
    }

    fn handle(&mut self, message: CreatureMessage) -> ControlFlow<()> {
        match message {
            CreatureMessage::Start => self.go_to_mall(),
            CreatureMessage::Meet(partner) => {
                self.colour = self.colour.complement(partner.colour);
                self.meetings += 1;
                partner
                    .creature
                    .send(CreatureMessage::Change(self.colour))
                    .expect("a creature in a meeting lives");
                self.go_to_mall();
            }
            CreatureMessage::Change(colour) => {
                self.colour = colour;
                self.meetings += 1;
                self.go_to_mall();
            }
            CreatureMessage::Exit => {
                let meetings = self.meetings;
                self.tell_mall(MallMessage::Report { meetings });
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn go_to_mall(&self) {
        self.tell_mall(MallMessage::Meet(Visitor {
            colour: self.colour,
            creature: self.myself.clone(),
        }));
    }

    fn tell_mall(&self, message: MallMessage) {
        self.mall.send(message).expect("the mall lives");
    }
}

pub fn run(host: &Host, params: &Chameneos) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (mall, mall_mailbox) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let mall_actor = Mall {
        mailbox: mall_mailbox,
        waiting: None,
        meetings_left: params.meetings,
        reports_missing: params.creatures,
        reported_meetings: 0,
        end,
    };
    tasks.spawn_on(mall_actor.run(), host.handle());
    let (creatures, receivers) = mailboxes(params.creatures);
    for (index, mailbox) in receivers.into_iter().enumerate() {
        let creature = Creature {
            mailbox,
            myself: creatures[index].clone(),
            mall: mall.clone(),
            colour: Colour::of_creature(index),
            meetings: 0,
        };
        tasks.spawn_on(creature.run(), host.handle());
    }

    let started = Instant::now();
    for creature in &creatures {
        creature.send(CreatureMessage::Start).expect("a creature lives until its exit");
    }
    let reported = ending.wait()?;
    let elapsed = started.elapsed();
    let ops = params.meetings as u64;
    assert_eq!(reported, 2 * ops, "each meeting has two creatures");
    Ok(Sample { ops, elapsed })
}
