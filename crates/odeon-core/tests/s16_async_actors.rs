//! S16 for asynchronous actors: worker pools whose members wait, and names that spawn such actors.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{
    Bell, Counted, Deterministic, Ledger, Ticket, for_seeds, silent_panic, yields,
};

const SOON: Duration = Duration::from_secs(20);

/// What the members have handled: which member, which key, which number.
type Done = Arc<Mutex<Vec<(usize, u64, u64)>>>;

/// Waits in each of its messages.
struct Fetcher {
    number: usize,
    done: Done,
}

enum Fetch {
    Do {
        key: u64,
        number: u64,
    },
    Ticket(Ticket),
    /// A ticket whose handler panics after it has waited.
    Fail(Ticket),
    Who(Reply<usize>),
    Await(Bell),
    Stop,
}

impl Message for Fetch {}

impl Counted for Fetch {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Ticket(ticket) | Self::Fail(ticket) => Some(ticket),
            _ => None,
        }
    }
}

impl AsyncActor for Fetcher {
    type Msg = Fetch;
    async fn handle(&mut self, fetch: Fetch, ctx: &mut AsyncContext<'_, Self>) {
        match fetch {
            Fetch::Do { key, number } => {
                yields(number as u32 % 3).await;
                self.done.lock().unwrap().push((self.number, key, number));
            }
            Fetch::Ticket(ticket) => {
                // A message counts as handled once its handler has begun.
                ticket.handled();
                yields(1).await;
            }
            Fetch::Fail(ticket) => {
                ticket.handled();
                yields(1).await;
                silent_panic("asked to");
            }
            Fetch::Who(reply) => reply.send(self.number),
            Fetch::Await(bell) => bell.rings().await,
            Fetch::Stop => ctx.stop(),
        }
    }
}

fn key_of(fetch: &Fetch) -> u64 {
    if let Fetch::Do { key, .. } = fetch { *key } else { 0 }
}

fn fetchers(done: &Done) -> impl Fn(usize) -> Fetcher + Send + Sync + 'static {
    let done = done.clone();
    move |number| Fetcher { number, done: done.clone() }
}

/// Many restarts, without pauses.
fn patient() -> Supervision {
    Supervision::new().restarts(u32::MAX, SOON).pauses(Duration::ZERO, Duration::ZERO)
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < SOON, "{what} does not come");
        std::thread::yield_now();
    }
}

/// As any actor that fails while it is made (S15), with nothing to resume with: it eats no
/// messages.
#[test]
fn s16_an_asynchronous_member_that_cannot_be_made_is_not_resumed() {
    let run = Deterministic::new(5);
    let ledger = Ledger::new();
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let make = move |number| {
        count.fetch_add(1, Ordering::SeqCst);
        if number == 0 {
            silent_panic("the first one cannot be made");
        }
        Fetcher { number, done: Done::default() }
    };
    let policy = Supervision::new().always(Directive::Resume);
    let pool = run.theater().actor().supervised(policy).pool(2, Routing::RoundRobin, make);
    run.run_until_idle();
    assert_eq!((made.load(Ordering::SeqCst), pool.len()), (2, 1));
    (0..8).for_each(|_| pool.send(Fetch::Ticket(ledger.ticket())).unwrap());
    run.run_until_idle();
    assert_eq!((ledger.check().handled, made.load(Ordering::SeqCst)), (8, 2));
}

/// With one thread: as many wait as there are members, and no more.
#[test]
fn s16_as_many_messages_wait_as_there_are_members() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let make = fetchers(&Done::default());
    let pool = theater.actor().supervised(patient()).pool(4, Routing::RoundRobin, make);
    let (first, second) = (Bell::new(), Bell::new());
    (0..4).for_each(|_| pool.send(Fetch::Await(first.clone())).unwrap());
    wait_until("all four", || first.waiting() == 4);
    (0..4).for_each(|_| pool.send(Fetch::Await(second.clone())).unwrap());
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(second.waiting(), 0);
    first.ring();
    wait_until("the next four", || second.waiting() == 4);
    second.ring();
    assert!(theater.shutdown(SOON).drained);
}

