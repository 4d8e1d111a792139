//! S10, S26: a reply that is answered by the context gives that answer with the commit, whatever
//! becomes of the reply until then, in whatever it lies.

use crate::support::{Common, Do, Lab};
use odeon_core::{ActorRef, AskError, Message, Reply, Theater};
use odeon_speculative::{
    Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use std::cell::{Cell, RefCell};
use std::mem;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Something else may lie where the reply lay.
enum Place {
    Reply(Reply<String>),
    Numbers([u64; 5]),
}

type Kept = Arc<Mutex<Vec<Reply<String>>>>;

enum Question {
    /// Answered, and something else put there.
    Cell(RefCell<Place>),
    /// Answered, taken out, and dropped.
    Dropped(Mutex<Option<Reply<String>>>),
    /// Answered, taken out, and answered once more.
    Twice(Mutex<Option<Reply<String>>>),
    /// Answered twice where it lies.
    TwiceHere(Reply<String>),
    /// Answered, taken out and sent to this actor.
    Forwarded(Mutex<Option<Reply<String>>>, ActorRef<Question>),
    /// Answered, and swapped with a reply that is spent.
    Swapped(RefCell<Reply<String>>),
    /// Put into its place by the handler, and answered.
    Once(Cell<Option<Reply<String>>>, OnceLock<Reply<String>>),
    /// Behind pointers.
    Boxed(Box<Reply<String>>),
    Shared(Arc<Reply<String>>),
    /// In the first attempt, which is undone, it is answered and kept by somebody else; not in the
    /// second one.
    Undone(Mutex<Option<Reply<String>>>, Kept, ActorRef<Do>),
    /// Passed on, and dropped in the second attempt, which is that of a transaction.
    PassedOn(Mutex<Option<Reply<String>>>, ActorRef<Question>, Cell<u32>),
}

impl Message for Question {}

struct Desk {
    handled: TVar<u64>,
}

fn take(from: &Mutex<Option<Reply<String>>>) -> Reply<String> {
    from.lock().unwrap().take().expect("there")
}

impl SpeculativeActor for Desk {
    type Msg = Question;

    fn handle<'t>(
        &'t self,
        msg: &'t Question,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.handled.update(tx, |n| n + 1)?;
        let answer = || String::from("by the context");
        let answer_in = |place: &Mutex<Option<Reply<String>>>,
                         ctx: &mut SpeculativeContext<'_, _>| {
            if let Some(reply) = &*place.lock().unwrap() {
                ctx.reply(reply, answer());
            }
        };
        match msg {
            Question::Cell(place) => {
                if let Place::Reply(reply) = &*place.borrow() {
                    ctx.reply(reply, answer());
                }
                *place.borrow_mut() = Place::Numbers([0x4141_4141_4141; 5]);
                if let Place::Numbers(numbers) = &*place.borrow() {
                    assert_eq!(numbers.len(), 5);
                }
            }
            Question::Dropped(place) => {
                answer_in(place, ctx);
                drop(take(place));
            }
            Question::Twice(place) => {
                answer_in(place, ctx);
                take(place).send("by itself".into());
            }
            Question::TwiceHere(reply) => {
                ctx.reply(reply, answer());
                ctx.reply(reply, "once more".into());
            }
            Question::Forwarded(place, to) => {
                answer_in(place, ctx);
                to.send(Question::TwiceHere(take(place))).expect("it lives");
            }
            Question::Swapped(place) => {
                ctx.reply(&place.borrow(), answer());
                let (mut other, _) = odeon_core::extend::question();
                mem::swap(&mut *place.borrow_mut(), &mut other);
            }
            Question::Once(from, place) => {
                ctx.reply(place.get_or_init(|| from.take().expect("there")), answer());
            }
            Question::Boxed(reply) => ctx.reply(reply, answer()),
            Question::Shared(reply) => ctx.reply(reply, answer()),
            Question::Undone(place, kept, other) => {
                if place.lock().unwrap().is_some() {
                    answer_in(place, ctx);
                    kept.lock().unwrap().push(take(place));
                }
                ctx.join(other, Do::increment(0));
            }
            Question::PassedOn(place, to, attempts) => {
                if let Some(reply) = &*place.lock().unwrap() {
                    let passed_on = ctx.pass_on(reply);
                    ctx.join(to, Question::TwiceHere(passed_on));
                }
                attempts.set(attempts.get() + 1);
                if attempts.get() == 2 {
                    drop(take(place));
                }
            }
        }
        Ok(())
    }
}

