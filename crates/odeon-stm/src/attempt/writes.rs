//! What an attempt writes, until its end.

use super::{Attempt, Mode};
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::words::abort::Rollback;
use crate::words::flaw::Flaw;
use crate::words::version_word::VersionWord;

impl Attempt {
    /// Writes what `change` makes of the present bits.
    #[inline(always)]
    pub(crate) fn update(
        &mut self,
        cell: &Cell,
        kind: WriteKind,
        change: impl FnOnce(u64) -> u64,
    ) -> Result<(), Rollback> {
        let word = cell.word();
        let is_plain = self.mode == Mode::Logged && !self.writes.may_hold(cell);
        if is_plain && self.may_read_under(word) {
            if let Some(bits) = cell.bits_under(word) {
                // One entry that is read and written: the lock of the commit is its validation.
                let bits = change(bits);
                self.writes.add(cell, bits, kind, Some(word.without_waiters()));
                return Ok(());
            }
        }
        let bits = change(self.read(cell)?);
        self.write(cell, bits, kind)
    }

    /// Notes what to write, or in which way to change it.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        cell: &Cell,
        bits: u64,
        kind: WriteKind,
    ) -> Result<(), Rollback> {
        debug_assert!(self.mode.writes());
        if self.writes.may_hold(cell) {
            if let Some(place) = self.writes.find(cell) {
                self.rewrite(place, bits, kind);
                return Ok(());
            }
        }
        if self.domain.has(Flaw::WriteThrough) {
            cell.publish(bits, cell.word());
        }
        // As by `update`: the lock of the commit is its validation.
        let read = self.take_last_read(cell);
        self.writes.add(cell, bits, kind, read);
        Ok(())
    }

    /// If the last read was of this variable, its word; it does not stand among the reads then. Not
    /// where a part of the attempt may be undone alone, whose logs are as before then, nor what is
    /// protected.
    #[inline(always)]
    fn take_last_read(&mut self, cell: &Cell) -> Option<VersionWord> {
        let is_final = self.reads.len() == self.protected.reads || self.writes.is_nested();
        if is_final || self.domain.has(Flaw::NoValidation) {
            return None;
        }
        self.reads.take_last_of(cell)
    }

    #[cold]
    fn rewrite(&mut self, place: usize, bits: u64, kind: WriteKind) {
        let write = &self.writes.as_slice()[place];
        let (bits, kind) = match (write.kind, kind) {
            (WriteKind::Change(_) | WriteKind::Plain, WriteKind::Change(apply)) => {
                (apply(write.bits, bits), write.kind)
            }
            _ => (bits, kind),
        };
        self.writes.replace(place, bits, kind);
    }
}
