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
//! 4. A variable whose word says that it was made after the snapshot's epoch is refused (I7). So it is when it was
//!    overwritten: nothing was kept of it. Something may be kept of an older variable that was at its address; a
//!    commit that overwrites the first value, and an attempt that prepares to, has all snapshots forget that before.

pub(crate) mod kept;
pub(crate) mod near;
pub(crate) mod registry;
pub(crate) mod run;

use crate::abort::{Cause, Rollback};
use crate::attempt::Attempt;
use crate::cell::Cell;
use crate::domain::Domain;
use crate::flaw::Flaw;
use crate::slot::Slot;
use crate::snapshot::kept::Kept;
use crate::snapshot::near::Value;
use crate::version_word::{Held, VersionWord};
use odeon_sync::Backoff;
use std::ptr::NonNull;

/// Whether a commit that has read its epoch has to keep old values.
#[inline(always)]
pub(crate) fn running(domain: &Domain) -> bool {
    domain.snapshots.any()
}

/// PROTOCOL 2: what the attempt of `slot` will overwrite in epoch `until`, of each variable the word before and the value.
#[inline]
pub(crate) fn keep<'a>(
    domain: &Domain,
    slot: &'static Slot,
    overwritten: impl Iterator<Item = (&'a Cell, VersionWord, u64)> + Clone,
    until: u64,
) {
    for kept in all_kept(domain) {
        // SAFETY: the caller's attempt began before the look for what is kept, and holds on to what is
        // retired later (I4).
        let kept = unsafe { kept.as_ref() };
        for (cell, before, _) in overwritten.clone().filter(|(_, before, _)| before.is_newborn()) {
            if !domain.has(Flaw::OlderValuesStay) {
                kept.forget(cell.address(), before.epoch());
            }
        }
        let needs = kept.needs();
        let needed =
            overwritten.clone().filter(|(_, before, _)| needs.value(before.epoch(), until));
        let values = needed.map(|(cell, before, bits)| {
            let (address, from) = (cell.address(), before.epoch());
            Value { address, from, bits }
        });
        kept.keep(slot, values, until);
    }
}

/// PROTOCOL 4: called by an attempt that is about to take the mark of a newborn from the word of `cell`; `word` is
/// what stands there.
#[inline(always)]
pub(crate) fn forget_older(domain: &Domain, cell: &Cell, word: VersionWord) {
    if word.is_newborn() && running(domain) {
        forget_before(domain, cell, word.epoch());
    }
}

#[cold]
fn forget_before(domain: &Domain, cell: &Cell, epoch: u64) {
    if domain.has(Flaw::OlderValuesStay) {
        return;
    }
    for kept in all_kept(domain) {
        // SAFETY: as in `keep`.
        unsafe { kept.as_ref() }.forget(cell.address(), epoch);
    }
}

/// What is kept for each snapshot that runs.
fn all_kept(domain: &Domain) -> impl Iterator<Item = NonNull<Kept>> {
    domain.slots.iter().filter_map(Slot::kept)
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
            // First: of an expired snapshot a value may be missing. The commit that has kept nothing has said so
            // before it published the word that was read above.
            let bits = match kept.is_expired() || word.is_at_first_value() {
                true => None,
                false => kept.find(cell.address(), seen),
            };
            // PROTOCOL 4: nothing is kept of a variable that is younger than the snapshot.
            return bits.ok_or_else(|| snapshot.stop(Cause::SnapshotExpired, Some(cell)));
        } else if let Some(bits) = cell.bits_under(word) {
            return Ok(bits);
        }
    }
}
