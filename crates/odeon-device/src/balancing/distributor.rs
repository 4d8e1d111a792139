//! All that a pool knows, behind one lock: pieces, workers, configurations. What follows from a
//! change is handed out as [`Orders`], to be carried out when the lock is free.
//!
//! PROTOCOL of wake-ups, all under the lock:
//! 1. A worker that finds nothing to take is idle from then on.
//! 2. After every change those idle workers are called that something waits for: as many as there
//!    are pieces that nobody was called for.
//! 3. A worker that was called looks for something to take; so if what it was called for is gone,
//!    or it may not work any more, rule 2 follows once more.
//!
//! So no free worker of the configuration in use stays idle while a piece waits, and no call is
//! lost: whoever changes something sees all who are idle.

use std::time::Duration;

use odeon_core::Reply;
use smallvec::SmallVec;

use super::piece::{Home, QueuedPiece, Returned, Undone, WhyUndone, WorkTicket, WorkerError};
use super::profiler::Profiler;
use super::queue::WorkQueue;
use super::worker_table::WorkerTable;

pub(super) struct Distributor<W> {
    pub(super) queue: WorkQueue<W>,
    pub(super) workers: WorkerTable,
    pub(super) profiler: Profiler,
    pub(super) counts: PieceCounts,
    most_tries: u32,
    is_busy: bool,
    /// No piece comes any more.
    is_closed: bool,
    /// Why there is nobody, if that is so.
    nobody: Option<String>,
    /// When somebody looks although nothing has happened.
    armed: Option<f64>,
}

/// What has become of all pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PieceCounts {
    pub(super) submitted: u64,
    pub(super) done: u64,
    pub(super) undone: u64,
}

/// What is to be done without the lock.
pub(super) struct Orders<W> {
    /// Workers that are to look for something to do.
    pub(super) calls: SmallVec<[usize; 4]>,
    pub(super) returns: SmallVec<[(Home<W>, Returned<W>); 1]>,
    /// Who is told that there is room in the queue.
    pub(super) room: Vec<Reply<()>>,
    /// Seconds after which [`Distributor::tick`] is to be called, and with which moment.
    pub(super) tick_after: Option<(f64, f64)>,
}

/// What a worker gets.
pub(super) enum Taken<W> {
    Batch(Batch<W>),
    /// Nothing: it is idle.
    Nothing,
    /// It is to end: there is nothing to do any more.
    End,
    /// It is to end: it has failed too often at what others can do.
    LeftOut,
}

/// What there is for a worker that has done what it had taken.
pub(super) enum NextWork<W> {
    Batch(Batch<W>),
    /// Something: it is to come again.
    More,
    /// Nothing: it is idle.
    Nothing,
}

/// Pieces that one worker does at once: the work, and beside it all about each piece. Most workers
/// on cores take one at a time.
pub(super) struct Batch<W> {
    pub(super) works: SmallVec<[W; 1]>,
    pub(super) tickets: SmallVec<[WorkTicket<W>; 1]>,
}

impl<W> Batch<W> {
    fn into_pieces(self) -> impl Iterator<Item = QueuedPiece<W>> {
        self.works.into_iter().zip(self.tickets).map(|(work, ticket)| QueuedPiece { work, ticket })
    }
}

impl<W> Default for Orders<W> {
    fn default() -> Self {
        Self {
            calls: SmallVec::new(),
            returns: SmallVec::new(),
            room: Vec::new(),
            tick_after: None,
        }
    }
}

fn seconds(now: Duration) -> f64 {
    now.as_secs_f64()
}

impl<W> Distributor<W> {
    pub(super) fn new(
        queue: WorkQueue<W>,
        workers: WorkerTable,
        profiler: Profiler,
        most_tries: u32,
    ) -> Self {
        Self {
            queue,
            workers,
            profiler,
            counts: PieceCounts::default(),
            most_tries,
            is_busy: false,
            is_closed: false,
            nobody: None,
            armed: None,
        }
    }

    pub(super) fn submit(
        &mut self,
        pieces: impl Iterator<Item = (W, Home<W>)>,
        now: Duration,
    ) -> Orders<W> {
        let mut orders = Orders::default();
        for (work, home) in pieces {
            self.counts.submitted += 1;
            let refused = if let Some(why) = &self.nobody {
                Err((work, home, WhyUndone::NobodyLeft(why.clone())))
            } else if self.is_closed {
                Err((work, home, WhyUndone::Stopped))
            } else {
                let piece = QueuedPiece { work, ticket: WorkTicket::new(home) };
                let pushed = self.queue.push(piece);
                pushed.map_err(|piece| (piece.work, piece.ticket.home, WhyUndone::Full))
            };
            if let Err((work, home, why)) = refused {
                self.counts.undone += 1;
                orders.returns.push((home, Err(Undone { work, why })));
            }
        }
        self.settle(&mut orders, now);
        orders
    }

    /// Has `waiter` told when there is room in the queue, or none will come to be any more.
    pub(super) fn wait_for_room(&mut self, waiter: Reply<()>, now: Duration) -> Orders<W> {
        self.queue.wait_for_room(waiter);
        let mut orders = Orders::default();
        self.settle(&mut orders, now);
        orders
    }

