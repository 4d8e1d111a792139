//! A population of actors that do everything an actor can, at random, with an account of it all.
//!
//! Citizens pass messages on, found families, introduce friends to each other, ask questions and
//! answer, keep, pass on or drop them, close and open mailboxes, stop themselves and others, and
//! panic. In the end every message, every actor's state and every question must be accounted for.
//!
//! In a fragile population failures are injected as well, and citizens are supervised by all sorts
//! of policies: they are restarted, at once or after a pause, resumed, stopped, and escalate to
//! their parents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use odeon_core::{
    Actor, ActorRef, AskError, Context, Directive, Message, Random, Reply, Supervision,
};

use super::society::{Books, Society, SocietyMessage as SocialWord, live_and_account};
use super::stage::StageUnderTest;
use crate::conservation::{Counted, Ticket};
use crate::drop_tracker::Tracked;
use crate::faults::{Faults, Faulty};
use crate::silent_panic;

/// In a fragile population about one of so many messages is failed at.
const ONE_FAILS_IN: usize = 15;

/// What is known of the whole population.
#[derive(Clone, Default)]
struct World {
    books: Books,
    fragile: bool,
    asked: Arc<AtomicU64>,
    answered: Arc<AtomicU64>,
}

enum MemberMessage {
    Visit {
        ticket: Ticket,
        hops: u32,
    },
    Meet {
        ticket: Ticket,
        friend: ActorRef<MemberMessage>,
    },
    Question {
        ticket: Ticket,
        hops: u32,
        reply: Reply<u64>,
    },
    /// Without a ticket: `Reply` sends it, not a citizen.
    Answer(Result<u64, AskError>),
}

impl Message for MemberMessage {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Meet { .. } | Self::Answer(_) => 0,
            Self::Visit { .. } => 1,
            Self::Question { .. } => 2,
        }
    }
}

impl Counted for MemberMessage {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Visit { ticket, .. }
            | Self::Meet { ticket, .. }
            | Self::Question { ticket, .. } => Some(ticket),
            Self::Answer(_) => None,
        }
    }
}

impl SocialWord for MemberMessage {
    fn meet(ticket: Ticket, friend: ActorRef<Self>) -> Self {
        Self::Meet { ticket, friend }
    }

    fn visit(ticket: Ticket, hops: u32) -> Self {
        Self::Visit { ticket, hops }
    }
}

struct Citizen {
    world: World,
    random: Random,
    friends: Vec<ActorRef<MemberMessage>>,
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
            _state: world.books.values.track(()),
        }
    }

    fn some_friend(&mut self, ctx: &Context<'_, Self>) -> ActorRef<MemberMessage> {
        match self.friends.len() {
            0 => ctx.actor_ref(),
            friends => self.friends[self.random.below(friends)].clone(),
        }
    }

    fn visit(&self, to: &ActorRef<MemberMessage>, hops: u32) {
        self.world.books.visit(to, hops);
    }

    fn ask(&mut self, hops: u32, ctx: &Context<'_, Self>) {
        let reply = if self.random.below(2) == 0 {
            ctx.reply_to(MemberMessage::Answer)
        } else {
            // ORDERING: Relaxed, also below: read after the shutdown.
            self.world.asked.fetch_add(1, Ordering::Relaxed);
            let answered = self.world.answered.clone();
            ctx.reply_to(move |answer| {
                answered.fetch_add(1, Ordering::Relaxed);
                MemberMessage::Answer(answer)
            })
        };
        let to = self.some_friend(ctx);
        self.world.books.ledger.send(&to, |ticket| MemberMessage::Question { ticket, hops, reply });
    }

    fn have_child(&mut self, ctx: &Context<'_, Self>) -> ActorRef<MemberMessage> {
        let seed = self.random.next_u64();
        if self.world.fragile && self.random.below(2) == 0 {
            let policy = some_policy(&mut self.random, true);
            return ctx.actor().supervised(policy).spawn(self.world.lives(seed));
        }
        ctx.spawn(Self::new(&self.world, seed))
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
                self.world.books.meet(&to, friend);
            }
            8 | 9 => {
                let child = self.have_child(ctx);
                self.world.books.meet(&child, ctx.actor_ref());
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
    type Msg = MemberMessage;

    fn handle(&mut self, msg: MemberMessage, ctx: &mut Context<'_, Self>) {
        match msg {
            MemberMessage::Visit { ticket, hops } => {
                ticket.handled();
                if let Some(reply) = self.kept.pop() {
                    reply.send(1);
                }
                if hops > 0 {
                    (0..=self.random.below(2)).for_each(|_| self.act(hops - 1, ctx));
                }
            }
            MemberMessage::Meet { ticket, friend } => {
                ticket.handled();
                self.friends.push(friend);
            }
            MemberMessage::Question { ticket, hops, reply } => {
                ticket.handled();
                match self.random.below(6) {
                    0 => self.kept.push(reply),
                    1 => drop(reply),
                    2 if hops > 0 => {
                        let (to, hops) = (self.some_friend(ctx), hops - 1);
                        let question = |ticket| MemberMessage::Question { ticket, hops, reply };
                        self.world.books.ledger.send(&to, question);
                    }
                    _ => reply.send(2),
                }
            }
            MemberMessage::Answer(answer) => {
                if matches!(answer, Err(AskError::NoReply | AskError::Failed(_))) {
                    ctx.open(2);
                }
            }
        }
    }
}

