//! One mistake in each file: an actor that is made either way, and a run of it that answers whether
//! what it promises was kept.

mod asks_before_it_orders;
mod caches_beside_its_state;
mod counts_attempts;
mod expects_an_order_of_senders;
mod guards_what_it_does_not_read;
mod locks_by_a_snapshot;
mod moves_money_in_two_messages;
mod numbers_by_a_peek;
mod sums_what_it_reads_relaxed;
mod tells_what_is_not_decided;
mod waits_for_something_else;

use odeon_core::extend::reply_to;
use odeon_core::{Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_speculative::Processing;
use std::sync::{Arc, Mutex};

/// How an actor is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Right,
    Wrong,
}

/// Seeds within which each mistake is found.
const SEEDS: u64 = 1_000;

/// The mistake is found, and the right way passes all seeds.
#[track_caller]
fn check(keeps_its_promise: impl Fn(u64, Way) -> bool) {
    let found = (0..SEEDS).find(|seed| !keeps_its_promise(*seed, Way::Wrong));
    let found = found.expect("one of the seeds finds the mistake");
    eprintln!("found by seed {found}");
    assert!(!keeps_its_promise(found, Way::Wrong), "and finds it again");
    odeon_testkit::for_seeds(SEEDS, |seed| assert!(keeps_its_promise(seed, Way::Right)));
}

/// Several messages at once, in each way that there is.
fn processing(seed: u64) -> Processing {
    let wide =
        [Processing::concurrent(), Processing::concurrent().non_blocking(), Processing::adaptive()];
    wide[seed as usize % wide.len()].clone().width(4)
}

/// What was noted, by whomever.
struct Notes<T>(Arc<Mutex<Vec<T>>>);

impl<T> Notes<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn add(&self, note: T) {
        self.0.lock().unwrap().push(note);
    }

    fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl<T> Clone for Notes<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// An actor that asks one question after the other: `next` makes them of the answer before, and of
/// the reply to put into them.
fn client<M: Message, T: Send + 'static>(
    theater: &Theater,
    to: &ActorRef<M>,
    next: impl FnMut(Option<T>, Reply<T>) -> Option<M> + Send + 'static,
) {
    let client = theater.spawn(Client { to: to.clone(), next: Box::new(next) });
    client.send(Heard::Begin).unwrap();
}

/// Makes the next question.
type Next<M, T> = dyn FnMut(Option<T>, Reply<T>) -> Option<M> + Send;

struct Client<M: Message, T> {
    to: ActorRef<M>,
    next: Box<Next<M, T>>,
}

enum Heard<T> {
    Begin,
    Answer(T),
    /// The question was lost, or none was asked.
    Nothing,
}
impl<T: Send + 'static> Message for Heard<T> {}

impl<M: Message, T: Send + 'static> Actor for Client<M, T> {
    type Msg = Heard<T>;
    fn handle(&mut self, heard: Heard<T>, ctx: &mut Context<'_, Self>) {
        let answer = match heard {
            Heard::Begin => None,
            Heard::Answer(answer) => Some(answer),
            Heard::Nothing => return,
        };
        let heard = |answer: Result<T, _>| answer.map_or(Heard::Nothing, Heard::Answer);
        let reply = reply_to(ctx.actor_ref(), heard);
        if let Some(question) = (self.next)(answer, reply) {
            self.to.send(question).unwrap();
        }
    }
}