    /// A worker looks for something to do.
    pub(super) fn take(&mut self, member: usize, now: Duration) -> (Taken<W>, Orders<W>) {
        let mut orders = Orders::default();
        if self.workers.is_gone(member) || self.is_over() {
            return (Taken::End, orders);
        }
        if self.workers.is_condemned(member) {
            let why = "failed too often at what others can do";
            return (Taken::LeftOut, self.gone(member, Some(why.into()), now));
        }
        let taken = self.hand_out(member, now).map_or(Taken::Nothing, Taken::Batch);
        self.settle(&mut orders, now);
        (taken, orders)
    }

    fn hand_out(&mut self, member: usize, now: Duration) -> Option<Batch<W>> {
        let pieces = self.queue.take(&self.workers, self.profiler.counts(), member);
        if pieces.is_empty() {
            self.workers.rest(member);
            return None;
        }
        self.workers.begin(member, pieces.len(), seconds(now));
        let count = pieces.len();
        let (mut works, mut tickets) =
            (SmallVec::with_capacity(count), SmallVec::with_capacity(count));
        for piece in pieces {
            works.push(piece.work);
            tickets.push(piece.ticket);
        }
        Some(Batch { works, tickets })
    }

    /// A worker has done all it had taken. `true`: it is to come again.
    pub(super) fn done(
        &mut self,
        member: usize,
        batch: Batch<W>,
        now: Duration,
    ) -> (Orders<W>, bool) {
        let mut orders = Orders::default();
        self.took_back(member, batch, &mut orders, now);
        let more = self.rest_unless_needed(member);
        self.settle(&mut orders, now);
        (orders, more)
    }

    /// As [`done`](Self::done); what is next it gets at once, if that goes back together with what
    /// it has done: so there is nobody yet who would have to be let in before.
    pub(super) fn done_and_next(
        &mut self,
        member: usize,
        batch: Batch<W>,
        now: Duration,
    ) -> (Orders<W>, NextWork<W>) {
        let goes_on = batch.tickets.last().is_some_and(|last| self.queue.goes_on(&last.home));
        if !goes_on {
            let (orders, more) = self.done(member, batch, now);
            return (orders, if more { NextWork::More } else { NextWork::Nothing });
        }
        let mut orders = Orders::default();
        self.took_back(member, batch, &mut orders, now);
        let next = self.hand_out(member, now).map_or(NextWork::Nothing, NextWork::Batch);
        self.settle(&mut orders, now);
        (orders, next)
    }

    fn took_back(&mut self, member: usize, batch: Batch<W>, orders: &mut Orders<W>, now: Duration) {
        let went = self.workers.went(member, seconds(now));
        self.counts.done += went.pieces as u64;
        orders.returns.reserve(went.pieces);
        for piece in batch.into_pieces() {
            for &other in piece.ticket.failed_by.iter().filter(|other| **other != member) {
                self.workers.strike(other);
            }
            orders.returns.push((piece.ticket.home, Ok(piece.work)));
        }
        self.profiler.went(went, seconds(now), &self.workers);
    }

    /// A worker has failed at what it had taken. `stays`: it can be given other pieces. Returns
    /// what is to be done, and whether it is to come again.
    pub(super) fn failed(
        &mut self,
        member: usize,
        batch: Batch<W>,
        error: &WorkerError,
        stays: bool,
        now: Duration,
    ) -> (Orders<W>, bool) {
        let mut orders = Orders::default();
        self.workers.failed(member);
        if !stays {
            self.workers.absent(member);
            self.profiler.staffed(seconds(now), &self.workers);
            self.profiler.disturbed();
        }
        // WHY not else: a failure of one who stays is a part of what the configuration costs, and
        // windows must close where some pieces always fail.
        let counts = batch.works.len() == 1 && !error.is_of_surroundings();
        let kind = self.workers.kind(member);
        for mut piece in batch.into_pieces() {
            if counts {
                piece.ticket.tries += 1;
                piece.ticket.failed_at |= 1 << kind;
                piece.ticket.note_failed_by(member);
            }
            let tries = piece.ticket.tries;
            if tries >= self.most_tries
                && self.workers.has_failed_everywhere(piece.ticket.failed_at)
            {
                let why = WhyUndone::Failed { tries, last: error.clone() };
                self.counts.undone += 1;
                orders.returns.push((piece.ticket.home, Err(Undone { work: piece.work, why })));
            } else {
                self.queue.put_back(piece);
            }
        }
        let more = stays && self.rest_unless_needed(member);
        self.settle(&mut orders, now);
        (orders, more)
    }

    /// A worker has been made.
    pub(super) fn came(
        &mut self,
        member: usize,
        most_at_once: usize,
        device: Option<String>,
        now: Duration,
    ) -> (Orders<W>, bool) {
        let mut orders = Orders::default();
        if self.workers.is_gone(member) {
            return (orders, false);
        }
        self.workers.tally_mut(self.workers.kind(member)).device = device;
        self.workers.came(member, most_at_once);
        self.profiler.staffed(seconds(now), &self.workers);
        let more = self.rest_unless_needed(member);
        self.settle(&mut orders, now);
        (orders, more)
    }

