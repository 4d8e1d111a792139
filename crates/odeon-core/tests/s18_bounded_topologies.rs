//! S18 actors with bounds among each other: nobody stands still, nothing is lost, pipelines stay
//! short.

use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use crate::bounded::*;
use odeon_core::*;
use odeon_testkit::{
    Bell, Counted, Deterministic, DropTracker, Ledger, Ticket, for_seeds, silent_panic,
};

/// Passes tokens on at random, as long as they have hops left.
struct Forwarder {
    others: Vec<WeakRef<Hop>>,
    random: Random,
    arrived: Count,
}

enum Hop {
    Know(Vec<WeakRef<Hop>>),
    Token(u32),
}

impl Message for Hop {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Token(_)))
    }
}

impl Forwarder {
    fn new(seed: u64, arrived: &Count) -> Self {
        let random = Random::from_seed(seed);
        Self { others: Vec::new(), random, arrived: arrived.clone() }
    }

    /// Whom to send what.
    fn next(&mut self, hop: Hop) -> Option<(ActorRef<Hop>, Hop)> {
        match hop {
            Hop::Know(others) => self.others = others,
            Hop::Token(0) => self.arrived.add(),
            Hop::Token(hops) => {
                let to = self.others[self.random.below(self.others.len())].upgrade().unwrap();
                return Some((to, Hop::Token(hops - 1)));
            }
        }
        None
    }
}

impl Actor for Forwarder {
    type Msg = Hop;
    fn handle(&mut self, hop: Hop, _: &mut Context<'_, Self>) {
        if let Some((to, hop)) = self.next(hop) {
            assert!(to.send(hop).is_ok());
        }
    }
}

/// The same, waiting for a place as a future does.
struct Patient(Forwarder);

impl AsyncActor for Patient {
    type Msg = Hop;
    async fn handle(&mut self, hop: Hop, _: &mut AsyncContext<'_, Self>) {
        if let Some((to, hop)) = self.0.next(hop) {
            assert!(to.send_async(hop).await.is_ok());
        }
    }
}

/// Who may be in a topology.
#[derive(Clone, Copy)]
enum Kinds {
    /// Plain actors alone.
    Plain,
    /// Asynchronous ones as well.
    OfThePool,
    /// And some with threads of their own.
    All,
}

/// A random topology of a few actors, most with room for one to three tokens, and several times as
/// many tokens. Returns the actors, where tokens arrive, and how many must.
fn topology(theater: &Theater, seed: u64, kinds: Kinds) -> (Vec<ActorRef<Hop>>, Count, usize) {
    let mut random = Random::from_seed(seed);
    let arrived = Count::default();
    let stage = matches!(kinds, Kinds::All).then(|| theater.pinned("stage").unwrap());
    let actors: Vec<_> = (0..2 + random.below(5))
        .map(|n| {
            let forwarder = Forwarder::new(seed + n as u64, &arrived);
            let bound = Bound::wait(1 + random.below(3));
            let bounded = |forwarder| Bounded::new(forwarder).mailbox(1, bound);
            let patient = |forwarder| Bounded::new_async(Patient(forwarder)).mailbox(1, bound);
            let kinds = match kinds {
                Kinds::Plain => 5,
                Kinds::OfThePool => 7,
                Kinds::All => 10,
            };
            match random.below(kinds) {
                0 => theater.spawn(forwarder),
                5 | 6 => theater.spawn(patient(forwarder)),
                7 => theater.actor().dedicated("one").spawn(bounded(forwarder)).unwrap(),
                8 => theater.actor().dedicated("one").spawn(patient(forwarder)).unwrap(),
                9 => theater.actor().on(stage.as_ref().unwrap()).spawn(bounded(forwarder)),
                _ => theater.spawn(bounded(forwarder)),
            }
        })
        .collect();
    for actor in &actors {
        let mut others: Vec<_> = actors.iter().map(ActorRef::downgrade).collect();
        while others.len() > 1 && random.below(2) == 0 {
            others.swap_remove(random.below(others.len()));
        }
        actor.send(Hop::Know(others)).unwrap();
    }
    let tokens = 5 + random.below(40) as u32;
    for actor in &actors {
        theater.spawn(Source { into: actor.clone(), tokens }).send(()).unwrap();
    }
    let all = actors.len() * tokens as usize;
    (actors, arrived, all)
}

/// Brings tokens into a topology, one per message.
struct Source {
    into: ActorRef<Hop>,
    tokens: u32,
}

impl Actor for Source {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        assert!(self.into.send(Hop::Token(30)).is_ok());
        self.tokens -= 1;
        if self.tokens > 0 {
            ctx.send_self(());
        }
    }
}