fn every_processing() -> [Processing; 3] {
    [
        Processing::sequential(),
        Processing::concurrent().non_blocking().width(2),
        Processing::concurrent().width(3),
    ]
}

fn desk(theater: &Theater, processing: &Processing) -> ActorRef<Question> {
    let desk = Desk { handled: TVar::new(0) };
    theater.spawn_speculative(desk, processing.clone()).actor_ref()
}

/// What becomes of a question to an actor, each processing.
fn answers(
    question: impl Fn(Reply<String>, &ActorRef<Question>) -> Question,
) -> Vec<Result<String, AskError>> {
    let answer = |processing: Processing| {
        let run = Deterministic::new(1);
        let [desk, other] = [0, 1].map(|_| desk(run.theater(), &processing));
        let answer = desk.ask(|reply| question(reply, &other));
        run.run_until_idle();
        let answer = answer.wait_timeout(Duration::ZERO);
        // It goes on.
        let last = desk.ask(Question::TwiceHere);
        run.run_until_idle();
        assert_eq!(last.wait_timeout(Duration::ZERO).as_deref(), Ok("by the context"));
        answer
    };
    every_processing().into_iter().map(answer).collect()
}

#[track_caller]
fn are_by_the_context(answers: Vec<Result<String, AskError>>) {
    assert!(answers.iter().all(|answer| answer.as_deref() == Ok("by the context")), "{answers:?}");
}

#[test]
fn s10_an_answer_by_the_context_stands_whatever_becomes_of_the_reply() {
    are_by_the_context(answers(|reply, _| Question::Cell(RefCell::new(Place::Reply(reply)))));
    are_by_the_context(answers(|reply, _| Question::Dropped(Mutex::new(Some(reply)))));
    are_by_the_context(answers(|reply, _| Question::Twice(Mutex::new(Some(reply)))));
    are_by_the_context(answers(|reply, _| Question::TwiceHere(reply)));
    are_by_the_context(answers(|reply, to| {
        Question::Forwarded(Mutex::new(Some(reply)), to.clone())
    }));
    are_by_the_context(answers(|reply, _| Question::Swapped(RefCell::new(reply))));
    are_by_the_context(answers(|reply, _| Question::Once(Cell::new(Some(reply)), OnceLock::new())));
}

#[test]
fn s10_a_reply_that_is_passed_on_may_be_taken_away() {
    are_by_the_context(answers(|reply, to| {
        Question::PassedOn(Mutex::new(Some(reply)), to.clone(), Cell::new(0))
    }));
}

#[test]
fn s10_a_reply_behind_a_pointer_is_not_answered_by_the_context() {
    let why = "a reply is answered where it lies in the message; this one is kept elsewhere";
    let failed = vec![Err(AskError::Failed(why.into())); 3];
    assert_eq!(answers(|reply, _| Question::Boxed(Box::new(reply))), failed);
    assert_eq!(answers(|reply, _| Question::Shared(Arc::new(reply))), failed);
}

#[test]
fn s10_s26_an_answer_that_is_undone_leaves_the_reply_to_whoever_has_it() {
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let lab = Lab::new(&Arc::new(Common::default()));
        let lab = run.theater().spawn_speculative(lab, processing.clone());
        let (desk, kept) = (desk(run.theater(), &processing), Kept::default());
        let answer = desk
            .ask(|reply| Question::Undone(Mutex::new(Some(reply)), kept.clone(), lab.actor_ref()));
        run.run_until_idle();
        let reply = kept.lock().unwrap().pop().expect("it was taken");
        reply.send("by who has kept it".into());
        let answer = answer.wait_timeout(Duration::ZERO);
        assert_eq!(answer.as_deref(), Ok("by who has kept it"), "{processing:?}");
    }
}