#[test]
fn s16_a_member_that_waits_is_loaded_until_it_is_done_or_gone() {
    let run = Deterministic::new(1);
    let theater = run.theater();
    let make = fetchers(&Done::default());
    let pool = theater.actor().supervised(patient()).pool(2, Routing::LeastLoaded, make);
    let bell = Bell::new();
    pool.send(Fetch::Await(bell.clone())).unwrap();
    run.run_until_idle();
    let who = || {
        let ask = pool.ask(Fetch::Who);
        run.run_until_idle();
        ask.wait().unwrap()
    };
    let free = who();
    assert!((0..20).all(|_| who() == free), "the other one waits");
    bell.ring();
    run.run_until_idle();
    assert!((0..50).any(|_| who() != free), "nobody waits any more");

    // A handler that is cancelled with its member does not count for the one that comes after it.
    pool.send(Fetch::Await(Bell::new())).unwrap();
    run.run_until_idle();
    let free = who();
    pool.members()[1 - free].stop();
    run.run_until_idle();
    pool.resize(2);
    run.run_until_idle();
    assert!((0..50).any(|_| who() != free));
}

#[test]
fn s16_round_robin_gives_each_asynchronous_member_the_same() {
    let run = Deterministic::new(2);
    let done = Done::default();
    let make = fetchers(&done);
    let pool = run.theater().actor().supervised(patient()).pool(3, Routing::RoundRobin, make);
    (0..300).for_each(|number| pool.send(Fetch::Do { key: 0, number }).unwrap());
    run.run_until_idle();
    let done = done.lock().unwrap();
    for member in 0..3 {
        assert_eq!(done.iter().filter(|(by, ..)| *by == member).count(), 100);
    }
}

#[test]
fn s16_a_key_has_one_member_and_an_order_across_waits() {
    const KEYS: u64 = 50;
    let theater = Theater::builder().workers(2).build().unwrap();
    let done = Done::default();
    let routing = Routing::ByKey(key_of);
    let pool = theater.actor().supervised(patient()).pool(4, routing, fetchers(&done));
    std::thread::scope(|scope| {
        for speaker in 0..2 {
            let pool = pool.clone();
            scope.spawn(move || {
                for number in 0..5_000 {
                    let key = (number % KEYS) * 2 + speaker;
                    pool.send(Fetch::Do { key, number }).unwrap();
                }
            });
        }
    });
    wait_until("all messages", || done.lock().unwrap().len() == 10_000);
    let mut last = HashMap::new();
    for (member, key, number) in &*done.lock().unwrap() {
        let before = last.insert(*key, (*member, *number));
        assert!(before.is_none_or(|(by, before)| by == *member && before < *number), "key {key}");
    }
    assert_eq!(last.len(), 2 * KEYS as usize);
}

