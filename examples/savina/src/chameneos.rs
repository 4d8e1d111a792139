//! `chameneos`: creatures meet in pairs at a mall and change colour.

mod floor;

use odeon::prelude::*;
use odeon_example_run::{Finish, Post, RunError, Timed, finish_line, theater_with};

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct ChameneosSetup {
    /// Creatures.
    pub creatures: usize,
    /// Meetings before the mall closes.
    pub meetings: u64,
}

/// Runs it on a theater with so many workers, in which the mall has up to 64 mailboxes, one for
/// each creature in turn; checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(workers: usize, mailboxes: usize, setup: &ChameneosSetup) -> Result<Timed, RunError> {
    // WHY: the number of mailboxes is a constant of the message type: the smallest that has enough.
    match mailboxes {
        1 => meet::<1>(workers, mailboxes, setup),
        2..=8 => meet::<8>(workers, mailboxes, setup),
        9..=16 => meet::<16>(workers, mailboxes, setup),
        17..=32 => meet::<32>(workers, mailboxes, setup),
        _ => meet::<64>(workers, mailboxes, setup),
    }
}

/// The same mall and creatures, boxed, driven by one queue on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &ChameneosSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}

fn meet<const CAPACITY: usize>(
    workers: usize,
    mailboxes: usize,
    setup: &ChameneosSetup,
) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let ChameneosSetup { creatures, meetings } = *setup;
    let (finish, waiting) = finish_line(1);
    let mall: ActorRef<AtMall<CAPACITY>> =
        theater.spawn(MallActor { mall: Mall::new(creatures, meetings), finish });
    let refs: Vec<ActorRef<ToCreature>> = (0..creatures)
        .map(|index| {
            let (creature, mall) = (Creature::new(index), mall.clone());
            theater.spawn(CreatureActor { creature, mall, mailbox: index % mailboxes })
        })
        .collect();
    waiting.time(meetings, || {
        for creature in &refs {
            creature.post(ToCreature::Begin);
        }
    })
}

fn wrong(total: u64, meetings: u64) -> String {
    format!("the creatures report {total} participations in {meetings} meetings")
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Colour {
    Blue,
    Red,
    Yellow,
}

impl Colour {
    /// Equal colours stay; different ones become the third.
    fn complement(self, other: Self) -> Self {
        match (self, other) {
            (Self::Blue, Self::Red) | (Self::Red, Self::Blue) => Self::Yellow,
            (Self::Blue, Self::Yellow) | (Self::Yellow, Self::Blue) => Self::Red,
            (Self::Red, Self::Yellow) | (Self::Yellow, Self::Red) => Self::Blue,
            (same, _) => same,
        }
    }
}

/// The mall, whatever addresses are made of.
struct Mall<Address> {
    first: Option<Address>,
    meetings_left: u64,
    reports_missing: usize,
    participations: u64,
    meetings: u64,
}

/// What happens to a creature that arrives at the mall.
enum Arrival<Address> {
    Waits,
    /// The first learns about the second.
    Meets {
        first: Address,
        second: Address,
    },
    Closed(Address),
}

impl<Address> Mall<Address> {
    fn new(creatures: usize, meetings: u64) -> Self {
        Self {
            first: None,
            meetings_left: meetings,
            reports_missing: creatures,
            participations: 0,
            meetings,
        }
    }

    #[inline]
    fn arrive(&mut self, creature: Address) -> Arrival<Address> {
        if self.meetings_left == 0 {
            return Arrival::Closed(creature);
        }
        match self.first.take() {
            None => {
                self.first = Some(creature);
                Arrival::Waits
            }
            Some(first) => {
                self.meetings_left -= 1;
                Arrival::Meets { first, second: creature }
            }
        }
    }

    /// Whether this was the last report.
    fn report(&mut self, participations: u64) -> bool {
        self.participations += participations;
        self.reports_missing -= 1;
        self.reports_missing == 0
    }
}

struct Creature {
    colour: Colour,
    participations: u64,
}

impl Creature {
    fn new(index: usize) -> Self {
        let colour = [Colour::Blue, Colour::Red, Colour::Yellow][index % 3];
        Self { colour, participations: 0 }
    }

    /// The first of a pair computes the new colour of both.
    #[inline]
    fn meet(&mut self, other: Colour) -> Colour {
        self.change(self.colour.complement(other));
        self.colour
    }

    #[inline]
    fn change(&mut self, colour: Colour) {
        self.colour = colour;
        self.participations += 1;
    }
}

/// What the mall is told, in the mailbox that the creature chooses.
enum AtMall<const MAILBOXES: usize> {
    Meet(Colour, ActorRef<ToCreature>),
    Report(u64),
}

impl<const MAILBOXES: usize> Message for AtMall<MAILBOXES> {
    const MAILBOXES: usize = MAILBOXES;
}

#[derive(Message)]
enum ToCreature {
    Begin,
    Meet(Colour, ActorRef<ToCreature>),
    Change(Colour),
    Exit,
}

struct MallActor<const MAILBOXES: usize> {
    mall: Mall<ActorRef<ToCreature>>,
    finish: Finish,
}

impl<const MAILBOXES: usize> Actor for MallActor<MAILBOXES> {
    type Msg = AtMall<MAILBOXES>;

    fn handle(&mut self, message: AtMall<MAILBOXES>, _ctx: &mut Context<'_, Self>) {
        match message {
            AtMall::Meet(colour, creature) => match self.mall.arrive(creature) {
                Arrival::Waits => {}
                Arrival::Meets { first, second } => first.post(ToCreature::Meet(colour, second)),
                Arrival::Closed(creature) => creature.post(ToCreature::Exit),
            },
            AtMall::Report(participations) => {
                if self.mall.report(participations) {
                    let (total, meetings) = (self.mall.participations, self.mall.meetings);
                    self.finish.arrive_if(total == 2 * meetings, || wrong(total, meetings));
                }
            }
        }
    }
}

struct CreatureActor<const MAILBOXES: usize> {
    creature: Creature,
    mall: ActorRef<AtMall<MAILBOXES>>,
    /// The mall's, where this creature is heard.
    mailbox: usize,
}

impl<const MAILBOXES: usize> CreatureActor<MAILBOXES> {
    #[inline]
    fn tell(&self, message: AtMall<MAILBOXES>) {
        self.mall.mailbox(self.mailbox).post(message);
    }
}

impl<const MAILBOXES: usize> Actor for CreatureActor<MAILBOXES> {
    type Msg = ToCreature;

    fn handle(&mut self, message: ToCreature, ctx: &mut Context<'_, Self>) {
        match message {
            ToCreature::Begin => {}
            ToCreature::Meet(colour, second) => {
                second.post(ToCreature::Change(self.creature.meet(colour)));
            }
            ToCreature::Change(colour) => self.creature.change(colour),
            ToCreature::Exit => {
                self.tell(AtMall::Report(self.creature.participations));
                ctx.stop();
                return;
            }
        }
        self.tell(AtMall::Meet(self.creature.colour, ctx.actor_ref()));
    }
}
