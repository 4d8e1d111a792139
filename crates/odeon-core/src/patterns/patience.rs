//! How long the messages of join patterns are held.

use std::time::Duration;

use super::SelectorContext;
use crate::lifecycle::timer::Timer;

/// Looks after the message that has been held longest: a timer runs as long as there is one.
pub(super) struct Patience<M> {
    limit: Duration,
    tell: fn(u64) -> M,
    /// By mailbox: since when the message is held that is held now, or was last.
    since: Vec<Duration>,
    wait: Option<PatienceWait>,
    /// The number of the wait that is under way, or was last. The time at which a wait begins, or
    /// more: so it is another one after a restart too, when the message of an older timer may still
    /// be waiting in a mailbox.
    number: u64,
}

struct PatienceWait {
    /// Since when the message is held that is waited for.
    since: Duration,
    timer: Timer,
}

impl<M> Patience<M> {
    pub(super) fn new(limit: Duration, tell: fn(u64) -> M) -> Self {
        Self { limit, tell, since: Vec::new(), wait: None, number: 0 }
    }

    /// A message of this mailbox is held from here on.
    pub(super) fn holds(&mut self, mailbox: usize, ctx: &impl SelectorContext<Msg = M>) {
        if self.since.len() <= mailbox {
            self.since.resize(mailbox + 1, Duration::ZERO);
        }
        let now = ctx.now();
        self.since[mailbox] = now;
        if self.wait.is_none() {
            self.begin(now, now, ctx);
        }
    }

    /// Messages of some mailboxes have been taken; `held`: those that are still held, one bit each.
    pub(super) fn holds_still(&mut self, held: u64, ctx: &impl SelectorContext<Msg = M>) {
        let is_held = |(mailbox, _): &(usize, &Duration)| held & (1 << mailbox) != 0;
        let oldest = self.since.iter().enumerate().filter(is_held).map(|(_, since)| *since).min();
        match oldest {
            None => self.end(),
            Some(oldest) if self.wait.as_ref().is_some_and(|wait| wait.since == oldest) => {}
            Some(oldest) => self.begin(oldest, ctx.now(), ctx),
        }
    }

    fn begin(&mut self, since: Duration, now: Duration, ctx: &impl SelectorContext<Msg = M>) {
        self.end();
        let nanoseconds = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.number = nanoseconds.max(self.number.wrapping_add(1));
        let left = since.saturating_add(self.limit).saturating_sub(now);
        let timer = ctx.arm(left, (self.tell)(self.number));
        self.wait = Some(PatienceWait { since, timer });
    }

    /// Whether the time of the wait with this number is over: then none is under way.
    pub(super) fn is_over(&mut self, number: u64) -> bool {
        number == self.number && self.wait.take().is_some()
    }

    fn end(&mut self) {
        if let Some(PatienceWait { timer, .. }) = self.wait.take() {
            // If it has fired, its message has an old number.
            timer.cancel();
        }
    }
}

impl<M> Drop for Patience<M> {
    fn drop(&mut self) {
        self.end();
    }
}
