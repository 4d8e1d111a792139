//! S18: a speculative actor can be bounded: so many messages wait or are under way, and no more.

use odeon_core::{Bound, Directive, Message, Reply, SendError, Supervision, Theater, TrySendError};
use odeon_speculative::{
    Coordinate, Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext,
    SpeculativeRef, TxResult, fail,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::silent_panic;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(20);

/// What all its messages have in common.
#[derive(Default)]
struct Common {
    is_open: AtomicBool,
    /// Messages that were accepted and are not over.
    inside: AtomicUsize,
    most_inside: AtomicUsize,
}

struct Till {
    sum: TVar<u64>,
    common: Arc<Common>,
}

#[expect(dead_code, reason = "what is inside is there to be dropped")]
enum To {
    /// Holds its executor up until the door is open.
    Pass(Inside),
    Add(Inside),
    Fail(Inside),
    Panic(Inside),
    /// Waits in a mailbox that is closed while the sum is odd.
    Even(Inside),
    Sum(Reply<u64>),
}

/// Counts a message from before it is sent until it is dropped.
struct Inside(Arc<Common>);

impl Inside {
    fn new(common: &Arc<Common>) -> Self {
        let inside = common.inside.fetch_add(1, SeqCst) + 1;
        common.most_inside.fetch_max(inside, SeqCst);
        Self(common.clone())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, SeqCst);
    }
}

impl Message for To {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Even(_)))
    }
}

impl SpeculativeActor for Till {
    type Msg = To;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(mailbox == 0 || self.sum.get(tx)? % 2 == 0)
    }

    fn handle<'t>(
        &'t self,
        msg: &'t To,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            To::Pass(_) => {
                while !self.common.is_open.load(SeqCst) {
                    thread::yield_now();
                }
            }
            To::Add(_) => self.sum.update(tx, |sum| sum + 1)?,
            To::Fail(_) => return fail("asked to"),
            To::Panic(_) => silent_panic("asked to"),
            To::Even(_) => {}
            To::Sum(reply) => ctx.reply(reply, self.sum.get(tx)?),
        }
        Ok(())
    }
}

fn theater() -> Theater {
    Theater::builder().workers(2).failures_printed(false).build().unwrap()
}

fn till(theater: &Theater, processing: Processing) -> (SpeculativeRef<To>, Arc<Common>) {
    let common = Arc::new(Common::default());
    let state = Till { sum: TVar::new(0), common: common.clone() };
    (theater.spawn_speculative(state, processing), common)
}

fn every_processing() -> [Processing; 4] {
    let unordered = Processing::concurrent().width(2).ordering(Ordering::Unordered);
    [
        Processing::sequential(),
        Processing::concurrent().width(2),
        unordered,
        Processing::adaptive().width(2),
    ]
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < SOON, "{what}");
        thread::yield_now();
    }
}

#[test]
fn s18_a_full_mailbox_of_a_speculative_actor_gives_messages_back() {
    for processing in every_processing() {
        let theater = theater();
        let (till, common) = till(&theater, processing.bounded(0, Bound::reject(5)));
        for _ in 0..3 {
            common.is_open.store(false, SeqCst);
            for _ in 0..5 {
                // The place of a question is free a moment after its answer.
                until("there is a place", || till.send(To::Pass(Inside::new(&common))).is_ok());
            }
            assert!(matches!(till.send(To::Add(Inside::new(&common))), Err(SendError::Full(_))));
            assert!(matches!(
                till.try_send(To::Add(Inside::new(&common))),
                Err(TrySendError::Full(_))
            ));
            assert!(till.ask(To::Sum).wait().is_err(), "questions, too");
            assert!(
                till.send(To::Even(Inside::new(&common))).is_ok(),
                "the other one has no bound"
            );
            common.is_open.store(true, SeqCst);
            until("all are handled", || common.inside.load(SeqCst) == 0);
            // The place is free a moment after the message is gone.
            until("there are places again", || till.ask(To::Sum).wait().is_ok());
        }
    }
}

#[test]
fn s18_places_are_free_again_however_a_message_ends() {
    for processing in every_processing() {
        let theater = theater();
        let common = Arc::new(Common::default());
        let make = {
            let common = common.clone();
            move || Till { sum: TVar::new(0), common: common.clone() }
        };
        for directive in [Directive::Resume, Directive::Restart] {
            let supervision =
                Supervision::new().always(directive).pauses(Duration::ZERO, Duration::ZERO);
            let processing = processing.clone().bounded(0, Bound::reject(3));
            let till = theater.spawn_speculative_supervised(
                supervision.restarts(u32::MAX, SOON),
                processing,
                make.clone(),
            );
            for n in 0..200 {
                let message = match n % 3 {
                    0 => To::Add,
                    1 => To::Fail,
                    _ => To::Panic,
                };
                until("a place is free", || till.send(message(Inside::new(&common))).is_ok());
            }
            until("all are over", || common.inside.load(SeqCst) == 0);
            until("and have left", || till.ask(To::Sum).wait().is_ok());
        }
    }
}

#[test]
fn s18_threads_wait_for_places_of_a_speculative_actor() {
    const SENDERS: usize = 4;
    const MESSAGES: usize = 500;
    for processing in every_processing() {
        let theater = theater();
        let (till, common) = till(&theater, processing.bounded(0, Bound::wait(3)));
        thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| {
                    for _ in 0..MESSAGES {
                        till.send(To::Add(Inside::new(&common))).unwrap();
                    }
                });
            }
        });
        until("all are handled", || common.inside.load(SeqCst) == 0);
        assert_eq!(till.ask(To::Sum).wait(), Ok((SENDERS * MESSAGES) as u64));
        // Those in places, one that each sender holds in its hand, and those between place and
        // counter.
        let most = common.most_inside.load(SeqCst);
        assert!(most <= 3 + SENDERS + 2, "{most}");
    }
}

