//! A population of asynchronous actors that wait for all sorts of things, with an account of it
//! all.
//!
//! Its guests pass messages on, wait for each other's answers (also in circles, which then never
//! end), for bells that others ring, and for nothing; they found families, stop themselves and
//! others, and panic between two waits. In the end every message, every state and every local value
//! of a handler must be accounted for.
//!
//! In a fragile population failures are injected as well, and some guests are supervised.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::{
    Actor, ActorRef, AsyncActor, AsyncContext, Context, Message, Random, Reply, Supervision,
};

use super::society::{Books, Society, SocietyMessage as SocialWord, live_and_account};
use super::stage::StageUnderTest;
use crate::conservation::{Counted, Ticket};
use crate::drop_tracker::Tracked;
use crate::faults::{AsyncFaulty, Faults};
use crate::silent_panic;
use crate::waiting::{Bell, yields};

/// Of about so many messages one is failed at.
const ONE_FAILS_IN: usize = 15;

/// What is known of the whole population.
#[derive(Clone, Default)]
struct World {
    books: Books,
    fragile: bool,
    bells: Arc<Mutex<Vec<Bell>>>,
}

impl World {
    fn guest(&self, seed: u64) -> AsyncFaulty<Guest> {
        let faults = match (self.fragile, seed % 2) {
            (false, _) => Faults::none(),
            (true, 0) => Faults::one_in(ONE_FAILS_IN, seed),
            (true, _) => Faults::one_in(ONE_FAILS_IN, seed).after_handling(),
        };
        faults.waiting(Guest::new(self, seed))
    }

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

enum AsyncMemberMessage {
    Meet {
        ticket: Ticket,
        friend: ActorRef<AsyncMemberMessage>,
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

impl Message for AsyncMemberMessage {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Meet { .. } => 0,
            Self::Visit { .. } | Self::Await { .. } => 1,
            Self::Question(_) => 2,
        }
    }
}

impl Counted for AsyncMemberMessage {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Meet { ticket, .. } | Self::Visit { ticket, .. } | Self::Await { ticket, .. } => {
                Some(ticket)
            }
            Self::Question(_) => None,
        }
    }
}

impl SocialWord for AsyncMemberMessage {
    fn meet(ticket: Ticket, friend: ActorRef<Self>) -> Self {
        Self::Meet { ticket, friend }
    }

    fn visit(ticket: Ticket, hops: u32) -> Self {
        Self::Visit { ticket, hops }
    }
}

struct Guest {
    world: World,
    random: Random,
    friends: Vec<ActorRef<AsyncMemberMessage>>,
    inside: bool,
    _state: Tracked<()>,
}

/// A guest that handles without waiting, so that both kinds meet.
struct Host {
    world: World,
    _state: Tracked<()>,
}

impl Actor for Host {
    type Msg = AsyncMemberMessage;
    fn handle(&mut self, msg: AsyncMemberMessage, ctx: &mut Context<'_, Self>) {
        match msg {
            AsyncMemberMessage::Meet { ticket, friend } => {
                ticket.handled();
                let guest = ctx.spawn(self.world.guest(7));
                self.world.books.meet(&guest, friend);
            }
            AsyncMemberMessage::Visit { ticket, .. } | AsyncMemberMessage::Await { ticket, .. } => {
                ticket.handled()
            }
            AsyncMemberMessage::Question(reply) => reply.send(2),
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
            _state: world.books.values.track(()),
        }
    }

    fn some_friend(&mut self, ctx: &AsyncContext<'_, Self>) -> ActorRef<AsyncMemberMessage> {
        match self.friends.len() {
            0 => ctx.actor_ref(),
            friends => self.friends[self.random.below(friends)].clone(),
        }
    }

    fn visit(&self, to: &ActorRef<AsyncMemberMessage>, hops: u32) {
        self.world.books.visit(to, hops);
    }

