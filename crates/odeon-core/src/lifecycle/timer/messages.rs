//! Sending later, once or over and over.

use std::sync::Arc;
use std::time::Duration;

use super::{Timer, held, own, periodic};
use crate::messaging::actor_ref::{ActorRef, WeakRef};
use crate::messaging::send::Hindered;
use crate::messaging::tag::Tag;
use crate::process::cell::MessageCell;
use crate::process::outbox;
use crate::process::theater_shared::TheaterShared;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::{Message, mailbox_of};

impl<A: Behavior> Context<'_, A> {
    /// Sends `message` to this actor itself once `delay` has passed. As
    /// [`ActorRef::send_after`](crate::ActorRef::send_after), which see.
    ///
    /// The timer of an actor that may move goes with it to other theaters (S34), and with it the
    /// [`Timer`] in its state. One that is begun by a reference stays where it was begun.
    ///
    /// A timer that is to be put off is cancelled and armed anew:
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::time::Duration;
    /// struct Session { timeout: Option<Timer> }
    /// enum ToSession { Input, TimedOut }
    /// # impl Message for ToSession {}
    ///
    /// impl Actor for Session {
    ///     type Msg = ToSession;
    ///     fn handle(&mut self, msg: ToSession, ctx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             ToSession::Input => {
    ///                 let timer = ctx.send_after(Duration::from_millis(20), ToSession::TimedOut);
    ///                 if let Some(before) = self.timeout.replace(timer) {
    ///                     before.cancel();
    ///                 }
    ///             }
    ///             ToSession::TimedOut => ctx.stop(),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new().unwrap();
    /// # let session = theater.spawn(Session { timeout: None });
    /// # // It may have timed out before the last one.
    /// # for _ in 0..3 { let _ = session.send(ToSession::Input); }
    /// # while !session.is_stopped() { std::thread::yield_now(); }
    /// ```
    ///
    /// # Panics
    /// As [`ActorRef::send_after`](crate::ActorRef::send_after).
    #[track_caller]
    pub fn send_after(&self, delay: Duration, message: A::Msg) -> Timer {
        send_own_after(self.cell(), delay, message)
    }

    /// Sends this actor a message that `make_message` makes after every `period`. As
    /// [`ActorRef::send_every`](crate::ActorRef::send_every), which see.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::time::Duration;
    /// struct Clockwork { ticks: u32 }
    /// #[derive(Clone)]
    /// struct Tick;
    /// # impl Message for Tick {}
    ///
    /// impl Actor for Clockwork {
    ///     type Msg = Tick;
    ///     fn started(&mut self, ctx: &mut Context<'_, Self>) {
    ///         ctx.send_every(Duration::from_millis(2), || Tick);
    ///     }
    ///     fn handle(&mut self, Tick: Tick, ctx: &mut Context<'_, Self>) {
    ///         self.ticks += 1;
    ///         if self.ticks == 3 {
    ///             ctx.stop();
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new().unwrap();
    /// # let clockwork = theater.spawn(Clockwork { ticks: 0 });
    /// # while !clockwork.is_stopped() { std::thread::yield_now(); }
    /// ```
    ///
    /// # Panics
    /// As [`ActorRef::send_every`](crate::ActorRef::send_every).
    #[track_caller]
    pub fn send_every(
        &self,
        period: Duration,
        make_message: impl FnMut() -> A::Msg + Send + 'static,
    ) -> Timer {
        let cell = self.cell();
        send_every(cell.header.stage.theater(), WeakRef::to(cell), period, make_message)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Sends `message` to this actor itself once `delay` has passed. As
    /// [`ActorRef::send_after`](crate::ActorRef::send_after), which see.
    ///
    /// # Panics
    /// As [`ActorRef::send_after`](crate::ActorRef::send_after).
    #[track_caller]
    pub fn send_after(&self, delay: Duration, message: A::Msg) -> Timer {
        let cell = self.cell();
        send_after(cell.header.stage.theater(), WeakRef::to(cell), delay, message)
    }

    /// Sends this actor a message that `make_message` makes after every `period`. As
    /// [`ActorRef::send_every`](crate::ActorRef::send_every), which see.
    ///
    /// # Panics
    /// As [`ActorRef::send_every`](crate::ActorRef::send_every).
    #[track_caller]
    pub fn send_every(
        &self,
        period: Duration,
        make_message: impl FnMut() -> A::Msg + Send + 'static,
    ) -> Timer {
        let cell = self.cell();
        send_every(cell.header.stage.theater(), WeakRef::to(cell), period, make_message)
    }
}

