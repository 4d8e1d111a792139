//! Snapshots: one consistent state, read without a log, never rolled back, in nobody's way.
//!
//! PROTOCOL
//! 1. The snapshot registers in its slot where old values are to be kept for it, *then* ends the
//!    running epoch; that epoch is the one it sees.
//! 2. A commit that reads a later epoch therefore finds it registered, and keeps for it each value that
//!    it overwrites and that the snapshot may look at, *before* it publishes.
//! 3. A commit that was under way in the snapshot's epoch or before holds its locks since before the
//!    epoch ended: the snapshot meets the lock and waits some instructions for its end. A variable
//!    locked by a prepared attempt has the old value; its commit will get a later epoch.

pub(crate) mod kept;
pub(crate) mod registry;
pub(crate) mod run;

use crate::abort::{Cause, Rollback};
use crate::attempt::Attempt;
use crate::cell::Cell;
use crate::domain::Domain;
use crate::version_word::{Held, VersionWord};
use odeon_sync::Backoff;

/// Whether a commit that has read its epoch has to keep old values.
#[inline(always)]
pub(crate) fn running(domain: &Domain) -> bool {
    domain.snapshots.any()
}

/// PROTOCOL 2: `bits` were there from epoch `from` and will be overwritten in epoch `until`.
#[cold]
pub(crate) fn keep(domain: &Domain, cell: &Cell, from: u64, until: u64, bits: u64) {
    for slot in domain.slots.iter() {
        if let Some(kept) = slot.kept() {
            // SAFETY: the caller's attempt began before this load and holds on to what is retired
            // later (I4).
            let kept = unsafe { kept.as_ref() };
            if kept.needs().value(from, until) {
                kept.keep(cell.address(), from, until, bits);
            }
        }
    }
}

/// A read that finds a value too young for the snapshot, or a holder.
#[cold]
pub(crate) fn read(snapshot: &mut Attempt, cell: &Cell) -> Result<u64, Rollback> {
    let seen = snapshot.epoch_seen();
    let mut backoff = Backoff::new();
    loop {
        let word: VersionWord = cell.word();
        if word.held() == Held::Committing {
            // PROTOCOL 3.
            backoff.wait();
        } else if word.epoch() > seen {
            let kept = snapshot.slot.kept().expect("a running snapshot is registered");
            // SAFETY: the snapshot's own, freed after its end.
            let kept = unsafe { kept.as_ref() };
            // First: of an expired snapshot a value may be missing, and one that is found may be of an older
            // variable at the same address. The commit that has kept nothing has said so before it published
            // the word that was read above.
            if kept.is_expired() {
                return Err(snapshot.stop(Cause::SnapshotExpired, Some(cell)));
            }
            let bits = kept.find(cell.address(), seen);
            return Ok(bits.expect("a commit has kept what this snapshot needs"));
        } else if let Some(bits) = cell.bits_under(word) {
            return Ok(bits);
        }
    }
}
