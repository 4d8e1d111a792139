//! S3: selection policies, and guards by chance.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

const MAILBOXES: usize = 4;

/// Goes where its sender says.
struct Item(u32);

impl Message for Item {
    const MAILBOXES: usize = MAILBOXES;
}

type Seen = Arc<Mutex<Vec<(usize, u32)>>>;

struct Clerk<P> {
    seen: Seen,
    policy: P,
}

impl<P: Fn() -> Selection + Send + 'static> Actor for Clerk<P> {
    type Msg = Item;
    fn selection(&self) -> Selection {
        (self.policy)()
    }
    fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
        self.seen.lock().unwrap().push((ctx.mailbox(), n));
    }
}

impl<P: Fn() -> Selection + Send + 'static> AsyncActor for Clerk<P> {
    type Msg = Item;
    fn selection(&self) -> Selection {
        (self.policy)()
    }
    async fn handle(&mut self, Item(n): Item, ctx: &mut AsyncContext<'_, Self>) {
        self.seen.lock().unwrap().push((ctx.mailbox(), n));
    }
}

/// The mailboxes in the order in which a clerk serves three messages of each of the last three.
fn order(policy: impl Fn() -> Selection + Clone + Send + 'static) -> Vec<usize> {
    let mut orders = [false, true].map(|waits| {
        let run = Deterministic::new(7);
        let seen = Seen::default();
        let clerk = Clerk { seen: seen.clone(), policy: policy.clone() };
        let theater = run.theater();
        let clerk = if waits {
            theater.spawn::<extend::Asynchronous, _>(clerk)
        } else {
            theater.spawn::<extend::Plain, _>(clerk)
        };
        run.run_until_idle();
        for n in 0..3 {
            for mailbox in (1..MAILBOXES).rev() {
                clerk.mailbox(mailbox).send(Item(n)).unwrap();
            }
        }
        run.run_until_idle();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        for mailbox in 1..MAILBOXES {
            let of = |(other, n): &(usize, u32)| (*other == mailbox).then_some(*n);
            assert_eq!(seen.iter().filter_map(of).collect::<Vec<_>>(), [0, 1, 2]);
        }
        seen.into_iter().map(|(mailbox, _)| mailbox).collect::<Vec<_>>()
    });
    // Chance depends on the actor's identity, which is the same in both.
    assert_eq!(orders[0], orders[1], "asynchronous actors select as others do");
    std::mem::take(&mut orders[0])
}