    fn found_family(&mut self, hops: u32, ctx: &AsyncContext<'_, Self>) {
        let child = if self.random.below(4) == 0 {
            ctx.spawn(Host { world: self.world.clone(), _state: self.world.books.values.track(()) })
        } else {
            ctx.spawn(self.world.guest(self.random.next_u64()))
        };
        self.world.books.meet(&child, ctx.actor_ref());
        self.visit(&child, hops);
        self.friends.push(child);
    }

    async fn act(&mut self, hops: u32, ctx: &mut AsyncContext<'_, Self>) {
        let _local = self.world.books.values.track(());
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
                self.world.books.meet(&to, friend);
            }
            8 | 9 => self.found_family(hops, ctx),
            10..13 => {
                let question = self.some_friend(ctx).ask(AsyncMemberMessage::Question);
                // In a circle this never ends, unless somebody is stopped.
                let _answer = question.await;
            }
            13 | 14 => {
                let (to, bell) = (self.some_friend(ctx), Bell::new());
                let end = RingsAtEnd(bell.clone());
                self.world.books.ledger.send(&to, |ticket| AsyncMemberMessage::Await {
                    ticket,
                    hops,
                    end,
                });
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
    type Msg = AsyncMemberMessage;

    async fn handle(&mut self, msg: AsyncMemberMessage, ctx: &mut AsyncContext<'_, Self>) {
        assert!(!std::mem::replace(&mut self.inside, true), "two messages at a time");
        let _local = self.world.books.values.track(());
        match msg {
            AsyncMemberMessage::Meet { ticket, friend } => {
                ticket.handled();
                self.friends.push(friend);
            }
            AsyncMemberMessage::Visit { ticket, hops } => {
                ticket.handled();
                if hops > 0 {
                    for _ in 0..=self.random.below(2) {
                        self.act(hops - 1, ctx).await;
                    }
                }
            }
            AsyncMemberMessage::Await { ticket, hops, end } => {
                ticket.handled();
                if hops > 0 {
                    self.act(hops - 1, ctx).await;
                }
                drop(end);
            }
            AsyncMemberMessage::Question(reply) => {
                yields(self.random.below(3) as u32).await;
                reply.send(1);
            }
        }
        self.inside = false;
    }
}

impl Society for World {
    type Word = AsyncMemberMessage;

    fn books(&self) -> &Books {
        &self.books
    }

    fn found<S: StageUnderTest>(
        &self,
        stage: &S,
        beside: bool,
        random: &mut Random,
    ) -> ActorRef<AsyncMemberMessage> {
        let (world, seed) = (self.clone(), random.next_u64());
        match (self.fragile, beside) {
            (_, false) => stage.spawn(self.guest(seed)),
            (false, true) => stage.theater().spawn(self.guest(seed)),
            (true, true) => {
                let lives = move || world.guest(seed);
                stage.theater().actor().supervised(Supervision::new()).spawn(lives)
            }
        }
    }

    /// Some wait for ever.
    const PATIENCE: Duration = Duration::from_millis(20);

    /// Some bells are rung from outside.
    fn live_beside<S: StageUnderTest>(&self, stage: &S, random: &mut Random) {
        for _ in 0..random.below(10) {
            stage.work_a_little(random.below(50));
            self.ring_one(random);
        }
    }

    /// Wake-ups after the end of everybody.
    fn afterwards(&self) {
        self.bells.lock().expect("as above").iter().for_each(Bell::ring);
    }
}

/// Every message is handled, returned or dead-lettered; every state and every local value of a
/// handler, completed, cancelled or unwound, is dropped once.
pub fn a_random_async_population_loses_nothing<S: StageUnderTest>() {
    assert_eq!(live_and_account::<S, _>(World::default), 0, "no failures are injected");
}

/// The same with failures injected before a handler begins or when it returns.
pub fn a_fragile_async_population_loses_nothing<S: StageUnderTest>() {
    let failed = live_and_account::<S, _>(|| World { fragile: true, ..World::default() });
    assert!(failed > 0, "no injected failure happened");
}