/// Threads send while the size changes: every message is handled, none by the dead-letter hook.
#[test]
fn s16_resizing_a_pool_that_waits_loses_nothing() {
    for routing in [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(key_of)] {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Fetch>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let make = fetchers(&Done::default());
        let pool = theater.actor().supervised(patient()).pool(3, routing, make);
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (pool, ledger, done) = (pool.clone(), &ledger, &done);
                scope.spawn(move || {
                    for _ in 0..10_000 {
                        pool.send(Fetch::Ticket(ledger.ticket())).unwrap();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
            let mut random = Random::from_seed(1);
            while done.load(Ordering::SeqCst) < 2 {
                pool.resize(1 + random.below(9));
                std::thread::yield_now();
            }
        });
        pool.resize(0);
        wait_until("the end of all", || theater.live_actors() == 0);
        let account = ledger.check();
        assert_eq!((account.handled, account.dead_lettered), (20_000, 0));
        pool.resize(1);
        assert_eq!(pool.ask(Fetch::Who).wait(), Ok(0));
    }
}

/// Random sends, failures after waits, ends, resizes and stops: every message is accounted for.
#[test]
fn s16_pools_that_wait_from_seeds() {
    for_seeds(200, |seed| {
        let ledger = Ledger::new();
        let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Fetch>());
        let run = Deterministic::with(seed, builder);
        let mut random = Random::from_seed(seed);
        let routing =
            [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(key_of)][random.below(3)];
        let policy = Supervision::new().restarts(1, SOON).pauses(Duration::ZERO, Duration::ZERO);
        let make = fetchers(&Done::default());
        let pool = run.theater().actor().supervised(policy).pool(random.below(5), routing, make);
        for _ in 0..150 {
            let message = match random.below(20) {
                0 => Fetch::Fail(ledger.ticket()),
                1 => Fetch::Stop,
                2 => Fetch::Do { key: random.below(9) as u64, number: 2 },
                _ => Fetch::Ticket(ledger.ticket()),
            };
            let any_live = !pool.is_empty();
            if let Err(returned) = pool.send(message) {
                assert!(!any_live, "a member could have taken it");
                returned.into_message().into_ticket().into_iter().for_each(Ticket::returned);
            }
            match random.below(30) {
                0 => {
                    let size = random.below(5);
                    pool.resize(size);
                    assert_eq!(pool.len(), size);
                }
                1 => pool.stop(),
                _ => {}
            }
            run.run_steps(random.below(3));
        }
        drop(pool);
        run.run_until_idle();
        assert_eq!(run.theater().live_actors(), 0);
        ledger.check();
    });
}

#[test]
fn s16_members_may_have_bounds_and_waiting_senders_go_on() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let make = fetchers(&Done::default());
    let pool = theater.actor().supervised(patient()).pool(2, Routing::RoundRobin, move |number| {
        Bounded::new_async(make(number)).mailbox(0, Bound::reject(1))
    });
    wait_until("the members", || pool.ask(Fetch::Who).wait().is_ok());
    let bell = Bell::new();
    (0..2).for_each(|at| {
        wait_until("room", || pool.send(Fetch::Await(bell.clone())).is_ok());
        wait_until("the handler", || bell.waiting() == at + 1);
    });
    (0..2).for_each(|_| pool.send(Fetch::Await(bell.clone())).unwrap());
    assert!(matches!(pool.send(Fetch::Stop), Err(SendError::Full(_))));
    bell.ring();
    assert!(theater.shutdown(SOON).drained);
}

#[test]
fn s16_one_asynchronous_actor_is_spawned_however_many_look() {
    for _ in 0..50 {
        let theater = Theater::builder().workers(2).build().unwrap();
        let made = Arc::new(AtomicUsize::new(0));
        let found: Vec<_> = std::thread::scope(|scope| {
            let look = || {
                let made = made.clone();
                let make = move || {
                    made.fetch_add(1, Ordering::SeqCst);
                    Fetcher { number: 7, done: Done::default() }
                };
                theater.actor().lookup_or_spawn("fetcher", make).unwrap()
            };
            let looking: Vec<_> = (0..3).map(|_| scope.spawn(look)).collect();
            looking.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|actor| actor.id() == found[0].id()));
        assert_eq!(found[0].ask(Fetch::Who).wait(), Ok(7));
        assert_eq!(made.load(Ordering::SeqCst), 1);
        assert!(theater.actor().lookup_or_spawn("fetcher", || Other).is_err());
    }
}

/// Takes other messages than a [`Fetcher`].
struct Other;