    /// A worker could not be made, and will be tried to be made again.
    pub(super) fn absent(&mut self, member: usize, now: Duration) -> Orders<W> {
        let mut orders = Orders::default();
        self.workers.tally_mut(self.workers.kind(member)).failures += 1;
        self.workers.absent(member);
        self.profiler.staffed(seconds(now), &self.workers);
        self.settle(&mut orders, now);
        orders
    }

    /// A worker will not come back: it has failed too often (`why`), or its theater has ended it.
    pub(super) fn gone(&mut self, member: usize, why: Option<String>, now: Duration) -> Orders<W> {
        let mut orders = Orders::default();
        if self.workers.is_gone(member) {
            return orders;
        }
        if why.is_some() {
            self.workers.tally_mut(self.workers.kind(member)).failures += 1;
        }
        self.workers.gone(member, why.clone().unwrap_or_else(|| "its theater has ended".into()));
        self.profiler.staffed(seconds(now), &self.workers);
        if self.workers.is_empty() {
            self.nobody = why.clone();
            self.is_closed = true;
            let reason = || why.clone().map_or(WhyUndone::Stopped, WhyUndone::NobodyLeft);
            self.give_all_back(&mut orders, reason);
        }
        self.settle(&mut orders, now);
        orders
    }

    /// Somebody has asked for a new profile.
    pub(super) fn profile(&mut self, now: Duration) -> Orders<W> {
        let mut orders = Orders::default();
        self.profiler.ask(seconds(now), &self.workers);
        self.settle(&mut orders, now);
        orders
    }

    /// Time has passed: the moment `at` has come.
    pub(super) fn tick(&mut self, at: f64, now: Duration) -> Orders<W> {
        let mut orders = Orders::default();
        if self.armed == Some(at) {
            self.armed = None;
        }
        self.profiler.look(seconds(now), &self.workers);
        self.settle(&mut orders, now);
        orders
    }

    /// Nothing will be submitted any more. `at_once`: what waits comes back as it is. The workers
    /// that are told end when nothing is left.
    pub(super) fn close(&mut self, at_once: bool, now: Duration) -> Orders<W> {
        let mut orders = Orders::default();
        self.is_closed = true;
        if at_once {
            self.give_all_back(&mut orders, || WhyUndone::Stopped);
        }
        self.settle(&mut orders, now);
        orders
    }

    /// Whether nothing will ever be done any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_closed && !self.has_pieces()
    }

    fn has_pieces(&self) -> bool {
        self.queue.len() > 0 || self.workers.in_hand() > 0
    }

    fn give_all_back(&mut self, orders: &mut Orders<W>, why: impl Fn() -> WhyUndone) {
        for piece in self.queue.take_all() {
            self.counts.undone += 1;
            let undone = Undone { work: piece.work, why: why() };
            orders.returns.push((piece.ticket.home, Err(undone)));
        }
        orders.room.append(&mut self.queue.let_all_go());
    }

    /// Whether a worker that has nothing in hand is to look for something; if not, it is idle.
    fn rest_unless_needed(&mut self, member: usize) -> bool {
        let counts = self.profiler.counts();
        if self.is_over() || self.queue.has_for(&self.workers, counts, member) {
            return true;
        }
        self.workers.rest(member);
        false
    }

    /// What follows from any change.
    fn settle(&mut self, orders: &mut Orders<W>, now: Duration) {
        let has_pieces = self.has_pieces();
        if has_pieces != self.is_busy {
            self.is_busy = has_pieces;
            if has_pieces {
                self.profiler.begun(seconds(now), &self.workers);
            } else {
                self.profiler.quiet(seconds(now), &self.workers);
            }
        }
        self.call(orders);
        orders.room.append(&mut self.queue.relieved());
        if !has_pieces {
            // Who was told before may have submitted nothing, and nothing else happens from here on
            // that would have another one told.
            orders.room.append(&mut self.queue.let_all_go());
        }
        if self.is_over() {
            orders.calls.extend(self.workers.call_all_idle());
        }
        let next = self.profiler.next_look();
        if next != self.armed {
            self.armed = next;
            orders.tick_after = next.map(|at| ((at - seconds(now)).max(0.0), at));
        }
    }

    /// Rule 2.
    fn call(&mut self, orders: &mut Orders<W>) {
        if !self.workers.has_idle() || self.queue.len() == 0 {
            return;
        }
        let counts = self.profiler.counts();
        for piece in self.queue.suspects() {
            let Some(member) = self.workers.idle_for(counts, piece.ticket.failed_at) else {
                continue;
            };
            self.workers.call(member);
            orders.calls.push(member);
        }
        let mut wanting = self.queue.fresh().saturating_sub(self.workers.called(counts));
        while wanting > 0 {
            let Some(member) = self.workers.next_idle(counts) else { break };
            self.workers.call(member);
            orders.calls.push(member);
            wanting -= 1;
        }
    }
}