#[test]
fn s3_each_policy_selects_as_it_says() {
    assert_eq!(order(Selection::priority), [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(order(Selection::round_robin), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(order(Selection::least_recently_used), [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(order(|| Selection::weighted([1, 2, 1, 3])), [1, 1, 2, 3, 3, 3, 1, 2, 2]);
    assert_eq!(order(|| Selection::ageing(2)), [1, 1, 2, 3, 1, 2, 3, 2, 3]);
    let by_chance = order(Selection::random);
    assert_ne!(by_chance, order(Selection::priority));
    assert_eq!(by_chance, order(Selection::random), "one seed is one run");
}

/// Closes the last mailbox, or opens it.
struct Porter {
    seen: Seen,
}

const CLOSE: u32 = 100;
const OPEN: u32 = 101;

impl Actor for Porter {
    type Msg = Item;
    fn selection(&self) -> Selection {
        Selection::as_they_come()
    }
    fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
        match n {
            CLOSE => ctx.close(MAILBOXES - 1),
            OPEN => ctx.open(MAILBOXES - 1),
            n => self.seen.lock().unwrap().push((ctx.mailbox(), n)),
        }
    }
}

#[test]
fn s3_as_they_come_only_guards_decide() {
    let run = Deterministic::new(3);
    let seen = Seen::default();
    let porter = run.theater().spawn(Porter { seen: seen.clone() });
    run.run_until_idle();
    let last = MAILBOXES - 1;
    for (mailbox, n) in
        [(last, 0), (0, 1), (1, CLOSE), (last, 2), (2, 3), (last, 4), (0, OPEN), (0, 5), (2, 6)]
    {
        porter.mailbox(mailbox).send(Item(n)).unwrap();
    }
    run.run_until_idle();
    // What waited while its mailbox was closed goes in turn with what has arrived meanwhile.
    let expected = [(last, 0), (0, 1), (2, 3), (0, 5), (2, 6), (last, 2), (last, 4)];
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// The mailbox in which most waits; of several the highest.
struct Longest;

impl SelectionPolicy for Longest {
    fn begin(&mut self, mailboxes: usize, _seed: u64) {
        assert_eq!(mailboxes, MAILBOXES);
    }
    fn select(&mut self, ready: Ready<'_>) -> usize {
        ready.iter().max_by_key(|mailbox| ready.waiting(*mailbox)).unwrap()
    }
}

#[test]
fn s3_a_policy_of_ones_own_sees_what_waits() {
    assert_eq!(order(|| Selection::by(Longest)), [3, 2, 1, 3, 2, 1, 3, 2, 1]);
}

/// Chooses what is not ready, the second time.
struct Wrong(bool);

impl SelectionPolicy for Wrong {
    fn select(&mut self, ready: Ready<'_>) -> usize {
        if std::mem::replace(&mut self.0, true) { 0 } else { ready.first() }
    }
}

#[test]
fn s3_a_policy_that_chooses_what_is_not_ready_is_a_failure_that_loses_nothing() {
    let theater = Theater::new().unwrap();
    let seen = Seen::default();
    let make = {
        let seen = seen.clone();
        move || Clerk { seen: seen.clone(), policy: || Selection::by(Wrong(false)) }
    };
    let supervision = Supervision::new()
        .restarts(100, Duration::from_secs(60))
        .pauses(Duration::ZERO, Duration::ZERO);
    let clerk = theater.actor().supervised(supervision).spawn::<extend::Plain, Clerk<_>>(make);
    (0..20).for_each(|n| clerk.mailbox(1).send(Item(n)).unwrap());
    while seen.lock().unwrap().len() < 20 {
        std::thread::yield_now();
    }
    assert_eq!(*seen.lock().unwrap(), (0..20).map(|n| (1, n)).collect::<Vec<_>>());
}

#[test]
fn s3_weights_that_do_not_fit_fail_at_the_start() {
    let theater = Theater::new().unwrap();
    let clerk = Clerk { seen: Seen::default(), policy: || Selection::weighted([1, 2]) };
    let ended = theater.spawn::<extend::Plain, Clerk<_>>(clerk).ended().wait();
    assert_eq!(ended.failure(), Some("there are 2 weights for 4 mailboxes"));
}

/// Random messages to random mailboxes of an actor with random guards: per mailbox in order,
/// nothing lost.
struct Guarded {
    random: Random,
    policy: fn() -> Selection,
    seen: Seen,
    /// Messages until it stops.
    left: usize,
}

impl Actor for Guarded {
    type Msg = Item;
    fn selection(&self) -> Selection {
        (self.policy)()
    }
    fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
        let mailbox = ctx.mailbox();
        assert!(mailbox == 0 || ctx.is_open(mailbox));
        self.seen.lock().unwrap().push((mailbox, n));
        match self.random.below(4) {
            0 => ctx.open_all(),
            1 => ctx.close_all_except([0, self.random.below(MAILBOXES)]),
            2 => ctx.close(1 + self.random.below(MAILBOXES - 1)),
            _ => ctx.open(self.random.below(MAILBOXES)),
        }
        self.left -= 1;
        if self.left == 0 {
            ctx.stop();
        }
    }
}

#[test]
fn s3_s4_s23_with_any_guards_what_was_sent_is_handled_or_waits_or_comes_back_and_again_so() {
    let policies: [fn() -> Selection; 6] = [
        Selection::priority,
        Selection::as_they_come,
        Selection::round_robin,
        Selection::least_recently_used,
        Selection::random,
        || Selection::ageing(3),
    ];
    let run_of = |seed: u64| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(seed);
        let seen = Seen::default();
        let policy = policies[random.below(policies.len())];
        // Every second one stops in the middle.
        let left = if random.below(2) == 0 { 1 + random.below(300) } else { usize::MAX };
        let actor = Guarded { random: random.clone(), policy, seen: seen.clone(), left };
        let guarded = run.theater().spawn(actor);
        let (mut sent, mut returned) = ([0; MAILBOXES], 0);
        for n in 0..300 {
            let mailbox = random.below(MAILBOXES);
            match guarded.mailbox(mailbox).send(Item(n)) {
                Ok(()) => sent[mailbox] += 1,
                Err(SendError::Stopped(Item(m))) => {
                    assert_eq!(m, n);
                    returned += 1;
                }
                Err(error) => unreachable!("it has no bounds: {error}"),
            }
            if random.below(5) == 0 {
                run.run_until_idle();
            }
        }
        run.run_until_idle();
        let handled = seen.lock().unwrap().clone();
        for (mailbox, sent) in sent.into_iter().enumerate() {
            let of = handled.iter().filter(|(other, _)| *other == mailbox).map(|(_, n)| *n);
            let of: Vec<u32> = of.collect();
            assert!(of.is_sorted(), "mailbox {mailbox}: {of:?}");
            assert!(of.len() <= sent);
        }
        let (trace, dead) = (run.trace(), run.theater().dead_letters() as usize);
        let leftovers = run.shutdown().leftovers.len();
        assert_eq!(handled.len() + leftovers + dead + returned, 300);
        assert!(left == usize::MAX || handled.len() < left || returned + dead + left == 300);
        (trace, handled, returned)
    };
    for_seeds(100, |seed| {
        let (first, second) = (run_of(seed), run_of(seed));
        assert_eq!((&first.1, first.2), (&second.1, second.2));
        assert!(first.0 == second.0, "one seed is one run");
    });
    assert!((0..20).any(|seed| run_of(seed).2 > 0), "some come back");
}

#[test]
fn s3_nobody_waits_longer_than_ageing_says() {
    const AFTER: u32 = 3;
    for waits in [false, true] {
        for_seeds(20, |seed| {
            let run = Deterministic::new(seed);
            let mut random = Random::from_seed(seed);
            let seen = Seen::default();
            let clerk = Clerk { seen: seen.clone(), policy: || Selection::ageing(AFTER) };
            let theater = run.theater();
            let clerk = if waits {
                theater.spawn::<extend::Asynchronous, _>(clerk)
            } else {
                theater.spawn::<extend::Plain, _>(clerk)
            };
            run.run_until_idle();
            // So many wait in each mailbox from the beginning that none runs empty before the last
            // look; more come for the first meanwhile.
            for n in 0..200 {
                (0..MAILBOXES).for_each(|mailbox| clerk.mailbox(mailbox).send(Item(n)).unwrap());
            }
            let mut number = 200;
            while seen.lock().unwrap().len() < 400 && run.run_steps(1) > 0 {
                if random.below(2) == 0 {
                    clerk.mailbox(0).send(Item(number)).unwrap();
                    number += 1;
                }
            }
            let seen = seen.lock().unwrap();
            let bound = AFTER as usize + MAILBOXES - 1;
            for mailbox in 0..MAILBOXES {
                let mut times: Vec<usize> =
                    (0..400).filter(|time| seen[*time].0 == mailbox).collect();
                times.push(400);
                let mut last = None;
                for time in times {
                    let between = last.map_or(time, |last| time - last - 1);
                    assert!(between <= bound, "mailbox {mailbox} waits for {between}: {seen:?}");
                    last = Some(time);
                }
            }
        });
    }
}