#[test]
fn s18_messages_behind_a_closed_guard_keep_their_places() {
    for processing in every_processing() {
        let theater = theater();
        let (till, common) = till(&theater, processing.bounded(1, Bound::reject(4)));
        till.send(To::Add(Inside::new(&common))).unwrap();
        assert_eq!(till.ask(To::Sum).wait(), Ok(1));
        for _ in 0..4 {
            till.send(To::Even(Inside::new(&common))).unwrap();
        }
        // Behind them: what is parked has been looked at.
        assert_eq!(till.ask(To::Sum).wait(), Ok(1));
        assert!(matches!(till.send(To::Even(Inside::new(&common))), Err(SendError::Full(_))));
        till.send(To::Add(Inside::new(&common))).unwrap();
        until("the guard opens", || common.inside.load(SeqCst) == 0);
        until("a place is free", || till.send(To::Even(Inside::new(&common))).is_ok());
    }
}

#[test]
fn s18_coordinated_messages_are_accepted_beyond_a_bound_and_count() {
    for processing in every_processing() {
        let theater = theater();
        let (one, common) = till(&theater, processing.clone().bounded(0, Bound::reject(2)));
        let (other, _) = till(&theater, processing.bounded(0, Bound::reject(2)));
        for _ in 0..2 {
            one.send(To::Pass(Inside::new(&common))).unwrap();
        }
        let transfer = theater.coordinate(|co| {
            co.send(&one, To::Add(Inside::new(&common)));
            co.send(&other, To::Add(Inside::new(&common)));
        });
        common.is_open.store(true, SeqCst);
        transfer.wait().unwrap();
        until("all are over", || common.inside.load(SeqCst) == 0);
        for till in [&one, &other] {
            until("and have left", || till.ask(To::Sum).wait() == Ok(1));
        }
        // Two at once fit again, and not three.
        common.is_open.store(false, SeqCst);
        for _ in 0..2 {
            // The place of a question is free a moment after its answer.
            until("a place is free", || one.send(To::Pass(Inside::new(&common))).is_ok());
        }
        assert!(one.send(To::Add(Inside::new(&common))).is_err());
        common.is_open.store(true, SeqCst);
    }
}

/// With one mailbox, in the order of arrival.
struct Line(TVar<Vec<u64>>);

enum Note {
    Number(u64),
    Fail,
    /// Becomes part of a coordinated transaction of its own when it is handled.
    Join,
    All(Reply<Vec<u64>>),
}

impl Message for Note {}

impl SpeculativeActor for Line {
    type Msg = Note;
    fn handle<'t>(
        &'t self,
        msg: &'t Note,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Note::Number(number) => {
                let mut all = self.0.read(tx)?.clone();
                all.push(*number);
                self.0.set(tx, all)?;
            }
            Note::Fail => return fail("asked to"),
            Note::Join => ctx.join(&ctx.actor_ref(), Note::Number(u64::MAX)),
            Note::All(reply) => ctx.reply(reply, self.0.read(tx)?.clone()),
        }
        Ok(())
    }
}

#[test]
fn s18_places_are_free_again_in_the_order_of_arrival_too() {
    let theater = theater();
    let in_order = Processing::concurrent().width(2).ordering(Ordering::Mailbox);
    let line = Line(TVar::new(Vec::new()));
    let line = theater.spawn_speculative(line, in_order.bounded(0, Bound::wait(3)));
    for number in 0..300 {
        line.send(Note::Number(number)).unwrap();
        if number % 3 == 0 {
            line.send(Note::Fail).unwrap();
        }
        if number % 50 == 0 {
            line.send(Note::Join).unwrap();
        }
    }
    let all = line.ask(Note::All).wait().unwrap();
    let sent: Vec<u64> = all.iter().copied().filter(|number| *number < u64::MAX).collect();
    assert_eq!(sent, (0..300).collect::<Vec<u64>>());
    until("what is joined is handled", || {
        line.ask(Note::All).wait().unwrap().iter().filter(|number| **number == u64::MAX).count()
            == 6
    });
}

#[test]
fn s18_who_waits_for_a_place_is_told_of_the_end() {
    let theater = theater();
    let (till, common) = till(&theater, Processing::concurrent().bounded(0, Bound::wait(1)));
    till.send(To::Pass(Inside::new(&common))).unwrap();
    let waiting = thread::spawn({
        let (till, common) = (till.clone(), common.clone());
        move || till.send(To::Add(Inside::new(&common))).map_err(drop)
    });
    thread::sleep(Duration::from_millis(20));
    till.stop();
    common.is_open.store(true, SeqCst);
    let told = waiting.join().unwrap();
    // Accepted at the last moment, it is a dead letter.
    until("nothing is left", || common.inside.load(SeqCst) == 0);
    assert!(told.is_err() || till.is_stopped());
}

#[test]
fn s18_bounds_that_cannot_be_are_refused() {
    let theater = theater();
    let refused = |act: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(act)).unwrap_err();
        panic
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_else(|| (*panic.downcast::<&str>().unwrap()).to_owned())
    };
    let oldest = refused(&|| drop(Processing::default().bounded(0, Bound::drop_oldest(3))));
    assert!(oldest.contains("cannot drop its oldest message"), "{oldest}");
    let none = refused(&|| {
        drop(till(&theater, Processing::default().bounded(2, Bound::reject(3))));
    });
    assert!(none.contains("there is no mailbox 2"), "{none}");
}
