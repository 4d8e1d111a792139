//! A population of asynchronous actors that wait for all sorts of things, with an account of it all.
//!
//! Its guests pass messages on, wait for each other's answers (also in circles, which then never end),
//! for bells that others ring, and for nothing; they found families, stop themselves and others, and
//! panic between two waits. In the end every message, every state and every local value of a handler
//! must be accounted for.

use std::sync::{Arc, Mutex};

use odeon_core::{
    Actor, ActorRef, AsyncActor, AsyncContext, Context, Message, Random, Reply, Theater,
};

use super::stage::StageUnderTest;
use crate::conservation::{Account, Counted, Ledger, Ticket};
use crate::drop_tracker::{DropTracker, Tracked};
use crate::waiting::{Bell, yields};
use crate::{for_seeds, silent_panic};

/// Guests at the start.
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
    values: DropTracker,
    bells: Arc<Mutex<Vec<Bell>>>,
}

impl World {
    fn new_bell(&self) -> Bell {
        let bell = Bell::new();
        self.bells.lock().expect("nothing panics under this lock").push(bell.clone());
        bell
    }

    fn ring_one(&self, random: &mut Random) {
        let bell = {
            let mut bells = self.bells.lock().expect("as above");
            let count = bells.len();
            (count > 0).then(|| bells.swap_remove(random.below(count)))
        };
        if let Some(bell) = bell {
            bell.ring();
        }
    }
}

/// Rings when it is dropped, whoever does that.
struct RingsAtEnd(Bell);

impl Drop for RingsAtEnd {
    fn drop(&mut self) {
        self.0.ring();
    }
}

enum Word {
    Meet {
        ticket: Ticket,
        friend: ActorRef<Word>,
    },
    Visit {
        ticket: Ticket,
        hops: u32,
    },
    /// The sender waits until this is gone.
    Await {
        ticket: Ticket,
        hops: u32,
        end: RingsAtEnd,
    },
    /// Without a ticket: `ask` drops a question that comes back.
    Question(Reply<u64>),
}

impl Message for Word {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Meet { .. } => 0,
            Self::Visit { .. } | Self::Await { .. } => 1,
            Self::Question(_) => 2,
        }
    }
}

impl Counted for Word {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Meet { ticket, .. } | Self::Visit { ticket, .. } | Self::Await { ticket, .. } => {
                Some(ticket)
            }
            Self::Question(_) => None,
        }
    }
}

struct Guest {
    world: World,
    random: Random,
    friends: Vec<ActorRef<Word>>,
    inside: bool,
    _state: Tracked<()>,
}

/// A guest that handles without waiting, so that both kinds meet.
struct Host {
    world: World,
    _state: Tracked<()>,
}

impl Actor for Host {
    type Msg = Word;
    fn handle(&mut self, msg: Word, ctx: &mut Context<'_, Self>) {
        match msg {
            Word::Meet { ticket, friend } => {
                ticket.handled();
                let guest = ctx.spawn_async(Guest::new(&self.world, 7));
                self.world.ledger.send(&guest, |ticket| Word::Meet { ticket, friend });
            }
            Word::Visit { ticket, .. } | Word::Await { ticket, .. } => ticket.handled(),
            Word::Question(reply) => reply.send(2),
        }
    }
}

impl Guest {
    fn new(world: &World, seed: u64) -> Self {
        Self {
            world: world.clone(),
            random: Random::from_seed(seed),
            friends: Vec::new(),
            inside: false,
            _state: world.values.track(()),
        }
    }

    fn some_friend(&mut self, ctx: &AsyncContext<'_, Self>) -> ActorRef<Word> {
        match self.friends.len() {
            0 => ctx.actor_ref(),
            friends => self.friends[self.random.below(friends)].clone(),
        }
    }

    fn visit(&self, to: &ActorRef<Word>, hops: u32) {
        self.world.ledger.send(to, |ticket| Word::Visit { ticket, hops });
    }

    fn found_family(&mut self, hops: u32, ctx: &AsyncContext<'_, Self>) {
        let child = if self.random.below(4) == 0 {
            ctx.spawn(Host { world: self.world.clone(), _state: self.world.values.track(()) })
        } else {
            ctx.spawn_async(Self::new(&self.world, self.random.next_u64()))
        };
        let parent = ctx.actor_ref();
        self.world.ledger.send(&child, |ticket| Word::Meet { ticket, friend: parent });
        self.visit(&child, hops);
        self.friends.push(child);
    }

    async fn act(&mut self, hops: u32, ctx: &mut AsyncContext<'_, Self>) {
        let _local = self.world.values.track(());
        match self.random.below(26) {
            0 => silent_panic("a guest failed"),
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
            8 | 9 => self.found_family(hops, ctx),
            10..13 => {
                let question = self.some_friend(ctx).ask(Word::Question);
                // In a circle this never ends, unless somebody is stopped.
                let _answer = question.await;
            }
            13 | 14 => {
                let (to, bell) = (self.some_friend(ctx), Bell::new());
                let end = RingsAtEnd(bell.clone());
                self.world.ledger.send(&to, |ticket| Word::Await { ticket, hops, end });
                bell.rings().await;
            }
            15 => {
                let bell = self.world.new_bell();
                bell.rings().await;
            }
            16..19 => self.world.ring_one(&mut self.random),
            19..22 => yields(self.random.below(4) as u32).await,
            _ => {
                let to = self.some_friend(ctx);
                self.visit(&to, hops);
            }
        }
    }
}

impl AsyncActor for Guest {
    type Msg = Word;

    async fn handle(&mut self, msg: Word, ctx: &mut AsyncContext<'_, Self>) {
        assert!(!std::mem::replace(&mut self.inside, true), "two messages at a time");
        let _local = self.world.values.track(());
        match msg {
            Word::Meet { ticket, friend } => {
                ticket.handled();
                self.friends.push(friend);
            }
            Word::Visit { ticket, hops } => {
                ticket.handled();
                if hops > 0 {
                    for _ in 0..=self.random.below(2) {
                        self.act(hops - 1, ctx).await;
                    }
                }
            }
            Word::Await { ticket, hops, end } => {
                ticket.handled();
                if hops > 0 {
                    self.act(hops - 1, ctx).await;
                }
                drop(end);
            }
            Word::Question(reply) => {
                yields(self.random.below(3) as u32).await;
                reply.send(1);
            }
        }
        self.inside = false;
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
            let guest = Guest::new(&world, random.next_u64());
            // Not all on the stage under test, so that wake-ups go in and out of it.
            if at % 3 == 2 { stage.theater().spawn_async(guest) } else { stage.spawn_async(guest) }
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
    // Some bells are rung from outside.
    for _ in 0..random.below(10) {
        stage.work_a_little(random.below(50));
        world.ring_one(&mut random);
    }
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
    world.values.check();
    // Wake-ups after the end of everybody.
    world.bells.lock().expect("as above").iter().for_each(Bell::ring);
    world.ledger.check()
}

/// Every message is handled, returned or dead-lettered; every state and every local value of a handler,
/// completed, cancelled or unwound, is dropped once.
pub fn a_random_async_population_loses_nothing<S: StageUnderTest>() {
    for_seeds(S::SEEDS * SEEDS_FACTOR, |seed| {
        live::<S>(seed);
    });
}
