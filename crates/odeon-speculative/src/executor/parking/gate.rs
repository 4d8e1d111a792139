//! What waits for one guard: a few jobs that are tried, and behind them those that are not.
//!
//! A guard says the same for all messages of its mailbox. If each of them waited by itself, each
//! commit that the guard may care about would have all of them tried again.
//!
//! RULES
//! 1. A *scout* is a job that was refused and waits for the guard by itself, or has done so, or was
//!    let go on by another one, and has not come past the guard.
//! 2. A job that is refused while there is another scout of its mailbox stands behind it. So
//!    whoever stands here has a scout before it.
//! 3. A scout that comes past has the next [`FOLLOWERS`] tried, which are scouts then. So a guard
//!    that has opened wide is soon used by as many as there are.
//! 4. The last scout waits by itself, for the guard's reads to change. What it has read is, or will
//!    be found to have changed from, what those behind it have read: if they would be let in, so
//!    would it.

use crate::executor::job::Job;
use std::collections::VecDeque;

/// TUNE: jobs that are tried when one has come past its guard. Two are the fewest of which more and
/// more are tried.
pub(super) const FOLLOWERS: usize = 2;

/// The guards of one actor, by mailbox: as many as have refused somebody.
pub(super) struct Gates<M>(Vec<Gate<M>>);

struct Gate<M> {
    scouts: usize,
    behind: VecDeque<Job<M>>,
}

impl<M> Default for Gates<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M> Gates<M> {
    fn of(&mut self, mailbox: u8) -> &mut Gate<M> {
        let at = usize::from(mailbox);
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || Gate { scouts: 0, behind: VecDeque::new() });
        }
        &mut self.0[at]
    }

    /// Rules 2 and 4: a job was refused; answers it if it waits by itself.
    pub(super) fn refused(&mut self, mut job: Job<M>) -> Option<Job<M>> {
        let gate = self.of(job.mailbox);
        let was_scout = std::mem::take(&mut job.is_scout);
        let others = gate.scouts - usize::from(was_scout);
        if others == 0 {
            gate.scouts = 1;
            return Some(Job { is_scout: true, ..job });
        }
        gate.scouts = others;
        if was_scout {
            gate.behind.push_front(job);
        } else {
            gate.behind.push_back(job);
        }
        None
    }

    /// Rule 3: a job that is no scout any more has come past; answers who is to be tried.
    pub(super) fn passed(&mut self, mailbox: u8) -> [Option<Job<M>>; FOLLOWERS] {
        let gate = self.of(mailbox);
        gate.scouts -= 1;
        std::array::from_fn(|_| {
            let next = gate.behind.pop_front()?;
            gate.scouts += 1;
            Some(Job { is_scout: true, ..next })
        })
    }

    /// All are to be tried: this one is a scout no more, if it was. Those that are being tried
    /// still are.
    pub(super) fn give_up(&mut self, job: &mut Job<M>) {
        if std::mem::take(&mut job.is_scout) {
            self.of(job.mailbox).scouts -= 1;
        }
    }

    /// All that stand behind scouts.
    pub(super) fn drain(&mut self) -> Vec<Job<M>> {
        self.0.iter_mut().flat_map(|gate| gate.behind.drain(..)).collect()
    }
}

#[cfg(test)]
mod tests;
