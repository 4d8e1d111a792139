//! Snapshots: one consistent state, read without a log, never rolled back, in nobody's way.
//!
//! PROTOCOL
//! 1. The snapshot registers in its slot where old values are to be kept for it, *then* ends the
//!    running epoch; that epoch is the one it sees.
//! 2. A commit that reads a later epoch therefore finds it registered, and keeps for it each value
//!    that it overwrites and that the snapshot may look at, *before* it publishes.
//! 3. A commit that was under way in the snapshot's epoch or before holds its locks since before
//!    the epoch ended: the snapshot meets the lock and waits some instructions for its end. A
//!    variable locked by a prepared attempt has the old value; its commit will get a later epoch.
//! 4. A variable whose word says that it was made after the snapshot's epoch is refused (I7). So it
//!    is when it was overwritten: nothing was kept of it.
//! 5. What is kept stands under the variable's address, with the epoch of the value that is there
//!    now: a commit that overwrites that one changes it before it publishes. Each value that is
//!    written beside a snapshot has an epoch of its own, so it names the variable: one that was
//!    moved there, or made there, has another (I10). It is refused, and so is one that has moved
//!    away.

pub(crate) mod run;

use crate::attempt::Attempt;
use crate::domain::Domain;
use crate::domain::cell::Cell;
use crate::domain::kept::Overwritten;
use crate::domain::registry;
use crate::domain::slot::Slot;
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use crate::words::version_word::{VariableHolder, VersionWord};
use odeon_sync::Backoff;

/// Begins `attempt` as a snapshot, for which at most `limit` values are kept.
pub(crate) fn begin(attempt: &mut Attempt, limit: usize) {
    let epoch = registry::begin(attempt.domain, attempt.slot, limit);
    attempt.begin_at(epoch);
}

/// The snapshot's part of the end of its attempt.
pub(crate) fn end(attempt: &mut Attempt) {
    registry::end(attempt.domain, attempt.slot, &mut attempt.bag);
}

/// Whether a commit that has read its epoch has to keep old values.
#[inline(always)]
pub(crate) fn running(domain: &Domain) -> bool {
    domain.snapshots.any()
}

/// PROTOCOL 2: what the attempt of `slot` will overwrite.
#[inline]
pub(crate) fn keep(
    domain: &Domain,
    slot: &'static Slot,
    overwritten: impl Iterator<Item = Overwritten> + Clone,
) {
    for place in domain.slots.iter().map(|slot| &slot.kept) {
        let Some(needs) = place.needs() else { continue };
        // SAFETY: the caller's attempt has entered its slot before the look for what is kept.
        let kept = unsafe { place.in_reach() };
        for Overwritten { value, now } in overwritten.clone() {
            if needs.may_have_kept_before(value.from) {
                kept.follow(value.address, value.from, now);
            }
        }
        let is_needed =
            |overwritten: &Overwritten| needs.value(overwritten.value.from, overwritten.now);
        kept.keep(slot, overwritten.clone().filter(is_needed));
    }
}

/// A read that finds a value too young for the snapshot, or a holder.
#[cold]
pub(crate) fn read(snapshot: &mut Attempt, cell: &Cell) -> Result<u64, Rollback> {
    let seen = snapshot.epoch_seen();
    let mut backoff = Backoff::new();
    loop {
        let word: VersionWord = cell.word();
        if word.held() == VariableHolder::Committing {
            // PROTOCOL 3.
            backoff.wait();
        } else if word.epoch() > seen {
            if let Some(bits) = kept_of(snapshot, cell, word) {
                return Ok(bits);
            }
            // A commit under way changes what is kept before it publishes: who has seen that sees
            // its lock.
            if cell.word() == word {
                return Err(snapshot.stop(Cause::SnapshotExpired, Some(cell)));
            }
        } else if let Some(bits) = cell.bits_under(word) {
            return Ok(bits);
        }
    }
}

/// What the variable had in the snapshot's epoch, if that is kept; `word` is younger.
fn kept_of(snapshot: &Attempt, cell: &Cell, word: VersionWord) -> Option<u64> {
    // SAFETY: the snapshot's own.
    let kept = unsafe { snapshot.slot.kept.in_reach() };
    // First: of an expired snapshot a value may be missing. The commit that has kept nothing has
    // said so before it published `word`. PROTOCOL 4: nothing is kept of a variable that is younger
    // than the snapshot.
    if kept.is_expired() || word.is_at_first_value() {
        return None;
    }
    // PROTOCOL 5.
    let is_of = |now: u64| now == word.epoch() || snapshot.domain.has(Flaw::OlderValuesStay);
    kept.find(cell.address(), snapshot.epoch_seen(), is_of)
}
