//! S3 with S24 to S28: guards of speculative actors open with commits, and what waits for one holds
//! up nothing else, is no pressure and is not lost.

use crate::support::Log;
use crate::support::buffer::{Buffer, Port, Use, Watched, assert_all_in_order, each_processing};
use odeon_core::{Access, AskError, Directive, MailboxOf, Message, Reply, Supervision, Theater};
use odeon_speculative::{
    Coordinate, Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext,
    TxResult, fail,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::silent_panic;
use std::thread;

fn theater() -> Theater {
    Theater::builder().workers(2).build().unwrap()
}

#[test]
fn s3_a_guard_opens_with_the_commit_of_a_message() {
    for processing in each_processing() {
        for access in [Access::Update, Access::Exclusive] {
            let theater = theater();
            let watched = Watched::new(&theater, 0, processing.clone());
            let buffer = &watched.buffer;
            let get = buffer.ask(|reply| Use::get(Some(reply)).with(access));
            buffer.send(Use::put((0, 0)).with(access)).unwrap();
            watched.wait_for_refusal();
            assert_eq!(buffer.ask(Use::count).wait(), Ok(0), "nobody was let in");
            buffer.send(Use::set_room(1).with(access)).unwrap();
            assert_eq!(get.wait(), Ok((0, 0)));
            assert_eq!(buffer.speculation().failures, 0);
        }
    }
}

#[test]
fn s3_s28_a_guard_opens_with_the_commit_of_a_coordinated_transaction_and_not_before() {
    for processing in each_processing() {
        let theater = theater();
        let [a, b] = [0, 1].map(|room| Watched::new(&theater, room, processing.clone()));
        a.buffer.send(Use::put((0, 0))).unwrap();
        a.wait_for_refusal();
        // It gives room and fails, or waits for its own guard elsewhere: nothing has happened.
        let failed = theater.coordinate(|co| {
            co.send(&a.buffer, Use::set_room(1));
            co.send(&b.buffer, Use::fail());
        });
        assert!(failed.wait().is_err());
        let waits = theater.coordinate(|co| {
            co.send(&a.buffer, Use::set_room(1));
            co.send(&b.buffer, Use::get(None));
        });
        b.wait_for_refusal();
        // Of another sender: what this one sends to the same mailbox waits for the outcome.
        let count = thread::scope(|scope| scope.spawn(|| a.buffer.ask(Use::count).wait()).join());
        assert_eq!(count.unwrap(), Ok(0), "nobody was let in");
        b.buffer.send(Use::put((1, 0))).unwrap();
        assert_eq!(waits.wait(), Ok(()));
        let get = a.buffer.ask(|reply| Use::get(Some(reply)));
        assert_eq!(get.wait(), Ok((0, 0)));
        assert_eq!(b.taken(), [(1, 0)]);
    }
}

/// Whatever looks only finds what its guard has seen.
#[test]
fn s3_questions_have_guards_too() {
    for processing in each_processing() {
        for access in [Access::Snapshot, Access::Relaxed, Access::Update, Access::Exclusive] {
            let theater = theater();
            let watched = Watched::new(&theater, 2, processing.clone());
            let buffer = &watched.buffer;
            let count = buffer.ask(|reply| Use::count_when_full(reply, access));
            watched.wait_for_refusal();
            buffer.send(Use::put((0, 0))).unwrap();
            buffer.send(Use::put((0, 1))).unwrap();
            assert_eq!(count.wait(), Ok(2), "{access:?}");
            assert_eq!(buffer.speculation().failures, 0);
        }
    }
}

/// A coordinated transaction that only looks, at two actors.
#[test]
fn s3_s28_questions_to_several_actors_have_guards_too() {
    for processing in each_processing() {
        let theater = theater();
        let [a, b] = [1, 1].map(|room| Watched::new(&theater, room, processing.clone()));
        let answers = [&a, &b].map(|_| odeon_core::extend::question());
        let [(to_a, of_a), (to_b, of_b)] = answers;
        let both = theater.coordinate(|co| {
            co.send(&a.buffer, Use::count_when_full(to_a, Access::Snapshot));
            co.send(&b.buffer, Use::count_when_full(to_b, Access::Snapshot));
        });
        a.wait_for_refusal();
        b.buffer.send(Use::put((0, 0))).unwrap();
        a.buffer.send(Use::put((0, 0))).unwrap();
        assert_eq!((both.wait(), of_a.wait(), of_b.wait()), (Ok(()), Ok(1), Ok(1)));
    }
}

/// Many more than make pressure wait for their guard; neither their sender nor what it sends to
/// another mailbox waits for them.
#[test]
fn s3_s17_what_waits_for_its_guard_holds_up_nothing_else_and_is_no_pressure() {
    const ITEMS: u64 = 3_000;
    for processing in each_processing() {
        for ordering in [Ordering::PerSender, Ordering::Unordered] {
            let theater = theater();
            let watched = Watched::new(&theater, 0, processing.clone().ordering(ordering));
            let buffer = &watched.buffer;
            (0..ITEMS).for_each(|n| buffer.send(Use::put((0, n))).unwrap());
            watched.wait_for_refusal();
            while buffer.is_under_pressure() {
                thread::yield_now();
            }
            assert_eq!(buffer.ask(Use::count).wait(), Ok(0));
            // By this sender too.
            buffer.send(Use::set_room(2)).unwrap();
            (0..ITEMS).for_each(|_| buffer.mailbox(Port::Get).send(Use::get(None)).unwrap());
            while watched.taken().len() < ITEMS as usize {
                thread::yield_now();
            }
            let mut taken = watched.taken();
            if ordering == Ordering::Unordered {
                taken.sort_unstable();
            }
            assert_all_in_order(&taken, 1, ITEMS);
        }
    }
}

#[test]
fn s3_s4_what_waits_for_its_guard_at_the_end_is_a_dead_letter() {
    for processing in each_processing() {
        let theater = theater();
        let watched = Watched::new(&theater, 2, processing);
        let buffer = &watched.buffer;
        thread::scope(|scope| {
            for sender in 0..3 {
                scope.spawn(move || {
                    (0..20).for_each(|n| buffer.send(Use::put((sender, n))).unwrap())
                });
            }
        });
        watched.wait_for_refusal();
        buffer.stop();
        buffer.ended().wait();
        let commits = buffer.speculation().commits;
        assert!(commits <= 2, "more than there was room for");
        assert_eq!(commits + theater.dead_letters(), 60);
    }
}

#[test]
fn s3_s15_what_waits_for_its_guard_is_tried_again_after_a_restart() {
    for processing in each_processing() {
        let theater = theater();
        let restart = Supervision::new().always(Directive::Restart);
        let watched = Watched::supervised(&theater, [0, 3], restart, processing);
        let buffer = &watched.buffer;
        (0..3).for_each(|n| buffer.send(Use::put((0, n))).unwrap());
        watched.wait_for_refusal();
        buffer.send(Use::fail()).unwrap();
        let gets: Vec<_> = (0..3).map(|_| buffer.ask(|reply| Use::get(Some(reply)))).collect();
        let got: Vec<_> = gets.into_iter().map(|get| get.wait().unwrap()).collect();
        assert_eq!(got, [(0, 0), (0, 1), (0, 2)]);
        assert_eq!((buffer.speculation().failures, theater.dead_letters()), (1, 0));
    }
}

/// A message of two mailboxes: of the second one the guard fails or panics, once it is told to.
struct Question(Reply<usize>);

impl Message for Question {
    const MAILBOXES: usize = 64;
}

struct Picky {
    asked: TVar<u64>,
    panics: bool,
}

impl SpeculativeActor for Picky {
    type Msg = Question;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        // Undone with the attempt.
        self.asked.update(tx, |asked| asked + 1)?;
        match mailbox {
            63 if self.panics => silent_panic("in a guard"),
            63 => fail("in a guard"),
            _ => Ok(true),
        }
    }

    fn handle<'t>(
        &'t self,
        Question(reply): &'t Question,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let asked = self.asked.get(tx)? as usize;
        ctx.reply(reply, 100 * ctx.mailbox() + asked);
        Ok(())
    }
}

