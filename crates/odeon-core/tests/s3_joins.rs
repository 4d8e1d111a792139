//! S3: joins of streams, and join patterns: whatever the order of arrival, no generations are mixed
//! and nothing is lost.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::patterns::{Join, Joins};
use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds, silent_panic};

const SOURCES: usize = 5;

/// Mailbox 0 belongs to no source.
#[derive(Debug, PartialEq, Clone, Copy)]
enum Event {
    Control(u32),
    Item { source: usize, number: u32 },
    TooLate(u64),
    Fail,
}

impl Message for Event {
    const MAILBOXES: usize = SOURCES + 1;
    fn mailbox(&self) -> usize {
        if let Self::Item { source, .. } = self { source + 1 } else { 0 }
    }
}

struct Joiner {
    join: Join<(usize, u32)>,
    rows: Sender<Vec<(usize, u32)>>,
    controls: u32,
}

impl Actor for Joiner {
    type Msg = Event;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.join.begin(ctx);
    }
    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        match event {
            Event::Item { source, number } => {
                if let Some(row) = self.join.put((source, number), ctx) {
                    self.rows.send(row.collect()).unwrap();
                }
            }
            // In order and never held up, whatever the row lacks.
            Event::Control(number) => {
                assert_eq!(number, self.controls);
                self.controls += 1;
            }
            Event::TooLate(_) | Event::Fail => unreachable!("nobody's patience ends"),
        }
    }
}

/// Items of all sources, each source's in order, mixed by chance, with control messages among them.
fn mixed(random: &mut Random, rows: u32) -> Vec<Event> {
    let mut next = [0; SOURCES];
    let (mut events, mut controls) = (Vec::new(), 0);
    while next.iter().any(|number| *number < rows) {
        let source = random.below(SOURCES + 1);
        match next.get_mut(source) {
            Some(number) if *number < rows => {
                events.push(Event::Item { source, number: *number });
                *number += 1;
            }
            Some(_) => {}
            None => {
                events.push(Event::Control(controls));
                controls += 1;
            }
        }
    }
    events
}

#[test]
fn s3_the_nth_row_has_the_nth_item_of_each_source() {
    const ROWS: u32 = 20;
    for_seeds(60, |seed| {
        let mut random = Random::from_seed(seed);
        let sources = 1..=SOURCES;
        for join in [Join::any_order(sources.clone()), Join::round_robin(sources)] {
            let run = Deterministic::new(seed);
            let (rows, joined) = channel();
            let joiner = run.theater().spawn(Joiner { join, rows, controls: 0 });
            for event in mixed(&mut random, ROWS) {
                joiner.send(event).unwrap();
                if random.below(3) == 0 {
                    run.run_until_idle();
                }
            }
            run.run_until_idle();
            let rows: Vec<_> = joined.try_iter().collect();
            let expected: Vec<Vec<_>> =
                (0..ROWS).map(|n| (0..SOURCES).map(|source| (source, n)).collect()).collect();
            assert_eq!(rows, expected);
            assert_eq!(run.shutdown().leftovers.len(), 0);
        }
    });
}

/// What a [`Fitter`] tells.
#[derive(Debug, PartialEq)]
enum Fitted {
    /// By sources 0 and 1.
    Pair(u32, u32),
    /// By sources 1, 2 and 3.
    Triple(u32, u32, u32),
    Back(Vec<(usize, Event)>),
}

struct Fitter {
    joins: Joins<Event>,
    fitted: Sender<Fitted>,
}

fn number_of(event: Event) -> u32 {
    let Event::Item { number, .. } = event else { panic!("{event:?} takes part in no pattern") };
    number
}

impl Actor for Fitter {
    type Msg = Event;
    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        match event {
            Event::Control(_) => {}
            Event::Fail => silent_panic("asked to"),
            Event::TooLate(wait) => {
                let back = self.joins.time_out(wait, ctx);
                if !back.is_empty() {
                    self.fitted.send(Fitted::Back(back)).unwrap();
                }
            }
            Event::Item { .. } => {
                let mut held = self.joins.hold(event, ctx);
                let fitted = if let Some([a, b]) = held.take([1, 2]) {
                    Fitted::Pair(number_of(a), number_of(b))
                } else if let Some([a, b, c]) = held.take([2, 3, 4]) {
                    Fitted::Triple(number_of(a), number_of(b), number_of(c))
                } else {
                    return;
                };
                self.fitted.send(fitted).unwrap();
            }
        }
    }
}

