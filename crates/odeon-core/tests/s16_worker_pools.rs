//! S16 worker pools: each message to one member; resized while running, nothing is lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Counted, Deterministic, Ledger, Ticket, for_seeds, silent_panic};

const SOON: Duration = Duration::from_secs(20);

/// What the members have handled: which member, which key, which number.
type Done = Arc<Mutex<Vec<(usize, u64, u64)>>>;

struct Clerk {
    number: usize,
    done: Done,
}

enum Work {
    Do {
        key: u64,
        number: u64,
    },
    Ticket(Ticket),
    /// A ticket that is handled by a panic.
    Fail(Ticket),
    Who(Reply<usize>),
    Wait(Arc<AtomicBool>, Reply<usize>),
    Stop,
}

impl Message for Work {}

impl Counted for Work {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Ticket(ticket) | Self::Fail(ticket) => Some(ticket),
            _ => None,
        }
    }
}

impl Actor for Clerk {
    type Msg = Work;
    fn handle(&mut self, work: Work, ctx: &mut Context<'_, Self>) {
        match work {
            Work::Do { key, number } => self.done.lock().unwrap().push((self.number, key, number)),
            Work::Ticket(ticket) => ticket.handled(),
            Work::Fail(ticket) => {
                ticket.handled();
                silent_panic("asked to");
            }
            Work::Who(reply) => reply.send(self.number),
            Work::Wait(go, reply) => {
                reply.send(self.number);
                while !go.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            }
            Work::Stop => ctx.stop(),
        }
    }
}

fn key_of(work: &Work) -> u64 {
    if let Work::Do { key, .. } = work { *key } else { 0 }
}

fn clerks(done: &Done) -> impl Fn(usize) -> Clerk + Send + Sync + 'static {
    let done = done.clone();
    move |number| Clerk { number, done: done.clone() }
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

#[test]
fn s16_round_robin_gives_each_the_same() {
    let run = Deterministic::new(1);
    let done = Done::default();
    let pool =
        run.theater().actor().supervised(patient()).pool(3, Routing::RoundRobin, clerks(&done));
    (0..300).for_each(|number| pool.send(Work::Do { key: 0, number }).unwrap());
    run.run_until_idle();
    let done = done.lock().unwrap();
    for member in 0..3 {
        assert_eq!(done.iter().filter(|(by, ..)| *by == member).count(), 100);
    }
    assert_eq!(format!("{pool:?}"), "WorkerPool { members: 3, routing: RoundRobin, .. }");
}

/// Members that are stuck in a long message get nothing while another one is free.
#[test]
fn s16_least_loaded_avoids_who_is_busy() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let done = Done::default();
    let pool = theater.actor().supervised(patient()).pool(2, Routing::LeastLoaded, clerks(&done));
    let go = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let wait = |go: &Arc<AtomicBool>| pool.ask(|reply| Work::Wait(go.clone(), reply)).wait();
    let [busy, free] = go.each_ref().map(|go| wait(go).unwrap());
    assert_eq!(free, 1 - busy);
    // Two messages for each: an answer comes before its message is done with, and until then the
    // free one looks as busy as with one.
    (0..2).for_each(|number| pool.send(Work::Do { key: 0, number }).unwrap());
    go[1].store(true, Ordering::SeqCst);
    wait_until("the free one's message", || !done.lock().unwrap().is_empty());
    for _ in 0..2_000 {
        assert_eq!(pool.ask(Work::Who).wait_timeout(SOON), Ok(free));
    }
    go[0].store(true, Ordering::SeqCst);
}

#[test]
fn s16_least_loaded_keeps_the_members_level() {
    let run = Deterministic::new(2);
    let done = Done::default();
    let pool =
        run.theater().actor().supervised(patient()).pool(5, Routing::LeastLoaded, clerks(&done));
    run.run_until_idle();
    for number in 0..2_000 {
        pool.send(Work::Do { key: 0, number }).unwrap();
    }
    run.run_until_idle();
    let mut share = [0; 5];
    done.lock().unwrap().iter().for_each(|(member, ..)| share[*member] += 1);
    // Two choices keep the differences within a few messages, where one choice has dozens.
    assert!(share.iter().all(|messages| (390..=410).contains(messages)), "{share:?}");
}

fn members_of_keys(done: &Done) -> HashMap<u64, Vec<usize>> {
    let mut members: HashMap<u64, Vec<usize>> = HashMap::new();
    for (member, key, _) in &*done.lock().unwrap() {
        let members = members.entry(*key).or_default();
        if !members.contains(member) {
            members.push(*member);
        }
    }
    members
}

