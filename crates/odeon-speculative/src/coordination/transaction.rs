//! A coordinated transaction as all see it: who is there, who is awaited, who goes on with it.
//!
//! RULES
//! 1. The *driver* knows what has arrived, and how far it has been handled. It lies here while
//!    nothing can be done; who can do something takes it, runs it ([`TransactionDriver::go_on`]),
//!    and brings it back or ends it. So one thread at a time has it.
//! 2. Whoever has news for it while somebody runs it leaves them here; they are looked at, under
//!    the lock, before the driver is laid down. So no news is left lying with it.
//! 3. The first messages all arrive before any of them is handled. A rollback makes all further
//!    messages void, also those under way, and a new round begins when these have arrived: so a
//!    message does not overtake an earlier one.
//! 4. No lock of a board is taken under this lock, nor the other way round.
//! 5. Who goes on with it calls handlers and commits: so not on a thread on which that may be under
//!    way already, or which is a user's. A message is lost wherever somebody drops it, and a change
//!    is made where somebody commits: there it is left to an executor of one of its actors.

use super::driver::TransactionDriver;
use super::outcome::CoordinationError;
use super::part::{Decider, Part, PartOrder};
use super::precedence::Precedence;
use crate::executor::enlistment::Role;
use crate::executor::participant::{Awaits, Participant};
use crate::executor::visiting::{VisitEnd, Visiting};
use odeon_core::extend::{Congests, Suspends};
use odeon_core::{Reply, Timer};
use odeon_sync::atomic::AtomicBool;
use odeon_sync::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// See the module.
pub(crate) struct Coordination {
    number: u64,
    /// Whether its handlers are being called, or it waits between them.
    is_on_its_way: AtomicBool,
    /// If it is a part of one that several theaters have in common: who decides. Set from the
    /// beginning, or by who runs the driver, between two rounds.
    decider: OnceLock<Arc<dyn Decider>>,
    shared: Mutex<TransactionState>,
}

struct TransactionState {
    /// Here while nothing can be done.
    driver: Option<Box<TransactionDriver>>,
    news: News,
    /// Messages that were sent in this theater, or with which it began, and have not arrived.
    expected: usize,
    from_elsewhere: FromElsewhere,
    round: u32,
    /// Where it is gone on with if nobody does.
    post: Option<Post>,
    is_over: bool,
    reply: Option<Reply<Result<(), CoordinationError>>>,
    deadline: Option<Timer>,
    /// Until it is decided, if it was begun by somebody who can be held back.
    congests: Option<Congests>,
}

/// What was joined elsewhere.
#[derive(Default)]
struct FromElsewhere {
    /// By rounds, how many messages have come to this theater, and not to their actors.
    expected: BTreeMap<u32, usize>,
    /// Rounds up to this one are over: their messages are void, and no news.
    over: u32,
}

impl FromElsewhere {
    /// Whether a message of this round is on its way to its actor, and is not void.
    fn is_awaited(&self, round: u32) -> bool {
        round > self.over && self.expected.contains_key(&round)
    }

    fn is_there(&mut self, round: u32) {
        if let Some(expected) = self.expected.get_mut(&round) {
            *expected -= 1;
            if *expected == 0 {
                self.expected.remove(&round);
            }
        }
    }
}

/// Where a part's driver runs.
struct Post {
    participant: Arc<dyn Participant>,
    /// Whether one of the messages with which it began is there, which each round has.
    is_of_first: bool,
}

/// What has happened since the driver was last looked at.
#[derive(Default)]
pub(super) struct News {
    /// What has arrived, and where it belongs among the first messages.
    pub(super) arrived: Vec<(Role, Box<dyn Visiting>)>,
    pub(super) failed: Option<CoordinationError>,
    /// It must not wait with anything in its hands.
    pub(super) gives_way: bool,
    /// Likewise, of a part in these rounds.
    pub(super) gives_way_in: Vec<u32>,
    /// What a part is to do.
    pub(super) orders: Vec<PartOrder>,
    /// What it has waited for has happened.
    is_resumed: bool,
    /// A message of an earlier round has arrived, or was lost. News only for a driver that waits
    /// for the last one of these: another one would begin again, and send the next such message,
    /// for as long as it has to wait.
    is_drained: bool,
}

impl News {
    /// Whether somebody has to look at the driver.
    fn are_there(&self) -> bool {
        let is_told = self.failed.is_some() || self.gives_way || !self.orders.is_empty();
        is_told || !self.gives_way_in.is_empty() || !self.arrived.is_empty() || self.is_resumed
    }
}

