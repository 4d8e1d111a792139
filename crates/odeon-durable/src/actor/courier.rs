//! Who lets go of effects that have waited for the disk: an actor of the pool beside the durable
//! one, so that what they send comes from a worker, as it does without a log.

use super::actor_log::ActorLog;
use odeon_core::extend::spawn_working_for;
use odeon_core::{Actor, ActorRef, Context, Message, as_task};
use odeon_sync::contained::forget;
use std::pin::pin;
use std::sync::Arc;
use std::task::{self, Poll, Waker};
use std::thread;

/// TUNE: messages whose effects happen for one message of the courier's, which is some
/// microseconds.
const AT_ONCE: usize = 64;

/// The way to a courier, which is made when it is first needed. The courier ends with it.
#[derive(Default)]
pub(super) struct ToCourier(Option<ActorRef<LetGo>>);

impl ToCourier {
    /// Effects of this log may happen, or are to be refused.
    pub(super) fn tell<M: Message>(&mut self, log: &Arc<ActorLog<M>>) {
        let Some(actor) = log.held_back.is_to_tell() else { return };
        let courier =
            self.0.get_or_insert_with(|| spawn_working_for(&actor, Courier { log: log.clone() }));
        // One that the theater has ended leaves what waits to the end of the durable actor.
        let _ = courier.send(LetGo);
    }
}

/// Something may be let go.
pub(super) struct LetGo;

impl Message for LetGo {}

/// It is held back for what the effects send, and the durable actor counts as waiting then (S17).
struct Courier<M: Message> {
    log: Arc<ActorLog<M>>,
}

impl<M: Message> Actor for Courier<M> {
    type Msg = LetGo;

    fn handle(&mut self, LetGo: LetGo, ctx: &mut Context<'_, Self>) {
        if self.log.let_go(AT_ONCE) {
            let _ = ctx.actor_ref().send(LetGo);
        }
    }
}

/// Lets go of all that waits, at the end of an actor whose log is written.
pub(super) fn let_go_of_all<M: Message>(log: &Arc<ActorLog<M>>) {
    if !log.held_back.is_waiting() {
        return;
    }
    let rest = log.clone();
    // A task, which nothing blocks: whoever is to be relieved may have ended, or wait for an answer
    // that is let go here.
    let let_go = as_task(async move { while rest.let_go(AT_ONCE) {} });
    let let_go = move || {
        let _: Poll<()> = pin!(let_go).poll(&mut task::Context::from_waker(Waker::noop()));
    };
    // Without a thread what waits is dropped: who has asked hears that there is no answer.
    if let Ok(thread) = thread::Builder::new().name("last answers".into()).spawn(let_go) {
        if let Err(panic) = thread.join() {
            forget(panic);
        }
    }
}
