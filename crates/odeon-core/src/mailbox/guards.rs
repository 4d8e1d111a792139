//! Which mailboxes of an actor are open; owner's side, no atomics.

use crate::mailbox::written_guards::WrittenGuards;

/// The guards of an actor's mailboxes, and where the message that is being handled has waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guards {
    /// One bit for each mailbox; those beyond the last are set as the first ones were.
    open: u64,
    /// Mailboxes whose next messages are answers that the actor waits for. If there are any, no
    /// other is open.
    awaited: u64,
    /// What will be open when they have come.
    afterwards: u64,
    /// What was awaited before the answer that was taken last; 0 if there is none to be settled.
    before_answer: u64,
    /// How many answers are missing.
    answers: u32,
    /// The mailbox of the message that is being handled, or was last.
    current: u8,
    /// Whether the actor stops, instead of failing, when all are closed and nothing could open one.
    stops: bool,
    /// Whether the actor has been asked how it selects; that is in force then.
    selects: bool,
}

impl Guards {
    pub(crate) const ALL_OPEN: Self = Self {
        open: u64::MAX,
        awaited: 0,
        afterwards: 0,
        before_answer: 0,
        answers: 0,
        current: 0,
        stops: false,
        selects: false,
    };

    /// What calls of handlers change: while answers are awaited, what will be open afterwards.
    #[inline(always)]
    fn changed(&mut self) -> &mut u64 {
        if self.awaited == 0 { &mut self.open } else { &mut self.afterwards }
    }

    #[inline(always)]
    pub(crate) fn open(&mut self, mailbox: usize) {
        *self.changed() |= 1 << mailbox;
    }

    #[inline(always)]
    pub(crate) fn close(&mut self, mailbox: usize) {
        *self.changed() &= !(1 << mailbox);
    }

    /// Of these mailboxes, one bit each, opens those in `open`, and closes the others.
    #[inline(always)]
    pub(crate) fn set(&mut self, mailboxes: u64, open: u64) {
        let guards = self.changed();
        *guards = *guards & !mailboxes | open;
    }

    /// Opens these mailboxes, one bit each.
    #[inline(always)]
    pub(crate) fn open_all_of(&mut self, mailboxes: u64) {
        *self.changed() |= mailboxes;
    }

    /// Opens these mailboxes, one bit each, and closes all others.
    #[inline(always)]
    pub(crate) fn open_only(&mut self, mailboxes: u64) {
        *self.changed() = mailboxes;
    }

    #[inline(always)]
    pub(crate) fn is_open(self, mailbox: usize) -> bool {
        self.open & (1 << mailbox) != 0
    }

    /// The open mailboxes, one bit each.
    #[inline(always)]
    pub(crate) fn open_bits(self) -> u64 {
        self.open
    }

    /// Whether none of the first `mailboxes` is open.
    #[inline(always)]
    pub(crate) fn are_all_closed(self, mailboxes: usize) -> bool {
        self.open << (u64::BITS as usize - mailboxes) == 0
    }

    #[inline(always)]
    pub(crate) fn current(self) -> usize {
        self.current.into()
    }

    /// A message of `mailbox` is about to be handled. The last answer that was awaited opens what
    /// it had closed.
    #[inline(always)]
    pub(crate) fn begin(&mut self, mailbox: usize) {
        self.current = mailbox as u8;
        if self.awaited != 0 {
            self.answered(mailbox);
        }
    }

    #[cold]
    fn answered(&mut self, mailbox: usize) {
        debug_assert!(self.awaited & (1 << mailbox) != 0, "nothing else is open");
        self.before_answer = self.awaited;
        self.answers -= 1;
        if self.answers == 0 {
            (self.open, self.awaited) = (self.afterwards, 0);
        }
    }

    /// An answer that the actor may be waiting for in `mailbox` will not come.
    pub(crate) fn give_up_answer(&mut self, mailbox: usize) {
        if self.awaited & (1 << mailbox) != 0 {
            self.answered(mailbox);
            self.before_answer = 0;
        }
    }

    /// If the message that was taken last is an answer: whether it is handled, or only looked at
    /// and waits again.
    pub(crate) fn settle_answer(&mut self, handled: bool) {
        let awaited = std::mem::take(&mut self.before_answer);
        if handled || awaited == 0 {
            return;
        }
        if self.awaited == 0 {
            self.afterwards = self.open;
        }
        self.answers += 1;
        (self.awaited, self.open) = (awaited, awaited);
    }

    /// As it can be written down; what is of the message being handled is not.
    pub(crate) fn written(self) -> WrittenGuards {
        let Self { open, awaited, afterwards, answers, .. } = self;
        WrittenGuards { open, awaited, afterwards, answers }
    }

    /// What was [written](Self::written), made consistent.
    pub(crate) fn read(written: WrittenGuards) -> Self {
        let WrittenGuards { open, awaited, afterwards, answers } = written;
        // It may come from elsewhere, and is added to.
        let answers = answers.min(u32::MAX / 2);
        if awaited == 0 || answers == 0 {
            return Self { open, ..Self::ALL_OPEN };
        }
        Self { open: awaited, awaited, afterwards, answers, ..Self::ALL_OPEN }
    }

    /// What the actor's selection says is in force from here on; `stops`: what it says of all
    /// mailboxes being closed.
    pub(crate) fn begin_selection(&mut self, stops: bool) {
        (self.stops, self.selects) = (stops, true);
    }

    pub(crate) fn has_selection(self) -> bool {
        self.selects
    }

    pub(crate) fn stops_when_all_closed(self) -> bool {
        self.stops
    }

    /// The actor waits for one more answer in `mailbox`: nothing but answers is open until all have
    /// come.
    pub(crate) fn await_answer(&mut self, mailbox: usize) {
        if self.awaited == 0 {
            self.afterwards = self.open;
        }
        self.awaited |= 1 << mailbox;
        self.answers += 1;
        self.open = self.awaited;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_that_is_set_twice_is_set_once() {
        let mut guards = Guards::ALL_OPEN;
        guards.open(3);
        assert_eq!(guards, Guards::ALL_OPEN);
        guards.close(3);
        let closed = guards;
        guards.close(3);
        guards.set(1 << 3, 0);
        assert_eq!(guards, closed);
        guards.set(1 << 3, 1 << 3);
        assert_eq!(guards, Guards::ALL_OPEN);
    }

    #[test]
    fn all_are_closed_when_the_mailboxes_that_there_are_are() {
        for mailboxes in 1..=64 {
            let mut guards = Guards::ALL_OPEN;
            for mailbox in 0..mailboxes {
                assert!(!guards.are_all_closed(mailboxes));
                guards.close(mailbox);
            }
            assert!(guards.are_all_closed(mailboxes));
        }
    }

    #[test]
    fn until_the_last_answer_nothing_else_is_open_and_then_what_was_asked_for_meanwhile() {
        let mut guards = Guards::ALL_OPEN;
        guards.close(5);
        guards.await_answer(1);
        guards.await_answer(2);
        guards.open(5);
        guards.close(6);
        let open =
            |guards: Guards| (0..8).filter(|mailbox| guards.is_open(*mailbox)).collect::<Vec<_>>();
        assert_eq!(open(guards), [1, 2]);
        guards.begin(2);
        assert_eq!(open(guards), [1, 2]);
        guards.begin(1);
        assert_eq!(open(guards), [0, 1, 2, 3, 4, 5, 7]);
        guards.begin(1);
        assert_eq!(open(guards), [0, 1, 2, 3, 4, 5, 7]);
    }
}