#[test]
fn s16_a_key_has_one_member_and_an_order() {
    const KEYS: u64 = 50;
    let theater = Theater::builder().workers(2).build().unwrap();
    let done = Done::default();
    let pool = theater.actor().supervised(patient()).pool(4, Routing::ByKey(key_of), clerks(&done));
    std::thread::scope(|scope| {
        for speaker in 0..2 {
            let pool = pool.clone();
            scope.spawn(move || {
                for number in 0..5_000 {
                    let key = (number % KEYS) * 2 + speaker;
                    pool.send(Work::Do { key, number }).unwrap();
                }
            });
        }
    });
    wait_until("all messages", || done.lock().unwrap().len() == 10_000);
    assert!(members_of_keys(&done).values().all(|members| members.len() == 1));
    let mut last = HashMap::new();
    for (_, key, number) in &*done.lock().unwrap() {
        assert!(last.insert(*key, *number).is_none_or(|before| before < *number), "key {key}");
    }
    assert_eq!(last.len(), 2 * KEYS as usize);
}

#[test]
fn s16_few_keys_move_when_members_come_or_go() {
    const KEYS: u64 = 1_000;
    let run = Deterministic::new(3);
    let done = Done::default();
    let pool =
        run.theater().actor().supervised(patient()).pool(8, Routing::ByKey(key_of), clerks(&done));
    let map = || {
        done.lock().unwrap().clear();
        (0..KEYS).for_each(|key| pool.send(Work::Do { key, number: 0 }).unwrap());
        run.run_until_idle();
        let members = members_of_keys(&done);
        (0..KEYS).map(|key| members[&key][0]).collect::<Vec<_>>()
    };
    let moved = |before: &[usize], after: &[usize]| {
        before.iter().zip(after).filter(|(before, after)| before != after).count()
    };
    let eight = map();
    assert_eq!(moved(&eight, &map()), 0);
    pool.resize(10);
    let ten = map();
    assert!((100..300).contains(&moved(&eight, &ten)), "two in ten move");
    pool.resize(8);
    assert_eq!(map(), eight);
    // The keys of one that has ended go to all others, which keep theirs.
    pool.members()[3].stop();
    run.run_until_idle();
    let without = map();
    assert!(eight.iter().zip(&without).all(|(before, after)| *before == 3 || before == after));
    let orphans = eight.iter().zip(&without).filter(|(before, _)| **before == 3);
    let heirs: std::collections::HashSet<_> = orphans.map(|(_, after)| *after).collect();
    assert_eq!(heirs.len(), 7);
    pool.resize(8);
    assert_eq!((map(), pool.len()), (eight, 8));
}

/// Threads send while the size changes: every message is handled, none by the dead-letter hook.
#[test]
fn s16_resizing_loses_nothing() {
    for routing in [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(key_of)] {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Work>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let pool = theater.actor().supervised(patient()).pool(3, routing, clerks(&Done::default()));
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (pool, ledger, done) = (pool.clone(), &ledger, &done);
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        pool.send(Work::Ticket(ledger.ticket())).unwrap();
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
        pool.resize(2);
        wait_until("the end of the surplus", || theater.live_actors() == 2);
        pool.resize(0);
        wait_until("the end of all", || theater.live_actors() == 0);
        let account = ledger.check();
        assert_eq!((account.handled, account.dead_lettered), (40_000, 0));
        let returned = pool.send(Work::Ticket(ledger.ticket())).unwrap_err().into_message();
        returned.into_ticket().unwrap().returned();
        pool.resize(1);
        assert_eq!(pool.ask(Work::Who).wait(), Ok(0));
    }
}

#[test]
fn s16_members_that_fail_are_made_anew_or_replaced_by_others() {
    let run = Deterministic::new(4);
    let ledger = Ledger::new();
    let made = Arc::new(AtomicUsize::new(0));
    let make = {
        let made = made.clone();
        move |number| {
            if made.fetch_add(1, Ordering::SeqCst) == 0 {
                silent_panic("the first one cannot be made");
            }
            Clerk { number, done: Done::default() }
        }
    };
    let policy = Supervision::new().restarts(2, SOON).pauses(Duration::ZERO, Duration::ZERO);
    let pool = run.theater().actor().supervised(policy).pool(2, Routing::RoundRobin, make);
    let fail = || pool.send(Work::Fail(ledger.ticket())).unwrap();
    run.run_until_idle();
    // Two, and one of them again.
    assert_eq!((made.load(Ordering::SeqCst), pool.len()), (3, 2));
    (0..2).for_each(|_| fail());
    run.run_until_idle();
    assert_eq!((made.load(Ordering::SeqCst), pool.len()), (5, 2));
    (0..2).for_each(|_| fail());
    run.run_until_idle();
    assert_eq!(pool.len(), 1, "one has failed too often");
    (0..9).for_each(|_| pool.send(Work::Ticket(ledger.ticket())).unwrap());
    run.run_until_idle();
    fail();
    run.run_until_idle();
    assert!(pool.is_empty() && pool.members().is_empty());
    assert_eq!(pool.ask(Work::Who).wait(), Err(AskError::Stopped));
    pool.resize(2);
    run.run_until_idle();
    assert_eq!(pool.len(), 2);
    assert_eq!(ledger.check().handled, 14);
    assert_eq!(run.theater().dead_letters(), 0);
}

