//! S26, S4: a user's code that panics where a message is given up, undone or dropped concerns that
//! message alone, also if what it panics with panics in turn: nobody else's is lost, and the actor
//! goes on.

use crate::support::{Bomb, Common, Do, Lab, Note, ask, explode};
use odeon_core::extend::{as_numbered_sender, let_happen};
use odeon_core::{ActorRef, Ask, Message, Reply};
use odeon_speculative::{
    Access, Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
    fail,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::{Deterministic, silent_panic};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

fn every_processing() -> [Processing; 4] {
    [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::concurrent().non_blocking().width(2),
        Processing::concurrent().non_blocking().width(2).ordering(Ordering::Mailbox),
    ]
}

/// So many messages that batches of several are taken.
fn warm_up(run: &Deterministic, lab: &ActorRef<Do>) {
    (0..100).for_each(|_| lab.send(Do::increment(6)).unwrap());
    run.run_until_idle();
}

/// Asks as many senders would, so that the messages come into one batch.
fn ask_as_others(lab: &ActorRef<Do>, count: u64, what: impl Fn() -> Do) -> Vec<Ask<i64>> {
    (0..count).map(|number| as_numbered_sender(number, || ask(lab, what()))).collect()
}

/// Sends each of `bad` amid messages that add one; all of them fail, and nothing else.
fn amid_others(bad: impl Fn(&ActorRef<Note<Bomb>>) -> Do) {
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let lab = Lab::new(&Arc::new(Common::default()));
        let lab = run.theater().spawn_speculative(lab, processing.clone());
        let other = run.theater().spawn(Sink);
        warm_up(&run, &lab);
        let answers: Vec<_> = (0..5)
            .flat_map(|number| {
                let others = ask_as_others(&lab, 5, || Do::increment(0));
                as_numbered_sender(100 + number, || lab.send(bad(&other)).unwrap());
                others
            })
            .collect();
        run.run_until_idle();
        for answer in answers {
            assert!(answer.wait_timeout(Duration::ZERO).is_ok(), "{processing:?}");
        }
        let last = ask(&lab, Do::look(0));
        run.run_until_idle();
        assert_eq!(last.wait_timeout(Duration::ZERO), Ok(25), "{processing:?}");
        assert_eq!(lab.speculation().failures, 5, "{processing:?}");
        assert_eq!(run.theater().dead_letters(), 0);
    }
}

/// An actor that is sent nothing that arrives.
struct Sink;

impl odeon_core::Actor for Sink {
    type Msg = Note<Bomb>;
    fn handle(&mut self, note: Note<Bomb>, _: &mut odeon_core::Context<'_, Self>) {
        std::mem::forget(note);
        unreachable!("what was sent has failed");
    }
}

#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        explode()
    }
}

impl std::error::Error for Unspeakable {}

impl Drop for Unspeakable {
    fn drop(&mut self) {
        explode();
    }
}

#[test]
fn s26_a_message_that_panics_in_its_handler_and_in_its_destructor_fails_once() {
    amid_others(|_| {
        let bomb = Bomb;
        Do::update(move |_, _, _| {
            let _bomb = &bomb;
            explode()
        })
    });
    amid_others(|_| {
        let bomb = Bomb;
        Do::update(move |lab, tx, _| {
            let _bomb = &bomb;
            lab.add(tx, 1, 1)
        })
    });
}

#[test]
fn s26_an_error_that_panics_in_its_text_and_in_its_destructor_is_one_failure() {
    amid_others(|_| Do::update(|_, _, _| fail(Unspeakable)));
    amid_others(|_| {
        let bomb = Bomb;
        Do::update(move |_, _, _| {
            let _bomb = &bomb;
            fail(Unspeakable)
        })
    });
}

#[test]
fn s26_effects_that_do_not_happen_may_panic_when_they_are_dropped() {
    amid_others(|other| {
        let other = other.clone();
        Do::update(move |lab, tx, _| {
            (0..3).for_each(|_| drop(other.send(Note::Of(Bomb))));
            lab.add(tx, 0, 100)?;
            fail("given up")
        })
    });
}