impl<M: Message> ActorRef<M> {
    /// Sends `message` to this actor once `delay` has passed, by the timers of its theater: never
    /// earlier, and hardly more than a millisecond later on a machine that is not overloaded (S12).
    ///
    /// A pending timer does not keep its actor. Its message is sent only when it is due; if nobody
    /// can reach the actor by then or it has stopped, or if the timer is cancelled or the theater
    /// stops before, the message is dropped and not counted as a dead letter.
    ///
    /// In an attempt whose effects are held back (S8) the delay begins with their release.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::{sync::mpsc::{Sender, channel}, time::{Duration, Instant}};
    /// # struct Out(Sender<&'static str>);
    /// # impl Actor for Out {
    /// #     type Msg = &'static str;
    /// #     fn handle(&mut self, msg: &'static str, _: &mut Context<'_, Self>) { self.0.send(msg).unwrap() }
    /// # }
    /// # let theater = Theater::new()?;
    /// # let (out, heard) = channel();
    /// # let actor = theater.spawn(Out(out));
    /// let armed = Instant::now();
    /// actor.send_after(Duration::from_millis(5), "tea is ready");
    /// assert_eq!(heard.recv()?, "tea is ready");
    /// assert!(armed.elapsed() >= Duration::from_millis(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If [`Message::mailbox`] names a mailbox that the message type does not have. If this is the
    /// theater's first timer and the operating system refuses the thread that timers need.
    #[track_caller]
    pub fn send_after(&self, delay: Duration, message: M) -> Timer {
        let cell = self.cell();
        send_after(cell.header.stage.theater(), WeakRef::to(cell), delay, message)
    }

    /// Sends this actor a message that `make_message` makes after every `period`, the first one
    /// after the first. It goes on until the timer is cancelled, the actor has stopped or cannot be
    /// reached any more, or the theater stops.
    ///
    /// Messages are due at whole periods after the call, and lateness does not add up. A timer that
    /// is late by a period or more, because the machine was busy or asleep, sends one message and
    /// skips the others: they never come in a burst. Periods below a millisecond come out as one.
    ///
    /// `make_message` runs on the thread of the theater's timers and must be quick: all timers wait
    /// for it. If it panics the timer is over. If nothing else, it may clone a message. The first
    /// message is made in this call if its type has several mailboxes, to see that it names one of
    /// them.
    ///
    /// # Panics
    /// If `period` is zero, or the first message names a mailbox that its type does not have. If
    /// the thread that timers need is refused, as in [`send_after`](Self::send_after).
    #[track_caller]
    pub fn send_every(
        &self,
        period: Duration,
        make_message: impl FnMut() -> M + Send + 'static,
    ) -> Timer {
        let cell = self.cell();
        send_every(cell.header.stage.theater(), WeakRef::to(cell), period, make_message)
    }
}

/// Sends an actor a message that it has for itself.
#[inline]
#[track_caller]
pub(crate) fn send_own_after<M: Message>(
    cell: &MessageCell<M>,
    delay: Duration,
    message: M,
) -> Timer {
    let (header, to) = (&cell.header, WeakRef::to(cell));
    if header.vtable.may_move {
        // A message for a mailbox that does not exist shall panic here.
        let _ = mailbox_of(&message);
        return own::begin(to, delay, message);
    }
    send_after(header.stage.theater(), to, delay, message)
}

#[inline]
#[track_caller]
fn send_after<M: Message>(
    theater: &Arc<TheaterShared>,
    to: WeakRef<M>,
    delay: Duration,
    message: M,
) -> Timer {
    // A message for a mailbox that does not exist shall panic here, not on the timers' thread.
    let _ = mailbox_of(&message);
    if outbox::is_followed() {
        return send_followed_after(theater, to, delay, message);
    }
    let theater = theater.clone();
    held::arm(move || {
        let send = move || {
            if let Some(to) = to.upgrade() {
                // An actor that has stopped gets no more messages.
                let _ = to.send_unhindered(message);
            }
        };
        let key = theater.arm(delay, Box::new(send));
        Timer::once(theater, key)
    })
}

/// As [`send_after`], by a thread that is followed: the message is sent when the timer fires, and
/// caused by whoever armed it.
#[cold]
fn send_followed_after<M: Message>(
    theater: &Arc<TheaterShared>,
    to: WeakRef<M>,
    delay: Duration,
    message: M,
) -> Timer {
    let tag = Tag::here(theater);
    let mailbox = mailbox_of(&message);
    let send = move || {
        if let Some(to) = to.upgrade() {
            // An actor that has stopped gets no more messages.
            let _ = to.send_tagged(tag, mailbox, message, Hindered::No);
        }
    };
    // No attempt: its thread is not followed.
    Timer::once(theater.clone(), theater.arm(delay, Box::new(send)))
}

#[track_caller]
fn send_every<M: Message>(
    theater: &Arc<TheaterShared>,
    to: WeakRef<M>,
    period: Duration,
    mut make_message: impl FnMut() -> M + Send + 'static,
) -> Timer {
    assert!(!period.is_zero(), "the period of a timer must not be zero");
    // A message for a mailbox that does not exist shall panic here, not on the timers' thread.
    let mut first = None;
    if M::MAILBOXES > 1 {
        let message = make_message();
        let _ = mailbox_of(&message);
        first = Some(message);
    }
    let make_message = move || first.take().unwrap_or_else(&mut make_message);
    let theater = theater.clone();
    held::arm(move || periodic::start(theater, to, period, make_message))
}
