//! A worker as an actor: looks for pieces, does them, brings them back, and is made anew if it
//! fails.
//!
//! One batch a turn, if others wait for theirs: a worker of the theater's pool that has more to do
//! is woken behind all actors that wait for a turn on that thread (`Usher`), so a long queue of
//! pieces holds up nobody longer than the pieces that are in work.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend;
use odeon_core::{Actor, ActorRef, Context, Message};
use odeon_sync::contained::{Apart, Panic, contained, drop_quietly, forget};

use super::distributor::{Batch, NextWork, Taken};
use super::failure::{Then, WorkerFailure};
use super::kind::MakeWorker;
use super::piece::WorkerError;
use super::shared::BalancingShared;
use crate::error::DeviceError;
use crate::worker::Worker;

/// What a worker's actor can be sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum ToMember {
    /// There may be something to do.
    Look,
    /// The pause before it is made anew is over.
    Make,
}

impl Message for ToMember {}

/// How long a worker waits before it is made anew, and how often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remaking {
    pub(super) shortest_pause: Duration,
    pub(super) longest_pause: Duration,
    /// In a row, without a piece done in between.
    pub(super) most: u32,
}

/// TUNE: batches in a row, while nobody waits for a turn, until the actor looks at its own messages
/// and the budget of its turn; guessed 2026-11.
const MOST_BATCHES: u32 = 8;

pub(super) struct PoolWorker<W: Send + 'static> {
    shared: Arc<BalancingShared<W>>,
    /// Among all workers.
    number: usize,
    kind: usize,
    /// Among those of its kind.
    number_of_kind: usize,
    make: Arc<MakeWorker<W>>,
    remaking: Remaking,
    remade: u32,
    has_been_made: bool,
    worker: Option<Box<dyn Worker<Work = W>>>,
    last_error: Option<WorkerError>,
    /// Of a worker of the theater's pool.
    usher: Option<ActorRef<Bow>>,
    is_on_pool: bool,
}