#[test]
fn s26_hooks_and_effects_that_panic_at_once_are_one_failure() {
    amid_others(|_| {
        Do::update(|lab, tx, _| {
            tx.on_commit(|| explode());
            (0..3).for_each(|_| let_happen(|| explode()));
            lab.add(tx, 1, 1)
        })
    });
    amid_others(|_| {
        Do::update(|lab, tx, _| {
            tx.on_rollback(|| explode());
            lab.add(tx, 0, 100)?;
            fail("given up")
        })
    });
}

/// A message that reads alone is rolled back for what it writes, and what it has asked for then is
/// called.
#[test]
fn s26_a_hook_of_a_message_that_must_not_write_may_panic() {
    amid_others(|_| {
        Do::with(Access::Relaxed, |lab, tx, _| {
            tx.on_rollback(|| silent_panic("a hook"));
            lab.add(tx, 0, 100)
        })
    });
}

/// Its first attempt is dropped, since it is to be part of a transaction.
#[test]
fn s26_a_hook_of_a_message_that_joins_another_one_may_panic() {
    for processing in every_processing() {
        let run = Deterministic::new(3);
        let lab = |_| {
            let lab = Lab::new(&Arc::new(Common::default()));
            run.theater().spawn_speculative(lab, processing.clone())
        };
        let [here, there] = [0, 1].map(lab);
        warm_up(&run, &here);
        let before = ask_as_others(&here, 10, || Do::increment(0));
        let to = there.actor_ref();
        let joins = Do::update(move |lab, tx, ctx| {
            tx.on_rollback(|| explode());
            ctx.join(&to, Do::increment(0));
            lab.add(tx, 1, 1)
        });
        let joins = as_numbered_sender(77, || ask(&here, joins));
        let behind = as_numbered_sender(77, || ask(&here, Do::increment(0)));
        let after = ask_as_others(&here, 10, || Do::increment(0));
        run.run_until_idle();
        assert!(joins.wait_timeout(Duration::ZERO).is_err(), "{processing:?}");
        for answer in before.into_iter().chain(after).chain([behind]) {
            assert!(answer.wait_timeout(Duration::ZERO).is_ok(), "{processing:?}");
        }
        let sums = [&here, &there].map(|lab| ask(lab, Do::look(0)));
        run.run_until_idle();
        let sums = sums.map(|sum| sum.wait_timeout(Duration::ZERO));
        assert_eq!(sums, [Ok(21), Ok(0)], "{processing:?}");
        assert_eq!(here.speculation().failures, 1, "{processing:?}");
        assert_eq!(run.theater().dead_letters(), 0);
    }
}

/// An actor whose guard refuses a message once, and then asks for something that panics.
struct Moody {
    asked: AtomicUsize,
    value: TVar<i64>,
}

struct Look(Reply<i64>);

impl Message for Look {
    const MAILBOXES: usize = 2;

    fn mailbox(&self) -> usize {
        1
    }

    fn access(&self) -> Access {
        Access::Snapshot
    }
}

impl SpeculativeActor for Moody {
    type Msg = Look;

    fn admits<'t>(&'t self, _: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        self.value.get(tx)?;
        let asked = self.asked.fetch_add(1, SeqCst);
        if asked == 1 {
            tx.on_rollback(|| explode());
        }
        Ok(asked > 0)
    }

    fn handle<'t>(
        &'t self,
        Look(reply): &'t Look,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        ctx.reply(reply, self.value.get(tx)?);
        Ok(())
    }
}

#[test]
fn s26_s3_a_hook_of_a_guard_that_is_asked_again_may_panic() {
    for processing in [Processing::sequential(), Processing::concurrent().width(3)] {
        let run = Deterministic::new(1);
        let moody = Moody { asked: AtomicUsize::new(0), value: TVar::new(7) };
        let moody = run.theater().spawn_speculative(moody, processing.clone());
        let looks: Vec<_> =
            (0..10).map(|number| as_numbered_sender(number, || moody.ask(Look))).collect();
        run.run_until_idle();
        let answers = looks.into_iter().map(|look| look.wait_timeout(Duration::ZERO));
        let well = answers.filter(|answer| *answer == Ok(7)).count();
        assert_eq!((well, moody.speculation().failures), (9, 1), "{processing:?}");
    }
}
