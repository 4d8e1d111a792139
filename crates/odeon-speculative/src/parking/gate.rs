//! What waits for one guard: a few jobs that are tried, and behind them those that are not.
//!
//! A guard says the same for all messages of its mailbox. If each of them waited by itself, each commit that the guard may care about would have all of them
//! tried again.
//!
//! RULES
//! 1. A *probe* is a job that was refused and waits for the guard by itself, or has done so, or was let go on by another one, and has not come past the guard.
//! 2. A job that is refused while there is another probe of its mailbox stands behind it. So whoever stands here has a probe before it.
//! 3. A probe that comes past has the next [`FOLLOWERS`] tried, which are probes then. So a guard that has opened wide is soon used by as many as there are.
//! 4. The last probe waits by itself, for the guard's reads to change. What it has read is, or will be found to have changed from, what those behind it have read: if
//!    they would be let in, so would it.

use crate::job::Job;
use std::collections::VecDeque;

/// TUNE: jobs that are tried when one has come past its guard. Two are the fewest of which more and more are tried.
pub(super) const FOLLOWERS: usize = 2;

/// The guards of one actor, by mailbox: as many as have refused somebody.
pub(super) struct Gates<M>(Vec<Gate<M>>);

struct Gate<M> {
    probes: usize,
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
            self.0.resize_with(at + 1, || Gate { probes: 0, behind: VecDeque::new() });
        }
        &mut self.0[at]
    }

    /// Rules 2 and 4: a job was refused; answers it if it waits by itself.
    pub(super) fn refused(&mut self, mut job: Job<M>) -> Option<Job<M>> {
        let gate = self.of(job.mailbox);
        let was_probe = std::mem::take(&mut job.is_probe);
        let others = gate.probes - usize::from(was_probe);
        if others == 0 {
            gate.probes = 1;
            return Some(Job { is_probe: true, ..job });
        }
        gate.probes = others;
        if was_probe {
            gate.behind.push_front(job);
        } else {
            gate.behind.push_back(job);
        }
        None
    }

    /// Rule 3: a job that is no probe any more has come past; answers who is to be tried.
    pub(super) fn passed(&mut self, mailbox: u8) -> [Option<Job<M>>; FOLLOWERS] {
        let gate = self.of(mailbox);
        gate.probes -= 1;
        std::array::from_fn(|_| {
            let next = gate.behind.pop_front()?;
            gate.probes += 1;
            Some(Job { is_probe: true, ..next })
        })
    }

    /// All are to be tried: this one is a probe no more, if it was. Those that are being tried still are.
    pub(super) fn give_up(&mut self, job: &mut Job<M>) {
        if std::mem::take(&mut job.is_probe) {
            self.of(job.mailbox).probes -= 1;
        }
    }

    /// All that stand behind probes.
    pub(super) fn drain(&mut self) -> Vec<Job<M>> {
        self.0.iter_mut().flat_map(|gate| gate.behind.drain(..)).collect()
    }
}

#[cfg(test)]
mod tests;
