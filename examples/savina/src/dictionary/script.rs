//! What each client asks of the dictionary, and what it may be answered.

use super::DictionarySetup;
use crate::clients::Script;
use odeon_example_run::RunError;
use odeon_example_run::SplitMix64;
use std::collections::HashMap;

/// Keys that the dictionary has from the start: as many as the suite's.
const KEYS: u32 = 1 << 19;

/// A value's lower bits are its key: so every answer can be checked.
fn value_of(key: u32, random: u32) -> u32 {
    random & !(KEYS - 1) | key
}

/// The dictionary of all versions.
pub(super) type DictionaryEntries = HashMap<u32, u32>;

pub(super) fn entries() -> DictionaryEntries {
    (0..KEYS).map(|key| (key, key)).collect()
}

pub(super) enum DictionaryRequest {
    Get(u32),
    Put(u32, u32),
}

pub(super) struct DictionaryScript {
    random: SplitMix64,
    left: u64,
    writes: u64,
    /// Of the last request.
    key: u32,
}

impl DictionaryScript {
    /// One for each client.
    pub(super) fn all(setup: &DictionarySetup) -> Vec<Self> {
        let (requests, writes) = (setup.requests, setup.writes);
        let random = |client| SplitMix64::of_member(setup.seed, client);
        let clients = 0..setup.clients;
        let script = |client| Self { random: random(client), left: requests, writes, key: 0 };
        clients.map(script).collect()
    }
}

impl Script for DictionaryScript {
    type Request = DictionaryRequest;
    type Answer = u32;

    #[inline]
    fn next(&mut self) -> Option<DictionaryRequest> {
        self.left = self.left.checked_sub(1)?;
        let drawn = self.random.next();
        self.key = (drawn >> 32) as u32 & (KEYS - 1);
        let writes = drawn % 100 < self.writes;
        Some(if writes {
            DictionaryRequest::Put(self.key, value_of(self.key, self.random.next() as u32))
        } else {
            DictionaryRequest::Get(self.key)
        })
    }

    #[inline]
    fn check(&self, answer: u32) -> Result<(), String> {
        if answer & (KEYS - 1) == self.key {
            return Ok(());
        }
        Err(format!("key {} has the value {answer} of another", self.key))
    }
}

/// Whether the dictionary has been changed as often as the clients have asked for it.
pub(super) fn check_writes(setup: &DictionarySetup, counted: Option<u64>) -> Result<(), RunError> {
    let mut scripts = DictionaryScript::all(setup);
    let of = |script: &mut DictionaryScript| {
        std::iter::from_fn(|| script.next())
            .filter(|it| matches!(it, DictionaryRequest::Put(..)))
            .count()
    };
    let expected = scripts.iter_mut().map(of).sum::<usize>() as u64;
    match counted {
        Some(counted) if counted == expected => Ok(()),
        other => Err(RunError::WrongResult(format!("{other:?} writes of {expected}"))),
    }
}
