//! A population of actors that do everything an actor can, at random, with an account of it all.
//!
//! Citizens pass messages on, found families, introduce friends to each other, ask questions and
//! answer, keep, pass on or drop them, close and open mailboxes, stop themselves and others, and
//! panic. In the end every message, every actor's state and every question must be accounted for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use odeon_core::{Actor, ActorRef, AskError, Context, Message, Random, Reply, Theater};

use super::stage::StageUnderTest;
use crate::conservation::{Account, Counted, Ledger, Ticket};
use crate::drop_tracker::{DropTracker, Tracked};
use crate::{for_seeds, silent_panic};

/// Citizens at the start.
const FOUNDERS: usize = 6;
/// Visits from outside.
const VISITS: usize = 30;
/// How often a visit may lead to the next.
const HOPS: u32 = 6;
/// Seeds per seed that other tests of the stage are worth.
const SEEDS_FACTOR: u64 = 5;

/// What is known of the whole population.
#[derive(Clone, Default)]
struct World {
    ledger: Ledger,
    states: DropTracker,
    asked: Arc<AtomicU64>,
    answered: Arc<AtomicU64>,
}

enum Word {
    Visit {
        ticket: Ticket,
        hops: u32,
    },
    Meet {
        ticket: Ticket,
        friend: ActorRef<Word>,
    },
    Question {
        ticket: Ticket,
        hops: u32,
        reply: Reply<u64>,
    },
    /// Without a ticket: `Reply` sends it, not a citizen.
    Answer(Result<u64, AskError>),
}

impl Message for Word {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Meet { .. } | Self::Answer(_) => 0,
            Self::Visit { .. } => 1,
            Self::Question { .. } => 2,
        }
    }
}

impl Counted for Word {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Visit { ticket, .. }
            | Self::Meet { ticket, .. }
            | Self::Question { ticket, .. } => Some(ticket),
            Self::Answer(_) => None,
        }
    }
}

struct Citizen {
    world: World,
    random: Random,
    friends: Vec<ActorRef<Word>>,
    kept: Vec<Reply<u64>>,
    _state: Tracked<()>,
}

impl Citizen {
    fn new(world: &World, seed: u64) -> Self {
        Self {
            world: world.clone(),
            random: Random::from_seed(seed),
            friends: Vec::new(),
            kept: Vec::new(),
            _state: world.states.track(()),
        }
    }

    fn some_friend(&mut self, ctx: &Context<'_, Self>) -> ActorRef<Word> {
        match self.friends.len() {
            0 => ctx.actor_ref(),
            friends => self.friends[self.random.below(friends)].clone(),
        }
    }

    fn visit(&self, to: &ActorRef<Word>, hops: u32) {
        self.world.ledger.send(to, |ticket| Word::Visit { ticket, hops });
    }

    fn ask(&mut self, hops: u32, ctx: &Context<'_, Self>) {
        let reply = if self.random.below(2) == 0 {
            ctx.reply_to(Word::Answer)
        } else {
            // ORDERING: Relaxed, also below: read after the shutdown.
            self.world.asked.fetch_add(1, Ordering::Relaxed);
            let answered = self.world.answered.clone();
            ctx.reply_to(move |answer| {
                answered.fetch_add(1, Ordering::Relaxed);
                Word::Answer(answer)
            })
        };
        let to = self.some_friend(ctx);
        self.world.ledger.send(&to, |ticket| Word::Question { ticket, hops, reply });
    }

