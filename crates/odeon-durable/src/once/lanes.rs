//! Which messages of a lane are under way, lost, or wait for their turn.
//!
//! ```text
//!  1 ─── confirmed │ under way, `WINDOW` at most │ wait for their turn ─── sent
//! ```

use odeon_macros::Durable;
use odeon_speculative::{TxResult, fail};
use odeon_stm::{Rollback, TVar, Tx};
use std::ops::RangeInclusive;

/// Messages of different lanes do not conflict, and are in no order. In the log of each sender and
/// each receiver: this number never changes.
pub(super) const LANES: u32 = 64;

/// Messages of a lane that are under way at a time.
/// TUNE: guessed; a message of 100 bytes, and what is around it, times this and [`LANES`] is 4 MiB.
const WINDOW: u64 = 256;

/// Why a confirmation fails that is of the future: what is sent now would pass for what was sent
/// then.
const NEVER_SENT: &str = "the receiver has handled what this sender has not sent: its log is an older \
                          copy";

/// See the module.
#[derive(Durable, Default)]
#[durable(crate = crate)]
pub(super) struct OutgoingLane {
    /// The number of the last message.
    #[durable(1)]
    sent: TVar<u64>,
    /// The number of the last one that the receiver has confirmed.
    #[durable(2)]
    confirmed: TVar<u64>,
    /// The first one that was not confirmed at the last look; 0: all were.
    #[durable(skip)]
    oldest: TVar<u64>,
    /// Whether the first one was sent again since the others may have got lost as well.
    #[durable(skip)]
    is_probed: TVar<bool>,
}

/// Numbers of messages that a confirmation is of.
pub(super) struct Confirmed {
    /// They need not be kept.
    pub(super) handled: RangeInclusive<u64>,
    /// They are to be sent: it is their turn, or they may have got lost.
    pub(super) due: RangeInclusive<u64>,
}

/// What there is to see in a lane now and then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Looked {
    /// Everything is confirmed.
    Empty,
    /// Some have been confirmed, or have not been under way for long.
    Moves,
    /// Nothing has been confirmed since the last look; the number of the first one.
    Stands(u64),
}

impl OutgoingLane {
    /// The number of another message, and whether it is to be sent now.
    pub(super) fn next<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(u64, bool), Rollback> {
        let number = self.sent.get(tx)? + 1;
        self.sent.set(tx, number)?;
        Ok((number, number <= self.confirmed.get(tx)? + WINDOW))
    }

    /// Those that are under way, or should be, to be sent all.
    pub(super) fn under_way<'t>(
        &'t self,
        tx: &mut Tx<'t>,
    ) -> Result<RangeInclusive<u64>, Rollback> {
        self.is_probed.set(tx, false)?;
        let confirmed = self.confirmed.get(tx)?;
        Ok(confirmed + 1..=self.sent.get(tx)?.min(confirmed + WINDOW))
    }

    /// The receiver has handled those up to a number.
    ///
    /// # Errors
    /// If there was none of that number. [`Rollback`] if the attempt cannot go on.
    pub(super) fn confirm<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        up_to: u64,
    ) -> TxResult<Option<Confirmed>> {
        let confirmed = self.confirmed.get(tx)?;
        if up_to <= confirmed {
            return Ok(None);
        }
        let sent = self.sent.get(tx)?;
        if up_to > sent {
            return fail(NEVER_SENT);
        }
        self.confirmed.set(tx, up_to)?;
        let due = if self.is_probed.get(tx)? {
            self.under_way(tx)?
        } else {
            confirmed + WINDOW + 1..=sent.min(up_to + WINDOW)
        };
        Ok(Some(Confirmed { handled: confirmed + 1..=up_to, due }))
    }

    /// Looks what has become of it since the last look.
    pub(super) fn look<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Looked, Rollback> {
        let (confirmed, before) = (self.confirmed.get(tx)?, self.oldest.get(tx)?);
        let is_empty = self.sent.get(tx)? == confirmed;
        let oldest = if is_empty { 0 } else { confirmed + 1 };
        if oldest != before {
            self.oldest.set(tx, oldest)?;
        }
        Ok(match oldest {
            0 => Looked::Empty,
            oldest if oldest == before => Looked::Stands(oldest),
            _ => Looked::Moves,
        })
    }

    /// The first one is sent again: once it is confirmed the others are.
    pub(super) fn probe<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        self.is_probed.set(tx, true)
    }
}