impl<W: Send + 'static> PoolWorker<W> {
    pub(super) fn new(
        shared: Arc<BalancingShared<W>>,
        number: usize,
        (kind, number_of_kind): (usize, usize),
        make: Arc<MakeWorker<W>>,
        remaking: Remaking,
        is_on_pool: bool,
    ) -> Self {
        Self {
            shared,
            number,
            kind,
            number_of_kind,
            make,
            remaking,
            remade: 0,
            has_been_made: false,
            worker: None,
            last_error: None,
            usher: None,
            is_on_pool,
        }
    }

    fn make(&mut self, ctx: &mut Context<'_, Self>) {
        if self.shared.distributor().is_over() {
            return ctx.stop();
        }
        let made = contained(|| {
            let worker = Apart::new((self.make)(self.number_of_kind)?);
            let (most_at_once, device) = (worker.most_at_once(), worker.device());
            Ok((worker.into_inner(), most_at_once, device))
        });
        match made.map_err(panic_text).map_err(WorkerError::Panic) {
            Ok(Ok((worker, most_at_once, device))) => {
                self.worker = Some(worker);
                self.has_been_made = true;
                let came = |distributor: &mut super::distributor::Distributor<W>, now| {
                    distributor.came(self.number, most_at_once, device, now)
                };
                let more = self.shared.change(came);
                self.go_on_if(more, ctx);
            }
            Ok(Err(error)) => self.not_made(WorkerError::Error(error), ctx),
            Err(error) => self.not_made(error, ctx),
        }
    }

    /// It cannot be made: the reason says whether it is worth another attempt.
    fn not_made(&mut self, error: WorkerError, ctx: &mut Context<'_, Self>) {
        if self.may_be_remade(&error) {
            self.tell(error, 0, Then::MadeAnew);
            self.shared.order(|distributor, now| distributor.absent(self.number, now));
            self.make_later(ctx);
        } else {
            self.leave(error, 0, ctx);
        }
    }

    fn may_be_remade(&self, error: &WorkerError) -> bool {
        self.is_transient(error) && self.remade < self.remaking.most
    }

    /// What a worker that has been there works with exists: without it, it is being started again.
    fn is_transient(&self, error: &WorkerError) -> bool {
        let is_away = matches!(error, WorkerError::Error(DeviceError::Unavailable(_)));
        error.is_transient() || is_away && self.has_been_made
    }

    fn make_later(&mut self, ctx: &mut Context<'_, Self>) {
        let Remaking { shortest_pause, longest_pause, .. } = self.remaking;
        let pause = shortest_pause.saturating_mul(1 << self.remade.min(16)).min(longest_pause);
        self.remade += 1;
        ctx.send_after(pause, ToMember::Make);
    }

    /// Ends for good.
    fn leave(&mut self, error: WorkerError, pieces: usize, ctx: &mut Context<'_, Self>) {
        let why = error.to_string();
        self.tell(error, pieces, Then::LeftOut);
        self.shared.gone(self.number, Some(why));
        ctx.stop();
    }

    fn tell(&self, error: WorkerError, pieces: usize, then: Then) {
        let kind = self.shared.kinds[self.kind].name.to_string();
        self.shared.tell(&WorkerFailure { kind, number: self.number_of_kind, error, pieces, then });
    }

    fn look(&mut self, ctx: &mut Context<'_, Self>) {
        let mut next = None;
        for number in 1.. {
            let taken = next.take().map_or_else(|| self.take(), Taken::Batch);
            let mut batch = match taken {
                Taken::Batch(batch) => batch,
                Taken::Nothing => return,
                Taken::End => return ctx.stop(),
                Taken::LeftOut => return self.left_out(ctx),
            };
            if let Err(error) = self.work(&mut batch) {
                return self.failed(error, batch, ctx);
            }
            let is_last = number == MOST_BATCHES || !self.may_go_on(ctx);
            match self.bring_back(batch, is_last) {
                NextWork::Batch(batch) => next = Some(batch),
                // Whoever has got a piece back waits for a turn by now.
                NextWork::More if is_last || !self.may_go_on(ctx) => {
                    return self.go_on_if(true, ctx);
                }
                NextWork::More => {}
                NextWork::Nothing => return,
            }
        }
    }

    fn take(&self) -> Taken<W> {
        self.shared.change(|distributor, now| {
            let (taken, orders) = distributor.take(self.number, now);
            (orders, taken)
        })
    }

    fn bring_back(&self, batch: Batch<W>, is_last: bool) -> NextWork<W> {
        if !is_last {
            return self
                .shared
                .change(|distributor, now| distributor.done_and_next(self.number, batch, now));
        }
        match self.shared.change(|distributor, now| distributor.done(self.number, batch, now)) {
            true => NextWork::More,
            false => NextWork::Nothing,
        }
    }

    /// Ends, because it has failed too often at what others can do.
    fn left_out(&mut self, ctx: &mut Context<'_, Self>) {
        if let Some(error) = self.last_error.take() {
            self.tell(error, 0, Then::LeftOut);
        }
        ctx.stop();
    }

    /// One batch.
    fn work(&mut self, batch: &mut Batch<W>) -> Result<(), WorkerError> {
        let worker = self.worker.as_mut().expect("only who is there takes pieces");
        match contained(|| worker.work(&mut batch.works)) {
            Ok(Ok(())) => {
                self.remade = 0;
                Ok(())
            }
            Ok(Err(error)) => Err(WorkerError::Error(error)),
            Err(panic) => Err(WorkerError::Panic(panic_text(panic))),
        }
    }

    /// Whether another batch may follow in the same turn.
    fn may_go_on(&self, ctx: &Context<'_, Self>) -> bool {
        self.is_on_pool && extend::may_go_on(ctx)
    }

    fn failed(&mut self, error: WorkerError, batch: Batch<W>, ctx: &mut Context<'_, Self>) {
        let pieces = batch.works.len();
        let stays = !self.is_transient(&error);
        let remade = self.may_be_remade(&error);
        if !stays {
            drop_quietly(self.worker.take());
        }
        let put_back = |distributor: &mut super::distributor::Distributor<W>, now| {
            distributor.failed(self.number, batch, &error, stays, now)
        };
        let more = self.shared.change(put_back);
        if stays {
            self.tell(error.clone(), pieces, Then::GoesOn);
            self.last_error = Some(error);
            self.go_on_if(more, ctx);
        } else if remade {
            self.tell(error.clone(), pieces, Then::MadeAnew);
            self.last_error = Some(error);
            self.make_later(ctx);
        } else {
            self.leave(error, pieces, ctx);
        }
    }

    /// Looks again: behind those who wait for a turn.
    fn go_on_if(&mut self, more: bool, ctx: &mut Context<'_, Self>) {
        if !more {
            return;
        }
        match self.usher.as_ref().filter(|_| !self.may_go_on(ctx)) {
            Some(usher) if usher.send(Bow).is_ok() => {}
            _ => ctx.send_self(ToMember::Look),
        }
    }
}

impl<W: Send + 'static> Actor for PoolWorker<W> {
    type Msg = ToMember;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if self.is_on_pool {
            self.usher = Some(ctx.spawn(Usher(ctx.actor_ref())));
        }
        self.make(ctx);
    }

    fn handle(&mut self, message: ToMember, ctx: &mut Context<'_, Self>) {
        match message {
            ToMember::Make if self.worker.is_none() => self.make(ctx),
            ToMember::Look if self.worker.is_some() => self.look(ctx),
            // Called when it was about to fail; it looks by itself when it has been made.
            ToMember::Make | ToMember::Look => {}
        }
    }
}

impl<W: Send + 'static> Drop for PoolWorker<W> {
    fn drop(&mut self) {
        if let Some(usher) = self.usher.take() {
            usher.stop();
        }
        self.shared.gone(self.number, None);
    }
}

/// Gives a worker of the theater's pool its next turn, behind the actors that wait for one.
///
/// WHY: a worker that sent itself a message would have it in the same turn, and a turn is not
/// looked at before its ninth message.
struct Usher(ActorRef<ToMember>);

/// What an usher is sent.
struct Bow;

impl Message for Bow {}

impl Actor for Usher {
    type Msg = Bow;

    fn handle(&mut self, Bow: Bow, _: &mut Context<'_, Self>) {
        // The wake-up queues it where it belongs; the message finds it queued.
        extend::wake_behind(&self.0);
        let _ = extend::send_unhindered(&self.0, ToMember::Look);
    }
}

fn panic_text(panic: Panic) -> String {
    let text = extend::text_of(&*panic).unwrap_or("without a text").to_owned();
    forget(panic);
    text
}
