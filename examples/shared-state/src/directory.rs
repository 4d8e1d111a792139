//! A directory of sessions: who asks what of it, and what must be true at the end.

mod sessions;
mod zipf;

use crate::{Deed, SharedState, Work};
use odeon_example_run::{RunError, SplitMix64};
use std::sync::Arc;

pub use sessions::{Directory, PlainDirectory};
pub use zipf::Zipf;

/// One request of one sender.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryRequest {
    pub(super) what: RequestKind,
    pub(super) key: u64,
    pub(super) sender: usize,
    pub(super) work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Lookup,
    Touch,
    Begin,
    End,
}

impl Deed for DirectoryRequest {
    #[inline]
    fn is_read(&self) -> bool {
        self.what == RequestKind::Lookup
    }
}

/// What a sender's requests have changed: what is there at the end follows from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    pub(super) sessions: i64,
    pub(super) touches: i64,
}

impl std::ops::Add for Changes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { sessions: self.sessions + other.sessions, touches: self.touches + other.touches }
    }
}

/// What is there at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectoryFound {
    /// Since the beginning, as counted with each request.
    pub(super) counted: Changes,
    /// The same as seen in the map.
    pub(super) seen: Changes,
    /// Sessions that stand at another's key, and lookups that found one.
    pub(super) strangers: u64,
}

/// Who asks, and how much of what.
pub struct DirectoryPlan {
    /// How many ask.
    pub senders: usize,
    /// Sessions that can be; every other one is there at first.
    pub keys: u64,
    /// Which keys are asked for.
    pub zipf: Arc<Zipf>,
    /// Lookups, in per cent.
    pub reads: u64,
    /// Touches of a session, in per cent; the rest begins and ends sessions.
    pub updates: u64,
    /// Of each sender.
    pub requests: u64,
    /// Of each request.
    pub work: Work,
    /// Of all random draws.
    pub seed: u64,
}

/// The requests of one sender.
#[derive(Clone)]
pub struct Requests {
    random: SplitMix64,
    zipf: Arc<Zipf>,
    left: u64,
    reads: u64,
    updates: u64,
    sender: usize,
    work: Work,
}

impl Iterator for Requests {
    type Item = DirectoryRequest;

    #[inline]
    fn next(&mut self) -> Option<DirectoryRequest> {
        self.left = self.left.checked_sub(1)?;
        let percent = self.random.next() % 100;
        let what = if percent < self.reads {
            RequestKind::Lookup
        } else if percent < self.reads + self.updates {
            RequestKind::Touch
        } else if self.random.next() % 2 == 0 {
            RequestKind::Begin
        } else {
            RequestKind::End
        };
        let key = self.zipf.draw(&mut self.random) as u64;
        Some(DirectoryRequest { what, key, sender: self.sender, work: self.work })
    }
}

impl SharedState for DirectoryPlan {
    type Deed = DirectoryRequest;
    type Deeds = Requests;
    type Plain = PlainDirectory;
    type Speculative = Directory;
    type Outcome = DirectoryFound;

    fn senders(&self) -> usize {
        self.senders
    }

    fn deeds_of(&self, sender: usize) -> Requests {
        Requests {
            random: SplitMix64::of_member(self.seed, sender),
            zipf: self.zipf.clone(),
            left: self.requests,
            reads: self.reads,
            updates: self.updates,
            sender,
            work: self.work,
        }
    }

    fn deeds(&self) -> u64 {
        self.requests * self.senders as u64
    }

    #[inline]
    fn parts(
        request: DirectoryRequest,
        shards: usize,
        mut send: impl FnMut(usize, DirectoryRequest),
    ) {
        send((request.key % shards as u64) as usize, request);
    }

    fn plain(&self) -> PlainDirectory {
        PlainDirectory::new(self.keys, self.senders)
    }

    fn speculative(&self) -> Directory {
        Directory::new(self.keys, self.senders)
    }

    fn check(&self, found: Vec<DirectoryFound>, _runs: &[u64]) -> Result<(), RunError> {
        let is_right = |found: &DirectoryFound| found.counted == found.seen && found.strangers == 0;
        match found.into_iter().find(|found| !is_right(found)) {
            None => Ok(()),
            Some(found) => Err(RunError::WrongResult(format!(
                "requests have counted {:?}, the map has {:?}, and {} sessions are at a wrong key",
                found.counted, found.seen, found.strangers
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