impl World {
    /// The lives of one fragile citizen: in each it decides otherwise.
    fn lives(&self, seed: u64) -> impl FnMut() -> Faulty<Citizen> + Send + 'static {
        let (world, faults) = (self.clone(), Faults::one_in(ONE_FAILS_IN, seed));
        let mut seeds = Random::from_seed(seed);
        let faults = if seed % 2 == 0 { faults.after_handling() } else { faults };
        move || faults.plain(Citizen::new(&world, seeds.next_u64()))
    }
}

fn some_policy(random: &mut Random, has_parent: bool) -> Supervision {
    let policy = Supervision::new().restarts(random.below(5) as u32, Duration::from_secs(1));
    let policy = match random.below(3) {
        0 => policy,
        1 => policy.pauses(Duration::ZERO, Duration::ZERO),
        _ => policy.pauses(Duration::from_millis(1), Duration::from_millis(2)),
    };
    match random.below(8) {
        0 => policy.always(Directive::Resume),
        1 => policy.always(Directive::Stop),
        // Without a parent it would end everybody.
        2 if has_parent => policy.always(Directive::Escalate),
        3 => policy.all_for_one(),
        _ => policy,
    }
}

impl Society for World {
    type Word = MemberMessage;

    fn books(&self) -> &Books {
        &self.books
    }

    fn found<S: StageUnderTest>(
        &self,
        stage: &S,
        beside: bool,
        random: &mut Random,
    ) -> ActorRef<MemberMessage> {
        let seed = random.next_u64();
        match (self.fragile, beside) {
            (false, false) => stage.spawn(Citizen::new(self, seed)),
            (false, true) => stage.theater().spawn(Citizen::new(self, seed)),
            (true, false) => stage.spawn_supervised(some_policy(random, false), self.lives(seed)),
            (true, true) => stage
                .theater()
                .actor()
                .supervised(some_policy(random, false))
                .spawn(self.lives(seed)),
        }
    }

    fn afterwards(&self) {
        // ORDERING: Relaxed: the shutdown has joined all threads.
        let (asked, answered) =
            (self.asked.load(Ordering::Relaxed), self.answered.load(Ordering::Relaxed));
        assert_eq!(asked, answered, "a question was answered never, or twice");
    }
}

/// Every message is handled, returned or dead-lettered, every question gets exactly one answer,
/// every state is dropped once.
pub fn a_random_population_loses_nothing<S: StageUnderTest>() {
    assert_eq!(live_and_account::<S, _>(World::default), 0, "no failures are injected");
}

/// The same with injected failures under supervision.
pub fn a_fragile_population_loses_nothing<S: StageUnderTest>() {
    let failed = live_and_account::<S, _>(|| World { fragile: true, ..World::default() });
    assert!(failed > 0, "no injected failure happened");
}