impl AsyncActor for Other {
    type Msg = ();
    async fn handle(&mut self, _: (), _: &mut AsyncContext<'_, Self>) {}
}

#[test]
fn s16_a_panic_of_make_frees_the_name() {
    let run = Deterministic::new(3);
    let theater = run.theater();
    let failing = || -> Fetcher { silent_panic("cannot be made") };
    let first = theater.actor().lookup_or_spawn("fetcher", failing).unwrap();
    run.run_until_idle();
    assert!(first.is_stopped());
    let make = || Fetcher { number: 1, done: Done::default() };
    let second = theater.actor().lookup_or_spawn("fetcher", make).unwrap();
    assert_ne!(first.id(), second.id());
    let ask = second.ask(Fetch::Who);
    run.run_until_idle();
    assert_eq!(ask.wait(), Ok(1));
}

#[test]
fn s16_an_asynchronous_actor_keeps_its_name_across_restarts() {
    let run = Deterministic::new(4);
    let (theater, ledger) = (run.theater(), Ledger::new());
    let made = Arc::new(AtomicUsize::new(0));
    let make = {
        let made = made.clone();
        move || Fetcher { number: made.fetch_add(1, Ordering::SeqCst), done: Done::default() }
    };
    let named = theater.actor().supervised(patient()).lookup_or_spawn("fetcher", make).unwrap();
    named.send(Fetch::Fail(ledger.ticket())).unwrap();
    named.send(Fetch::Ticket(ledger.ticket())).unwrap();
    let ask = theater.lookup::<Fetch>("fetcher").unwrap().ask(Fetch::Who);
    run.run_until_idle();
    assert_eq!((ask.wait(), made.load(Ordering::SeqCst)), (Ok(1), 2));
    assert_eq!(ledger.check().handled, 2);
}

/// Contexts of both kinds have what the theater has.
#[test]
fn s16_actors_of_both_kinds_spawn_asynchronous_ones() {
    struct Chief(Vec<usize>);
    impl Actor for Chief {
        type Msg = Box<Reply<Vec<usize>>>;
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            let make = fetchers(&Done::default());
            let pool = ctx.actor().supervised(patient()).pool(1, Routing::RoundRobin, make);
            let named = |number| move || Fetcher { number, done: Done::default() };
            let one = ctx.actor().lookup_or_spawn("one", named(1)).unwrap();
            let two = ctx.actor().supervised(patient()).lookup_or_spawn("two", named(2)).unwrap();
            let (one, two) = (one.ask(Fetch::Who), two.ask(Fetch::Who));
            let zero = pool.ask(Fetch::Who);
            let all = async { [zero.await, one.await, two.await].map(Result::unwrap).to_vec() };
            ctx.pipe(all, |this, all, _| this.0 = all);
        }
        fn handle(&mut self, reply: Box<Reply<Vec<usize>>>, _: &mut Context<'_, Self>) {
            reply.send(self.0.clone());
        }
    }
    struct AsyncChief;
    impl AsyncActor for AsyncChief {
        type Msg = Box<Reply<Vec<usize>>>;
        async fn handle(&mut self, reply: Self::Msg, ctx: &mut AsyncContext<'_, Self>) {
            let make = fetchers(&Done::default());
            let pool = ctx.actor().supervised(patient()).pool(1, Routing::LeastLoaded, make);
            let named = |number| move || Fetcher { number, done: Done::default() };
            let three = ctx.actor().lookup_or_spawn("three", named(3)).unwrap();
            let four = ctx.actor().supervised(patient()).lookup_or_spawn("four", named(4)).unwrap();
            let (three, four) = (three.ask(Fetch::Who), four.ask(Fetch::Who));
            let zero = pool.ask(Fetch::Who);
            reply.send([zero.await, three.await, four.await].map(Result::unwrap).to_vec());
        }
    }
    let run = Deterministic::new(5);
    let chief = run.theater().spawn(Chief(Vec::new()));
    run.run_until_idle();
    let answers = [chief.ask(Box::new), run.theater().spawn(AsyncChief).ask(Box::new)];
    run.run_until_idle();
    assert_eq!(answers.map(|answer| answer.wait().unwrap()), [[0, 1, 2], [0, 3, 4]]);
}