#[test]
fn s3_patterns_take_each_message_once_and_each_mailbox_in_order() {
    for_seeds(60, |seed| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(seed);
        let (fitted, results) = channel();
        let fitter = run.theater().spawn(Fitter { joins: Joins::new(), fitted });
        let events = mixed(&mut random, 15);
        for event in &events {
            fitter.send(*event).unwrap();
            if random.below(3) == 0 {
                run.run_until_idle();
            }
        }
        run.run_until_idle();
        let results: Vec<_> = results.try_iter().collect();
        // Per source: its numbers in order, none twice.
        let mut taken: [Vec<u32>; 4] = Default::default();
        for result in &results {
            match *result {
                Fitted::Pair(a, b) => [(0, a), (1, b)].map(|(s, n)| taken[s].push(n)).len(),
                Fitted::Triple(b, c, d) => {
                    [(1, b), (2, c), (3, d)].map(|(s, n)| taken[s].push(n)).len()
                }
                Fitted::Back(_) => unreachable!("nobody's patience ends"),
            };
        }
        for numbers in &taken {
            assert_eq!(*numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
        }
        // Both patterns share source 1, which decides how many fire.
        assert_eq!(taken[1].len(), 15);
        // What was taken, and what waits: held or in a mailbox. One item of source 4 is held, all
        // others wait.
        let items = events.iter().filter(|event| matches!(event, Event::Item { .. })).count();
        let taken: usize = taken.iter().map(Vec::len).sum();
        let leftovers = run.shutdown().leftovers.len();
        let held = items - taken - leftovers;
        assert!(
            (1..=4).contains(&held),
            "{held} held of {items}, {taken} taken, {leftovers} waiting"
        );
    });
}

#[test]
fn s3_who_waits_for_too_long_comes_back_and_others_do_not() {
    let run = Deterministic::new(1);
    let (fitted, results) = channel();
    let limit = Duration::from_secs(1);
    let joins = Joins::within(limit, Event::TooLate);
    let fitter = run.theater().spawn(Fitter { joins, fitted });
    let send = |source, number| {
        fitter.send(Event::Item { source, number }).unwrap();
        run.run_until_idle();
    };
    let results = || results.try_iter().collect::<Vec<_>>();
    let clock = run.clock();

    // Complete in time: its timer tells nobody.
    send(0, 1);
    clock.advance(limit / 2);
    send(1, 1);
    assert_eq!(results(), [Fitted::Pair(1, 1)]);
    clock.advance(limit);
    run.run_until_idle();
    assert_eq!(results(), []);

    // What a firing leaves is held no longer for that; what has come later comes back with it.
    send(2, 1);
    for number in [2, 3] {
        clock.advance(limit / 4);
        send(0, number);
        send(1, number);
        assert_eq!(results(), [Fitted::Pair(number, number)]);
    }
    send(0, 4);
    clock.advance(limit / 2 - Duration::from_nanos(1));
    run.run_until_idle();
    assert_eq!(results(), []);
    clock.advance(Duration::from_nanos(1));
    run.run_until_idle();
    let item = |source, number| (source + 1, Event::Item { source, number });
    assert_eq!(results(), [Fitted::Back(vec![item(0, 4), item(2, 1)])]);

    // A firing that takes the one held longest leaves the others their own time.
    send(0, 5);
    clock.advance(limit / 4);
    send(2, 2);
    send(1, 4);
    assert_eq!(results(), [Fitted::Pair(5, 4)]);
    clock.advance(limit - Duration::from_nanos(1));
    run.run_until_idle();
    assert_eq!(results(), []);
    clock.advance(Duration::from_nanos(1));
    run.run_until_idle();
    assert_eq!(results(), [Fitted::Back(vec![item(2, 2)])]);

    // Its mailbox is open again.
    send(2, 3);
    send(3, 1);
    send(1, 5);
    assert_eq!(results(), [Fitted::Triple(5, 3, 1)]);
    clock.advance(2 * limit);
    run.run_until_idle();
    assert_eq!(results(), []);
}

/// The timer of a state that was made anew, and its message if it has fired, are nothing to the new
/// one.
#[test]
fn s3_who_is_made_anew_holds_messages_for_the_whole_limit() {
    for fires_before in [false, true] {
        let run = Deterministic::new(1);
        let (fitted, results) = channel();
        let limit = Duration::from_secs(1);
        let make =
            move || Fitter { joins: Joins::within(limit, Event::TooLate), fitted: fitted.clone() };
        let supervision = Supervision::new().pauses(Duration::ZERO, Duration::ZERO);
        let fitter = run.theater().actor().supervised(supervision).spawn(make);
        let send = |event| {
            fitter.send(event).unwrap();
            run.run_until_idle();
        };
        let results = || results.try_iter().collect::<Vec<_>>();
        let clock = run.clock();

        send(Event::Item { source: 0, number: 1 });
        clock.advance(if fires_before { limit } else { limit / 2 });
        // With this the message of the timer waits in the mailbox, if it has fired.
        fitter.send(Event::Fail).unwrap();
        fitter.send(Event::Item { source: 0, number: 2 }).unwrap();
        run.run_until_idle();
        // An item of a state that was made anew is gone with it.
        let before = results();
        assert!(before.len() <= usize::from(fires_before), "{before:?}");
        clock.advance(limit - Duration::from_nanos(1));
        run.run_until_idle();
        assert_eq!(results(), []);
        clock.advance(Duration::from_nanos(1));
        run.run_until_idle();
        assert_eq!(results(), [Fitted::Back(vec![(1, Event::Item { source: 0, number: 2 })])]);
    }
}