/// What a driver does that can do nothing.
pub(super) enum Rest {
    /// It lies down.
    Rests,
    /// There are news.
    GoesOn(Box<TransactionDriver>, News),
}

/// The last number; 0 is nobody's. Of `std` also in models: it only tells transactions apart.
static LAST: AtomicU64 = AtomicU64::new(0);

impl Coordination {
    /// A transaction that begins with this many messages.
    pub(crate) fn new(
        messages: usize,
        reply: Option<Reply<Result<(), CoordinationError>>>,
        congests: Option<Congests>,
    ) -> Arc<Self> {
        Self::with(messages, reply, congests, OnceLock::new())
    }

    /// A theater's part in one that several have in common.
    pub(super) fn part(messages: usize, decider: Arc<dyn Decider>) -> Arc<Self> {
        Self::with(messages, None, None, OnceLock::from(decider))
    }

    fn with(
        messages: usize,
        reply: Option<Reply<Result<(), CoordinationError>>>,
        congests: Option<Congests>,
        decider: OnceLock<Arc<dyn Decider>>,
    ) -> Arc<Self> {
        // ORDERING: Relaxed: the numbers are to differ.
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let shared = Mutex::new(TransactionState {
            driver: Some(Box::new(TransactionDriver::new())),
            news: News::default(),
            expected: messages,
            from_elsewhere: FromElsewhere::default(),
            round: 0,
            post: None,
            is_over: false,
            reply,
            deadline: None,
            congests,
        });
        Arc::new(Self { number, is_on_its_way: AtomicBool::new(false), decider, shared })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Who decides, if it is a part.
    pub(super) fn decider(&self) -> Option<&Arc<dyn Decider>> {
        self.decider.get()
    }

    /// It becomes a part, and its driver is at this participant. Answers who waits for its outcome,
    /// who is to learn it from the decider.
    pub(super) fn becomes_part(
        &self,
        participant: Arc<dyn Participant>,
        decider: impl FnOnce(Option<Reply<Result<(), CoordinationError>>>) -> Option<Arc<dyn Decider>>,
    ) -> bool {
        let mut shared = self.lock();
        shared.post = Some(Post { participant, is_of_first: true });
        let reply = shared.reply.take();
        drop(shared);
        decider(reply).is_some_and(|decider| self.decider.set(decider).is_ok())
    }

    /// Of a part: it is to do this, which an executor of one of its actors does.
    pub(super) fn order(self: &Arc<Self>, order: PartOrder) {
        let mut shared = self.lock();
        if shared.is_over {
            return;
        }
        shared.news.orders.push(order);
        let participant = shared.post.as_ref().map(|post| post.participant.clone());
        drop(shared);
        // A part may have no message here: then it has no handlers to call.
        let awaits = Awaits { place: false, holds: true };
        let is_deferred = participant.is_some_and(|it| it.defer_visitor(self.clone(), awaits));
        if !is_deferred {
            self.go_on();
        }
    }

    /// Whether its first messages only wait for what is still to arrive: others, or those that a
    /// rollback has made void. Who waits behind one of them then may be waited for there.
    pub(crate) fn gathers(&self) -> bool {
        // ORDERING: Relaxed: looked at under the lock of a board, which whoever makes it true takes
        // afterwards (`TransactionDriver::roll_back`). Who sees too late that it is on its way
        // passes one that it need not have passed.
        !self.is_on_its_way.load(Ordering::Relaxed)
    }

    pub(super) fn set_on_its_way(&self, is_on_its_way: bool) {
        // ORDERING: Relaxed: as in `gathers`.
        self.is_on_its_way.store(is_on_its_way, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, TransactionState> {
        self.shared.lock().expect("no panic happens under the lock of a transaction")
    }

    pub(super) fn set_deadline(&self, timer: Timer) {
        let mut shared = self.lock();
        if !shared.is_over {
            shared.deadline = Some(timer);
        }
    }

    /// The time is over.
    pub(super) fn expire(self: &Arc<Self>) {
        match self.decider() {
            Some(decider) => decider.expires(),
            None => self.fail(CoordinationError::Deadline),
        }
    }

    /// A message of it waits behind one that waits for a change itself: nobody may hold back until
    /// it has arrived.
    pub(super) fn suspend(&self) -> Option<Suspends> {
        self.lock().congests.as_ref().map(Congests::suspend)
    }

    /// A message has arrived.
    pub(super) fn arrive(self: &Arc<Self>, round: u32, place: Role, visit: Box<dyn Visiting>) {
        let mut shared = self.lock();
        let is_void = match place {
            // Rounds of all theaters are another matter.
            Role::JoinedElsewhere(round) => {
                shared.from_elsewhere.is_there(round);
                round <= shared.from_elsewhere.over
            }
            Role::First(_) | Role::Joined => {
                shared.expected -= 1;
                round < shared.round
            }
        };
        let void = if shared.is_over || is_void {
            shared.news.is_drained = true;
            Some(visit)
        } else {
            let is_of_first = matches!(place, Role::First(_));
            let is_better = is_of_first || !shared.post.as_ref().is_some_and(|it| it.is_of_first);
            if self.decider().is_some() && is_better {
                shared.post = Some(Post { participant: visit.shared_participant(), is_of_first });
            }
            shared.news.arrived.push((place, visit));
            None
        };
        drop(shared);
        if let Some(visit) = void {
            visit.end(VisitEnd::Void);
        }
        self.go_on();
    }

    /// A message was lost: its actor has ended, or somebody has dropped it, wherever that was.
    pub(super) fn lose(self: &Arc<Self>, round: u32, place: Role) {
        let mut shared = self.lock();
        if let Role::JoinedElsewhere(round) = place {
            shared.from_elsewhere.is_there(round);
            shared.news.is_drained = true;
            let is_void = shared.is_over || round <= shared.from_elsewhere.over;
            drop(shared);
            if let (Some(decider), false) = (self.decider(), is_void) {
                decider.has_lost(round);
            }
            return self.be_gone_on_with();
        }
        shared.expected -= 1;
        if shared.is_over || round < shared.round {
            shared.news.is_drained = true;
        } else {
            shared.news.failed.get_or_insert(CoordinationError::Stopped);
        }
        drop(shared);
        self.be_gone_on_with();
    }

    /// It can never commit.
    pub(crate) fn fail(self: &Arc<Self>, why: CoordinationError) {
        if self.has_failed(why) {
            self.go_on();
        }
    }

    /// The same, where a handler may be in the middle, or a commit.
    pub(super) fn fail_elsewhere(self: &Arc<Self>, why: CoordinationError) {
        if self.has_failed(why) {
            self.be_gone_on_with();
        }
    }

    fn has_failed(&self, why: CoordinationError) -> bool {
        let mut shared = self.lock();
        if !shared.is_over {
            shared.news.failed.get_or_insert(why);
        }
        !shared.is_over
    }

    /// A message of this round waits behind one that waits itself.
    pub(super) fn give_way(self: &Arc<Self>, round: u32, place: Role) {
        let mut shared = self.lock();
        match place {
            _ if shared.is_over => return,
            // One that has been handled meanwhile need not wait; and its part may be prepared, and
            // nothing be under way.
            Role::JoinedElsewhere(round) if !shared.from_elsewhere.is_awaited(round) => return,
            Role::JoinedElsewhere(round) => shared.news.gives_way_in.push(round),
            _ if shared.round != round => return,
            _ => shared.news.gives_way = true,
        }
        drop(shared);
        self.go_on();
    }

    /// Another one has got the precedence that this one had.
    pub(super) fn let_go(self: &Arc<Self>) {
        let mut shared = self.lock();
        if shared.is_over {
            return;
        }
        shared.news.gives_way = true;
        drop(shared);
        self.go_on();
    }

    /// What a part has waited for has happened, of which no message is here.
    pub(super) fn has_decider_go_on(self: &Arc<Self>) {
        if let Some(decider) = self.decider() {
            decider.may_go_on(Part::of(self));
        }
    }

    /// What it has waited for has happened. Rule 2: who is about to lay it down sees it.
    pub(crate) fn resume(self: &Arc<Self>) {
        let mut shared = self.lock();
        shared.news.is_resumed = true;
        drop(shared);
        self.go_on();
    }

    /// Rule 1: runs the driver, if it lies here and there is something to do.
    fn go_on(self: &Arc<Self>) {
        let mut shared = self.lock();
        let Some(driver) = shared.take_if_due() else { return };
        let news = std::mem::take(&mut shared.news);
        drop(shared);
        driver.go_on(self, news);
    }

    /// Rule 5: the same, by an executor of one of its actors. If none of these is there it has no
    /// handlers to call, and goes on here.
    fn be_gone_on_with(self: &Arc<Self>) {
        let participants = self.lock().participants_if_due();
        let awaits = Awaits { place: false, holds: true };
        let is_deferred = participants.iter().any(|it| it.defer_visitor(self.clone(), awaits));
        if !is_deferred {
            self.go_on();
        }
    }

    /// Rule 2: lays the driver down.
    pub(super) fn rest(&self, driver: Box<TransactionDriver>) -> Rest {
        let mut shared = self.lock();
        shared.driver = Some(driver);
        match shared.take_if_due() {
            None => Rest::Rests,
            Some(driver) => Rest::GoesOn(driver, std::mem::take(&mut shared.news)),
        }
    }

    /// What has happened meanwhile, if anything has; and whether messages are under way.
    pub(super) fn look(&self) -> (Option<News>, bool) {
        let mut shared = self.lock();
        let news = shared.news.are_there().then(|| std::mem::take(&mut shared.news));
        (news, shared.expected > 0)
    }

    /// A message that was joined elsewhere in this round has come to this theater.
    pub(super) fn expect_from_elsewhere(&self, round: u32) {
        *self.lock().from_elsewhere.expected.entry(round).or_default() += 1;
    }

    /// Whether such messages are still on their way to their actors.
    pub(super) fn expects_from_elsewhere(&self) -> bool {
        !self.lock().from_elsewhere.expected.is_empty()
    }

    /// This round of all theaters is over, and those before it: what was joined elsewhere in them
    /// is void.
    pub(super) fn end_rounds(&self, last: u32) {
        let mut shared = self.lock();
        shared.from_elsewhere.over = shared.from_elsewhere.over.max(last);
        shared.news.gives_way_in.retain(|round| *round > last);
        let is_void =
            |(place, _): &(Role, _)| matches!(place, Role::JoinedElsewhere(it) if *it <= last);
        let arrived = std::mem::take(&mut shared.news.arrived);
        let (void, stays): (Vec<_>, Vec<_>) = arrived.into_iter().partition(is_void);
        shared.news.arrived = stays;
        drop(shared);
        void.into_iter().for_each(|(_, visit)| visit.end(VisitEnd::Void));
    }

    /// Messages are about to be sent: answers their round.
    pub(super) fn expect(&self, messages: usize) -> u32 {
        let mut shared = self.lock();
        shared.expected += messages;
        shared.round
    }

    /// Rule 3: a new round begins. What has arrived of the one before is returned; of what was
    /// joined elsewhere the driver knows whether that is void.
    pub(super) fn begin_round(&self) -> Vec<(Role, Box<dyn Visiting>)> {
        let mut shared = self.lock();
        shared.round += 1;
        shared.news.gives_way = false;
        let arrived = std::mem::take(&mut shared.news.arrived);
        let is_from_elsewhere = |(place, _): &(Role, _)| matches!(place, Role::JoinedElsewhere(_));
        let (stays, void) = arrived.into_iter().partition(is_from_elsewhere);
        shared.news.arrived = stays;
        void
    }

    /// It is decided. It may have `asked` for precedence. Answers who waits here for the outcome.
    pub(super) fn end(
        &self,
        outcome: &Result<(), CoordinationError>,
        asked: Option<&Precedence>,
    ) -> Option<Reply<Result<(), CoordinationError>>> {
        let mut shared = self.lock();
        shared.is_over = true;
        let news = std::mem::take(&mut shared.news);
        let (reply, deadline) = (shared.reply.take(), shared.deadline.take());
        let (congests, post) = (shared.congests.take(), shared.post.take());
        drop(shared);
        drop((congests, post));
        if let Some(precedence) = asked {
            precedence.give_up(self.number);
        }
        if let Some(timer) = deadline {
            timer.cancel();
        }
        news.arrived.into_iter().for_each(|(_, visit)| visit.end(VisitEnd::Void));
        if let (None, Some(decider)) = (&reply, self.decider()) {
            decider.is_over(self.number, outcome.clone());
        }
        reply
    }
}

impl TransactionState {
    /// The driver, if it lies here and can go on.
    fn take_if_due(&mut self) -> Option<Box<TransactionDriver>> {
        if self.is_due() { self.driver.take() } else { None }
    }

    /// The actors at which it has messages, if it lies here and can go on.
    fn participants_if_due(&self) -> Vec<Arc<dyn Participant>> {
        let Some(driver) = self.driver.as_ref().filter(|_| self.is_due()) else {
            return Vec::new();
        };
        let arrived = self.news.arrived.iter().map(|(_, visit)| visit.shared_participant());
        driver.participants().chain(arrived).collect()
    }

    fn is_due(&self) -> bool {
        let Some(driver) = &self.driver else { return false };
        let can_go_on = driver.has_begun() || self.expected == 0;
        let has_news = self.news.are_there() || self.news.is_drained && !driver.waits_for_others();
        let is_aborted = self.news.orders.iter().any(|order| matches!(order, PartOrder::Abort(_)));
        self.news.failed.is_some() || is_aborted || can_go_on && has_news
    }
}