#[test]
fn s3_s26_a_guard_that_fails_fails_its_message_and_all_that_it_did_vanishes() {
    for processing in each_processing() {
        for panics in [false, true] {
            let theater = theater();
            let picky = Picky { asked: TVar::new(0), panics };
            let picky = theater.spawn_speculative(picky, processing.clone());
            let ask = |mailbox: usize| picky.mailbox(mailbox).ask(Question).wait();
            assert_eq!(ask(62), Ok(6_201));
            assert!(matches!(ask(63), Err(AskError::Failed(_))));
            assert_eq!(picky.ask(Question).wait(), Ok(2));
            // A failure is counted when the message is gone, and its answer with it.
            while picky.speculation().failures < 1 {
                thread::yield_now();
            }
            assert_eq!(picky.speculation().failures, 1);
        }
    }
}

#[test]
#[should_panic(expected = "the order of arrival is for actors with one mailbox")]
fn s3_s25_the_order_of_arrival_is_for_one_mailbox() {
    let theater = theater();
    let log = theater.spawn(Log::new());
    let in_order = Processing::concurrent().ordering(Ordering::Mailbox);
    theater.spawn_speculative(Buffer::new(1, &log), in_order);
}

/// The names of mailboxes are those of plain actors.
#[test]
#[should_panic(expected = "there is no mailbox 64: the actor has 64")]
fn s3_a_mailbox_that_is_not_there_is_an_error_of_the_sender() {
    fn send(to: &odeon_core::ActorRef<Question>, mailbox: impl MailboxOf<Question>) {
        drop(to.mailbox(mailbox).ask(Question));
    }
    let theater = theater();
    let picky = Picky { asked: TVar::new(0), panics: false };
    send(&theater.spawn_speculative(picky, Processing::default()), 64);
}