#[test]
fn s3_a_pattern_is_repeated_by_its_seed() {
    let run_of = |seed| {
        let run = Deterministic::new(seed);
        let (fitted, results) = channel();
        let joins = Joins::within(Duration::from_millis(3), Event::TooLate);
        let fitter = run.theater().spawn(Fitter { joins, fitted });
        let (rows, joined) = channel();
        let [any, in_turn] =
            [Join::any_order(1..=SOURCES), Join::round_robin(1..=SOURCES)].map(|join| {
                let rows = rows.clone();
                run.theater().spawn(Joiner { join, rows, controls: 0 })
            });
        // Sources of their own, whose order the seed decides.
        struct Source(usize, [ActorRef<Event>; 3]);
        impl Actor for Source {
            type Msg = u32;
            fn handle(&mut self, number: u32, _: &mut Context<'_, Self>) {
                for to in &self.1 {
                    to.send(Event::Item { source: self.0, number }).unwrap();
                }
            }
        }
        for source in 0..SOURCES {
            let to = [fitter.clone(), any.clone(), in_turn.clone()];
            let source = run.theater().spawn(Source(source, to));
            (0..10).for_each(|n| source.send(n).unwrap());
        }
        run.run_until_idle();
        // What has found no others comes back.
        run.run_through_timers(Duration::from_secs(1));
        let fitted: Vec<String> = results.try_iter().map(|fitted| format!("{fitted:?}")).collect();
        (run.trace(), fitted, joined.try_iter().collect::<Vec<_>>())
    };
    for_seeds(10, |seed| {
        let (first, second) = (run_of(seed), run_of(seed));
        assert_eq!(first.1, second.1);
        assert_eq!(first.2, second.2);
        assert!(first.0 == second.0, "one seed is one run");
    });
    assert!((0..20).any(|seed| run_of(seed).1 != run_of(seed + 100).1), "seeds differ");
}

/// Has a join in turn, and says so to nobody.
struct Hasty(Join<u32>, Sender<u32>);

impl Actor for Hasty {
    type Msg = Event;
    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        if let Some(row) = self.0.put(number_of(event), ctx) {
            self.1.send(row.sum()).unwrap();
        }
    }
}

#[test]
fn s3_an_item_out_of_turn_is_a_failure_that_leaves_the_join_as_it_was() {
    let run = Deterministic::new(1);
    let (sums, results) = channel();
    let resumed = Supervision::new().always(Directive::Resume);
    let make = move || Hasty(Join::round_robin([1, 2]), sums.clone());
    let hasty = run.theater().actor().supervised(resumed).spawn(make);
    for (source, number) in [(1, 100), (0, 1), (1, 2), (0, 3), (1, 4)] {
        hasty.send(Event::Item { source, number }).unwrap();
        run.run_until_idle();
    }
    assert_eq!(
        results.try_iter().collect::<Vec<_>>(),
        [3, 7],
        "all but the first, which was too early"
    );
}

/// A pattern with a mailbox that there is not.
struct Dreamer(Joins<Event>);

impl Actor for Dreamer {
    type Msg = Event;
    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        let _ = self.0.hold(event, ctx).take([1, SOURCES + 1]);
    }
}

#[test]
fn s3_a_pattern_of_a_mailbox_that_there_is_not_is_a_failure() {
    let theater = Theater::new().unwrap();
    let dreamer = theater.spawn(Dreamer(Joins::new()));
    dreamer.send(Event::Item { source: 0, number: 0 }).unwrap();
    let said = "there is no mailbox 6 to be joined: the actor has 6 (numbered from 0)";
    assert_eq!(dreamer.ended().wait().failure(), Some(said));
}

/// Opens what the join has closed.
struct Meddler(Join<u32>);

impl Actor for Meddler {
    type Msg = Event;
    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        let _ = self.0.put(number_of(event), ctx);
        ctx.open_all();
    }
}

#[test]
fn s3_misuse_of_a_join_is_a_failure_that_says_what_is_wrong() {
    let theater = Theater::new().unwrap();
    let failure = |mailboxes: &[usize], sent: &[usize]| {
        let meddler = theater.spawn(Meddler(Join::any_order(mailboxes.iter().copied())));
        for source in sent {
            meddler.send(Event::Item { source: *source, number: 0 }).unwrap();
        }
        meddler.ended().wait().failure().unwrap_or_default().to_owned()
    };
    assert_eq!(failure(&[1, 2], &[0, 0]), "mailbox 1 was opened before the row was complete");
    assert_eq!(failure(&[1, 2], &[4]), "mailbox 5 is none of those that are joined: [1, 2]");
    let missing = "there is no mailbox 6 to be joined: the actor has 6 (numbered from 0)";
    assert_eq!(failure(&[1, 6], &[0]), missing);
    for (mailboxes, text) in [
        (&[][..], "a join of no mailboxes would never be complete"),
        (&[1, 1], "mailbox 1 is named twice"),
        (&[64], "there is no mailbox 64: an actor has at most 64"),
    ] {
        let made = std::panic::catch_unwind(|| Join::<u32>::any_order(mailboxes.iter().copied()));
        let panic = made.unwrap_err();
        let said = panic.downcast_ref::<String>().map(String::as_str);
        assert_eq!(said.or_else(|| panic.downcast_ref::<&str>().copied()), Some(text));
    }
}
