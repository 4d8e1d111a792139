//! `chameneos`: creatures meet in pairs by way of one mall.

use std::time::Instant;

use kameo::prelude::*;

use super::{start, stop};
use crate::colour::Colour;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Chameneos;
use crate::peer::Sample;

/// Told to the mall by who wants to meet somebody, and by the mall to who has waited there.
struct Meet {
    colour: Colour,
    creature: ActorRef<Creature>,
}

struct Report {
    meetings: u64,
}

#[derive(Actor)]
struct Mall {
    waiting: Option<ActorRef<Creature>>,
    meetings_left: usize,
    reports_missing: usize,
    reported_meetings: u64,
    end: EndSignal<u64>,
}

impl Message<Meet> for Mall {
    type Reply = ();

    async fn handle(&mut self, visitor: Meet, _: &mut Context<Self, Self::Reply>) {
        if self.meetings_left == 0 {
            visitor.creature.tell(Exit).send().await.expect("a creature lives until its exit");
            return;
        }
        match self.waiting.take() {
            None => self.waiting = Some(visitor.creature),
            Some(first) => {
                self.meetings_left -= 1;
                first.tell(visitor).send().await.expect("a waiting creature lives");
            }
        }
    }
}

impl Message<Report> for Mall {
    type Reply = ();

    async fn handle(&mut self, report: Report, _: &mut Context<Self, Self::Reply>) {
        self.reported_meetings += report.meetings;
        self.reports_missing -= 1;
        if self.reports_missing == 0 {
            self.end.send(self.reported_meetings);
        }
    }
}

struct Start;
struct Change(Colour);
struct Exit;

#[derive(Actor)]
struct Creature {
    mall: ActorRef<Mall>,
    colour: Colour,
    meetings: u64,
}

impl Creature {
    async fn go_to_mall(&self, myself: &ActorRef<Self>) {
        let meet = Meet { colour: self.colour, creature: myself.clone() };
        self.mall.tell(meet).send().await.expect("the mall lives");
    }
}

impl Message<Start> for Creature {
    type Reply = ();

    async fn handle(&mut self, _: Start, ctx: &mut Context<Self, Self::Reply>) {
        self.go_to_mall(ctx.actor_ref()).await;
    }
}

impl Message<Meet> for Creature {
    type Reply = ();

    async fn handle(&mut self, partner: Meet, ctx: &mut Context<Self, Self::Reply>) {
        self.colour = self.colour.complement(partner.colour);
        self.meetings += 1;
        partner
            .creature
            .tell(Change(self.colour))
            .send()
            .await
            .expect("a creature in a meeting lives");
        self.go_to_mall(ctx.actor_ref()).await;
    }
}

impl Message<Change> for Creature {
    type Reply = ();

    async fn handle(&mut self, Change(colour): Change, ctx: &mut Context<Self, Self::Reply>) {
        self.colour = colour;
        self.meetings += 1;
        self.go_to_mall(ctx.actor_ref()).await;
    }
}

impl Message<Exit> for Creature {
    type Reply = ();

    async fn handle(&mut self, _: Exit, ctx: &mut Context<Self, Self::Reply>) {
        let meetings = self.meetings;
        self.mall.tell(Report { meetings }).send().await.expect("the mall lives");
        ctx.stop();
    }
}

pub fn run(host: &Host, params: &Chameneos) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let mall_actor = Mall {
        waiting: None,
        meetings_left: params.meetings,
        reports_missing: params.creatures,
        reported_meetings: 0,
        end,
    };
    let (mall, creatures) = host.block_on(async {
        let mall = start(mall_actor).await;
        let mut creatures = Vec::new();
        for index in 0..params.creatures {
            let creature =
                Creature { mall: mall.clone(), colour: Colour::of_creature(index), meetings: 0 };
            creatures.push(start(creature).await);
        }
        (mall, creatures)
    });

    let started = Instant::now();
    for creature in &creatures {
        creature.tell(Start).blocking_send().expect("a creature lives until its exit");
    }
    let reported = ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(stop(&[mall]));
    let ops = params.meetings as u64;
    assert_eq!(reported, 2 * ops, "each meeting has two creatures");
    Ok(Sample { ops, elapsed })
}