/// As any actor that fails while it is made (S15), with nothing to resume with: it eats no
/// messages.
#[test]
fn s16_a_member_that_cannot_be_made_is_not_resumed() {
    let run = Deterministic::new(5);
    let ledger = Ledger::new();
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let make = move |number| {
        count.fetch_add(1, Ordering::SeqCst);
        if number == 0 {
            silent_panic("the first one cannot be made");
        }
        Clerk { number, done: Done::default() }
    };
    let policy = Supervision::new().always(Directive::Resume);
    let pool = run.theater().actor().supervised(policy).pool(2, Routing::RoundRobin, make);
    run.run_until_idle();
    assert_eq!((made.load(Ordering::SeqCst), pool.len()), (2, 1));
    (0..8).for_each(|_| pool.send(Work::Ticket(ledger.ticket())).unwrap());
    run.run_until_idle();
    assert_eq!((ledger.check().handled, made.load(Ordering::SeqCst)), (8, 2));
}

/// Ends and replaces the members one after the other, so that there is always one, while its key is
/// being looked for.
struct Saboteur(AtomicBool, WorkerPool<Saboteur>);

impl Message for Saboteur {}

impl Saboteur {
    fn key(&self) -> u64 {
        if !self.0.swap(true, Ordering::SeqCst) {
            for member in self.1.members() {
                member.stop();
                wait_until("the end", || member.is_stopped());
                self.1.resize(2);
            }
        }
        0
    }
}

#[test]
fn s16_a_send_finds_members_that_came_while_it_looked() {
    struct Taker;
    impl Actor for Taker {
        type Msg = Saboteur;
        fn handle(&mut self, _: Saboteur, _: &mut Context<'_, Self>) {}
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let routing = Routing::ByKey(Saboteur::key);
    let pool = theater.actor().supervised(patient()).pool(2, routing, |_| Taker);
    assert!(pool.send(Saboteur(AtomicBool::new(false), pool.clone())).is_ok());
}

#[test]
fn s16_stopping_and_letting_go() {
    let run = Deterministic::new(5);
    let done = Done::default();
    let theater = run.theater();
    let pool = theater.actor().supervised(patient()).pool(3, Routing::LeastLoaded, clerks(&done));
    run.run_until_idle();
    (0..30).for_each(|number| pool.send(Work::Do { key: 0, number }).unwrap());
    pool.stop();
    assert!(pool.send(Work::Stop).is_err());
    run.run_until_idle();
    assert_eq!((theater.live_actors(), theater.dead_letters()), (0, 30));

    pool.resize(3);
    (0..30).for_each(|number| pool.send(Work::Do { key: 0, number }).unwrap());
    drop(pool);
    run.run_until_idle();
    assert_eq!((theater.live_actors(), theater.dead_letters()), (0, 30));
    assert_eq!(done.lock().unwrap().len(), 30);
}

#[test]
fn s16_an_actor_has_a_worker_pool() {
    struct Chief(Option<WorkerPool<Work>>, Done);
    impl Actor for Chief {
        type Msg = u64;
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            let clerks = clerks(&self.1);
            self.0 = Some(ctx.actor().supervised(patient()).pool(2, Routing::RoundRobin, clerks));
        }
        fn handle(&mut self, number: u64, _: &mut Context<'_, Self>) {
            self.0.as_ref().unwrap().send(Work::Do { key: 0, number }).unwrap();
        }
    }
    let run = Deterministic::new(6);
    let done = Done::default();
    let chief = run.theater().spawn(Chief(None, done.clone()));
    (0..10).for_each(|number| chief.send(number).unwrap());
    drop(chief);
    run.run_until_idle();
    assert_eq!((done.lock().unwrap().len(), run.theater().live_actors()), (10, 0));
}

/// Random sends, failures, ends, resizes and stops: every message is accounted for.
#[test]
fn s16_worker_pools_from_seeds() {
    for_seeds(300, |seed| {
        let ledger = Ledger::new();
        let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Work>());
        let run = Deterministic::with(seed, builder);
        let mut random = Random::from_seed(seed);
        let routing =
            [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(key_of)][random.below(3)];
        let policy = Supervision::new().restarts(1, SOON).pauses(Duration::ZERO, Duration::ZERO);
        let size = random.below(5);
        let pool =
            run.theater().actor().supervised(policy).pool(size, routing, clerks(&Done::default()));
        for _ in 0..150 {
            let message = match random.below(20) {
                0 => Work::Fail(ledger.ticket()),
                1 => Work::Stop,
                _ => Work::Ticket(ledger.ticket()),
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