    fn act(&mut self, hops: u32, ctx: &mut Context<'_, Self>) {
        match self.random.below(24) {
            0 => silent_panic("a citizen failed"),
            1 => ctx.stop(),
            2 => self.some_friend(ctx).stop(),
            3 => ctx.close(1 + self.random.below(2)),
            4 | 5 => (1..3).for_each(|mailbox| ctx.open(mailbox)),
            6 => {
                let leaving = self.friends.len() / 2;
                self.friends.truncate(leaving);
            }
            7 => {
                let (to, friend) = (self.some_friend(ctx), self.some_friend(ctx));
                self.world.ledger.send(&to, |ticket| Word::Meet { ticket, friend });
            }
            8 | 9 => {
                let child = ctx.spawn(Self::new(&self.world, self.random.next_u64()));
                let parent = ctx.actor_ref();
                self.world.ledger.send(&child, |ticket| Word::Meet { ticket, friend: parent });
                self.visit(&child, hops);
                self.friends.push(child);
            }
            10..13 => self.ask(hops, ctx),
            _ => {
                let to = self.some_friend(ctx);
                self.visit(&to, hops);
            }
        }
    }
}

impl Actor for Citizen {
    type Msg = Word;

    fn handle(&mut self, msg: Word, ctx: &mut Context<'_, Self>) {
        match msg {
            Word::Visit { ticket, hops } => {
                ticket.handled();
                if let Some(reply) = self.kept.pop() {
                    reply.send(1);
                }
                if hops > 0 {
                    (0..=self.random.below(2)).for_each(|_| self.act(hops - 1, ctx));
                }
            }
            Word::Meet { ticket, friend } => {
                ticket.handled();
                self.friends.push(friend);
            }
            Word::Question { ticket, hops, reply } => {
                ticket.handled();
                match self.random.below(6) {
                    0 => self.kept.push(reply),
                    1 => drop(reply),
                    2 if hops > 0 => {
                        let (to, hops) = (self.some_friend(ctx), hops - 1);
                        let question = |ticket| Word::Question { ticket, hops, reply };
                        self.world.ledger.send(&to, question);
                    }
                    _ => reply.send(2),
                }
            }
            Word::Answer(answer) => {
                if answer == Err(AskError::NoReply) {
                    ctx.open(2);
                }
            }
        }
    }
}

/// The life of one population.
fn live<S: StageUnderTest>(seed: u64) -> Account {
    let world = World::default();
    let hook = world.ledger.dead_letter_hook::<Word>();
    let stage = S::new(Theater::builder().workers(2).on_dead_letter(hook), seed);
    let mut random = Random::from_seed(!seed);
    let founders: Vec<_> = (0..FOUNDERS)
        .map(|at| {
            let citizen = Citizen::new(&world, random.next_u64());
            // Not all on the stage under test, so that messages go in and out of it.
            if at % 3 == 2 { stage.theater().spawn(citizen) } else { stage.spawn(citizen) }
        })
        .collect();
    for (at, founder) in founders.iter().enumerate() {
        for friend in &founders[at + 1..] {
            world.ledger.send(founder, |ticket| Word::Meet { ticket, friend: friend.clone() });
        }
    }
    for _ in 0..VISITS {
        let to = &founders[random.below(FOUNDERS)];
        world.ledger.send(to, |ticket| Word::Visit { ticket, hops: HOPS });
    }
    // Sometimes nobody keeps the founders but they themselves.
    let founders = if random.below(2) == 0 { founders } else { Vec::new() };
    // One in four is cut off in the middle.
    let report = if seed % 4 == 3 {
        stage.work_a_little(random.below(300));
        stage.shutdown_now()
    } else {
        stage.drain()
    };
    assert_eq!(report.stuck, 0);
    world.ledger.take_leftovers::<Word>(report);
    drop(founders);
    world.states.check();
    // ORDERING: Relaxed: the shutdown has joined all threads.
    let (asked, answered) =
        (world.asked.load(Ordering::Relaxed), world.answered.load(Ordering::Relaxed));
    assert_eq!(asked, answered, "a question was answered never, or twice");
    world.ledger.check()
}

/// Every message is handled, returned or dead-lettered, every question gets exactly one answer, every
/// state is dropped once.
pub fn a_random_population_loses_nothing<S: StageUnderTest>() {
    for_seeds(S::SEEDS * SEEDS_FACTOR, |seed| {
        live::<S>(seed);
    });
}