#[test]
fn s18_overfull_topologies_never_stand_still_in_any_order() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let kinds = if seed % 2 == 0 { Kinds::Plain } else { Kinds::OfThePool };
        let (_actors, arrived, all) = topology(run.theater(), seed, kinds);
        run.run_until_idle();
        assert_eq!(arrived.now(), all);
    });
}

#[test]
fn s18_overfull_topologies_never_stand_still_in_parallel() {
    for_seeds(150, |seed| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let kinds = [Kinds::Plain, Kinds::OfThePool, Kinds::All][seed as usize % 3];
        let (actors, arrived, all) = topology(&theater, seed, kinds);
        until(|| arrived.now() == all);
        drop(actors);
    });
}

#[test]
fn s18_a_theater_stops_in_the_middle_of_all_that_wait() {
    for_seeds(60, |seed| {
        let run = Deterministic::new(seed);
        // Nobody but those that wait keeps the actors.
        let (actors, ..) = topology(run.theater(), seed, Kinds::OfThePool);
        run.run_steps(200);
        drop(actors);
        assert_eq!(run.shutdown().stuck, 0);
    });
    for_seeds(20, |seed| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (actors, arrived, _) = topology(&theater, seed, Kinds::All);
        until(|| arrived.now() > 0);
        assert_eq!(theater.shutdown(Duration::ZERO).stuck, 0);
        assert!(actors.iter().all(ActorRef::is_stopped));
    });
}

/// Sends each number on to a slow one.
struct Middle {
    to: ActorRef<u64>,
    sent: Count,
}

impl Actor for Middle {
    type Msg = u64;
    fn handle(&mut self, number: u64, _: &mut Context<'_, Self>) {
        self.to.send(number).unwrap();
        self.sent.add();
    }
}

struct Slow {
    handled: Count,
    notes: Notes,
}

impl Actor for Slow {
    type Msg = u64;
    fn handle(&mut self, number: u64, _: &mut Context<'_, Self>) {
        self.notes.note(number);
        self.handled.add();
        if number % 8 == 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Also where an actor is flooded that passes everything on, bounded itself or not.
#[test]
fn s18_a_pipeline_holds_what_its_bounds_say_and_one_message_of_each_sender() {
    for middle_is_bounded in [true, false] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (handled, sent, notes) = (Count::default(), Count::default(), Notes::default());
        let slow = Slow { handled: handled.clone(), notes: notes.clone() };
        let slow = theater.spawn(Bounded::new(slow).mailbox(0, Bound::wait(10)));
        let middle = Middle { to: slow, sent: sent.clone() };
        let middle = if middle_is_bounded {
            theater.spawn(Bounded::new(middle).mailbox(0, Bound::wait(10)))
        } else {
            theater.spawn(middle)
        };
        let flood = std::thread::spawn(move || (0..5_000).for_each(|n| middle.send(n).unwrap()));
        until(|| {
            let (sent, handled) = (sent.now(), handled.now());
            // Ten that wait, one beyond, and one between being taken and being counted.
            assert!(sent <= handled + 12, "{sent} sent, {handled} handled");
            handled == 5_000
        });
        flood.join().unwrap();
        assert!(notes.all().into_iter().eq(0..5_000));
    }
}

/// Fails at random, holds tracked state, and accounts for every message.
struct Unreliable(
    #[expect(dead_code, reason = "it is dropped with the actor")] odeon_testkit::Tracked<()>,
);

struct Risk {
    ticket: Ticket,
    fails: bool,
}

impl Message for Risk {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(!self.fails)
    }
}

impl Counted for Risk {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.ticket)
    }
}

impl Actor for Unreliable {
    type Msg = Risk;
    fn handle(&mut self, risk: Risk, _: &mut Context<'_, Self>) {
        risk.ticket.handled();
        if risk.fails {
            silent_panic("at random");
        }
    }
}

/// Supervised actors with all kinds of bounds.
fn unreliable(theater: &Theater, tracker: &DropTracker, seed: u64) -> Vec<ActorRef<Risk>> {
    let mut random = Random::from_seed(seed);
    let stage = (seed % 2 == 1).then(|| theater.pinned("stage").unwrap());
    let bounds = [Bound::wait, Bound::reject, Bound::drop_oldest];
    let spawn = |n: usize| {
        let bound = bounds[n % 3](1 + random.below(4));
        let tracker = tracker.clone();
        let make = move || {
            let actor = Unreliable(tracker.track(()));
            Bounded::new(actor).mailbox(0, Bound::wait(1)).mailbox(1, bound)
        };
        let policy = Supervision::new().restarts(20, SOON);
        let policy = match n % 4 {
            0 => policy.always(Directive::Resume),
            1 => policy.always(Directive::Stop),
            _ => policy,
        };
        match &stage {
            Some(stage) if n % 2 == 0 => theater.actor().on(stage).supervised(policy).spawn(make),
            _ => theater.actor().supervised(policy).spawn(make),
        }
    };
    (0..9).map(spawn).collect()
}

