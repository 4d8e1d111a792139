//! Watching: being told when an actor ends, and why. To wait for it:
//! `lifecycle/watch/until_ended.rs`; to be told wherever one has moved to:
//! `lifecycle/watch/own.rs`.

mod own;
mod until_ended;

use std::fmt;

use crate::messaging::actor_ref::ActorRef;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::outbox;
use crate::process::relations::Watcher;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::contain::contain;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::message::Message;

pub(crate) use own::keep as keep_own;
pub use own::{Watching, WrittenWatch};
pub use until_ended::UntilEnded;

/// A watch that is in force. Dropping it changes nothing; [`cancel`](Self::cancel) ends it.
#[derive(Clone)]
pub struct Watch {
    /// `None` if there is nothing to cancel.
    place: Option<(ErasedWeakRef, u64)>,
}

impl Watch {
    /// Ends the watch. `true`: nobody will be told. `false`: the actor has ended, and whoever
    /// watched has been told or is being told.
    pub fn cancel(self) -> bool {
        let Some((watched, key)) = self.place else { return false };
        watched.relations().is_ok_and(|relations| relations.remove_watcher(key).is_some())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = self.place.as_ref().map(|(watched, _)| watched.id());
        f.debug_struct("Watch").field("watched", &watched).finish_non_exhaustive()
    }
}

impl<M: Message> ActorRef<M> {
    /// Calls `told` when the actor ends, on the thread that ends it; at once if it has ended
    /// already.
    ///
    /// It runs after the actor's state has been dropped and its waiting messages have gone to the
    /// dead letters (S14), and must be quick and not block. A panic in it is contained. Actors use
    /// [`Context::watch`]; whoever only waits uses [`ended`](Self::ended).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Quiet;
    /// # impl Actor for Quiet { type Msg = (); fn handle(&mut self, _: (), ctx: &mut Context<'_, Self>) { ctx.stop() } }
    /// let theater = Theater::new()?;
    /// let quiet = theater.spawn(Quiet);
    /// let (tell, told) = std::sync::mpsc::channel();
    /// quiet.on_end(move |ended| tell.send(ended.reason()).unwrap());
    /// quiet.send(()).unwrap();
    /// assert_eq!(told.recv().unwrap(), EndReason::Stopped);
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn on_end(&self, told: impl FnOnce(&Ended) + Send + 'static) -> Watch {
        watch(&self.erased(), Box::new(told))
    }
}

impl<A: Behavior> Context<'_, A> {
    /// Has this actor told, by a message, when `other` ends; at once if it has ended already.
    ///
    /// The message comes after the last message that `other` sent to this actor's mailbox. It
    /// arrives once, also if the actors watch each other or `other` is watched twice (then once per
    /// watch). A restart (see [`Supervision`](crate::Supervision)) is no end. A watch
    /// keeps a reference to this actor until `other` has ended or the watch is cancelled.
    ///
    /// If this actor moves to another theater (S34) the watch stays in this one, and is over with
    /// it; [`watch_with`](Self::watch_with) is a watch that can go along.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// struct Worker;
    /// impl Actor for Worker {
    ///     type Msg = &'static str;
    ///     fn handle(&mut self, work: &'static str, _: &mut Context<'_, Self>) { panic!("cannot {work}") }
    /// }
    ///
    /// struct Boss { out: Sender<String> }
    /// #[derive(Debug)]
    /// enum Order { Begin, Lost(Ended) }
    /// impl Message for Order {}
    /// impl Actor for Boss {
    ///     type Msg = Order;
    ///     fn handle(&mut self, order: Order, ctx: &mut Context<'_, Self>) {
    ///         match order {
    ///             Order::Begin => {
    ///                 let worker = ctx.spawn(Worker);
    ///                 ctx.watch(&worker, Order::Lost);
    ///                 worker.send("fly").unwrap();
    ///             }
    ///             Order::Lost(ended) => self.out.send(ended.failure().unwrap().into()).unwrap(),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (out, told) = channel();
    /// # let boss = theater.spawn(Boss { out });
    /// # boss.send(Order::Begin).unwrap();
    /// # assert_eq!(told.recv().unwrap(), "cannot fly");
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn watch<M: Message>(
        &self,
        other: &ActorRef<M>,
        message: impl FnOnce(Ended) -> A::Msg + Send + 'static,
    ) -> Watch {
        watch_by(self.actor_ref(), other, message)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Has this actor told, by a message, when `other` ends; at once if it has ended already. See
    /// [`Context::watch`].
    pub fn watch<M: Message>(
        &self,
        other: &ActorRef<M>,
        message: impl FnOnce(Ended) -> A::Msg + Send + 'static,
    ) -> Watch {
        watch_by(self.actor_ref(), other, message)
    }
}

fn watch_by<W: Message, M: Message>(
    watcher: ActorRef<W>,
    other: &ActorRef<M>,
    message: impl FnOnce(Ended) -> W + Send + 'static,
) -> Watch {
    other.on_end(move |ended| {
        // A watcher that has stopped wants to know nothing.
        let _ = watcher.send_unhindered(message(ended.clone()));
    })
}

pub(crate) fn watch(watched: &ErasedWeakRef, told: Watcher) -> Watch {
    if let Some(outbox) = outbox::held() {
        let watched = watched.clone();
        outbox.hold(move || drop(watch_at_once(&watched, told)));
        return Watch { place: None };
    }
    watch_at_once(watched, told)
}

fn watch_at_once(watched: &ErasedWeakRef, told: Watcher) -> Watch {
    let ended = match watched.relations() {
        Err(reason) => Ended::new(watched.id(), reason, None),
        Ok(relations) => match relations.add_watcher(told) {
            Ok(key) => return Watch { place: Some((watched.clone(), key)) },
            Err((told, ended)) => return told_at_once(told, &ended),
        },
    };
    told_at_once(told, &ended)
}

/// The actor has ended before: as if its end told (`turn/ending.rs`), a panic is contained.
fn told_at_once(told: Watcher, ended: &Ended) -> Watch {
    contain(|| told(ended));
    Watch { place: None }
}