/// Sends at random, and sometimes stops one.
fn trouble(actors: &[ActorRef<Risk>], ledger: &Ledger, seed: u64, mut between: impl FnMut()) {
    let mut random = Random::from_seed(!seed);
    for _ in 0..300 {
        let actor = &actors[random.below(actors.len())];
        let fails = random.below(20) == 0;
        ledger.send(actor, |ticket| Risk { ticket, fails });
        if random.below(300) == 0 {
            actor.stop();
        }
        between();
    }
}

#[test]
fn s18_random_failures_restarts_and_stops_lose_nothing_in_any_order() {
    for_seeds(100, |seed| {
        let (ledger, tracker) = (Ledger::new(), DropTracker::new());
        let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Risk>());
        let run = Deterministic::with(seed, builder);
        let mut random = Random::from_seed(seed);
        // Even: actors with threads of their own are not deterministic.
        let actors = unreliable(run.theater(), &tracker, 2 * seed);
        trouble(&actors, &ledger, seed, || {
            run.run_steps(random.below(3));
        });
        if seed % 3 > 0 {
            run.run_until_idle();
        }
        ledger.take_leftovers::<Risk>(run.shutdown());
        drop(actors);
        tracker.check();
        ledger.check();
    });
}

#[test]
fn s18_random_failures_restarts_and_stops_lose_nothing_in_parallel() {
    for_seeds(40, |seed| {
        let (ledger, tracker) = (Ledger::new(), DropTracker::new());
        let hook = ledger.dead_letter_hook::<Risk>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let actors = unreliable(&theater, &tracker, seed);
        std::thread::scope(|scope| {
            for n in 0..3 {
                let (actors, ledger) = (&actors, &ledger);
                scope.spawn(move || trouble(actors, ledger, seed + 100 * n, || {}));
            }
        });
        let patience = if seed % 3 > 0 { SOON } else { Duration::ZERO };
        ledger.take_leftovers::<Risk>(theater.shutdown(patience));
        drop(actors);
        tracker.check();
        ledger.check();
    });
}

/// Who waits for two that a third holds back, which then waits for it: both are let go.
#[test]
fn s18_s17_of_several_circles_all_are_opened() {
    enum Say {
        Ask(ActorRef<Say>),
        Fill(ActorRef<Say>, usize),
        AskBoth(ActorRef<Say>, ActorRef<Say>),
        Question(Reply<u32>),
        Nothing(usize),
    }
    impl Message for Say {
        const MAILBOXES: usize = 3;
        fn mailbox(&self) -> usize {
            if let Self::Nothing(mailbox) = self { *mailbox } else { 0 }
        }
    }
    struct Talker(Bell, Count);
    impl AsyncActor for Talker {
        type Msg = Say;
        async fn handle(&mut self, say: Say, _: &mut AsyncContext<'_, Self>) {
            match say {
                Say::Ask(whom) => {
                    self.0.rings().await;
                    assert_eq!(whom.ask(Say::Question).await, Ok(1));
                    self.1.add();
                }
                Say::Fill(whom, mailbox) => {
                    (0..3).for_each(|_| whom.send(Say::Nothing(mailbox)).unwrap());
                }
                Say::AskBoth(one, other) => {
                    let mut answers = [one.ask(Say::Question), other.ask(Say::Question)].map(Some);
                    std::future::poll_fn(|cx| {
                        for place in &mut answers {
                            if place.as_mut().is_some_and(|ask| Pin::new(ask).poll(cx).is_ready()) {
                                *place = None;
                            }
                        }
                        let done = answers.iter().all(Option::is_none);
                        if done { Poll::Ready(()) } else { Poll::Pending }
                    })
                    .await;
                }
                Say::Question(reply) => reply.send(1),
                Say::Nothing(_) => {}
            }
        }
    }
    for_seeds(20, |seed| {
        let run = Deterministic::new(seed);
        let (bell, done) = (Bell::new(), Count::default());
        let spawn = || run.theater().spawn(Talker(bell.clone(), done.clone()));
        let holder = Bounded::new_async(Talker(bell.clone(), done.clone()));
        let holder = holder.mailbox(1, Bound::wait(1)).mailbox(2, Bound::wait(1));
        let holder = run.theater().spawn(holder);
        let (one, other, middle) = (spawn(), spawn(), spawn());
        holder.send(Say::Ask(middle.clone())).unwrap();
        run.run_until_idle();
        one.send(Say::Fill(holder.clone(), 1)).unwrap();
        other.send(Say::Fill(holder, 2)).unwrap();
        run.run_until_idle();
        middle.send(Say::AskBoth(one, other)).unwrap();
        run.run_until_idle();
        bell.ring();
        run.run_until_idle();
        assert_eq!(done.now(), 1);
    });
}
