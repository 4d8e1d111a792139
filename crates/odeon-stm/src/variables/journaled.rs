//! How the changes of variables are told.
//!
//! | variable | a change |
//! |---|---|
//! | `TVar` | its value |
//! | `TWord` | the bits of its value, a number |
//! | `TCounter`, `TMax`, `TMin` | `CHANGED` and by what, or `IS` and the number; both signed |

use crate::attempt::inline::Stored;
use crate::attempt::journal::encoded::decode_all;
use crate::attempt::journal::record::{put_number, put_signed, take_number, take_signed};
use crate::attempt::journal::{ApplyError, Encoded, Journal, Journaled, not_what_was_enrolled};
use crate::attempt::transaction::{Snapshot, Tx};
use crate::attempt::write_set::{Write, WriteKind};
use crate::variables::labelled::{Labelled, Variable};
use crate::variables::tcounter::TCounter;
use crate::variables::textreme::{TMax, TMin};
use crate::variables::tvar::TVar;
use crate::variables::tword::{TWord, Word};
use crate::words::abort::Rollback;

/// Behind this byte: what was added or offered.
const CHANGED: u8 = 0;
/// Behind this byte: what the number is.
const IS: u8 = 1;

fn encode_value<T: Encoded + Send + Sync + 'static>(write: &Write, to: &mut Vec<u8>) {
    if Stored::<T>::with_written(write, |value| value.encode(to)).is_none() {
        not_what_was_enrolled();
    }
}

impl<T: Encoded + Send + Sync + 'static> Journaled for TVar<T> {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        journal.enroll_cell(self.as_cell(), name, encode_value::<T>);
    }

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        let value = decode_all(change).ok_or(ApplyError::NoChange)?;
        Ok(self.set(tx, value)?)
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        let mut bytes = Vec::new();
        self.read(view)?.encode(&mut bytes);
        change(&bytes);
        Ok(())
    }
}

fn encode_word(write: &Write, to: &mut Vec<u8>) {
    match write.kind {
        WriteKind::Plain => put_number(write.bits, to),
        _ => not_what_was_enrolled(),
    }
}

impl<T: Word> Journaled for TWord<T> {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        journal.enroll_cell(self.as_cell(), name, encode_word);
    }

    /// The value is what [`Word::from_bits`] makes of the bits.
    fn apply<'t>(&'t self, tx: &mut Tx<'t>, mut change: &[u8]) -> Result<(), ApplyError> {
        match take_number(&mut change) {
            Some(bits) if change.is_empty() => Ok(self.set(tx, T::from_bits(bits))?),
            _ => Err(ApplyError::NoChange),
        }
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        let mut bytes = Vec::new();
        put_number(self.get(view)?.to_bits(), &mut bytes);
        change(&bytes);
        Ok(())
    }
}

/// Of a number that changes without being read.
fn encode_number(write: &Write, to: &mut Vec<u8>) {
    to.push(match write.kind {
        WriteKind::Change(_) => CHANGED,
        WriteKind::Plain => IS,
        WriteKind::Owning(_) => not_what_was_enrolled(),
    });
    put_signed(write.bits as i64, to);
}

/// A change of such a number.
enum NumberChange {
    Changed(i64),
    Is(i64),
}

impl NumberChange {
    fn of(bytes: &[u8]) -> Result<Self, ApplyError> {
        let (kind, mut number) = bytes.split_first().ok_or(ApplyError::NoChange)?;
        match (kind, take_signed(&mut number)) {
            (&CHANGED, Some(by)) if number.is_empty() => Ok(Self::Changed(by)),
            (&IS, Some(value)) if number.is_empty() => Ok(Self::Is(value)),
            _ => Err(ApplyError::NoChange),
        }
    }
}

fn tell_number(value: i64, change: &mut dyn FnMut(&[u8])) {
    let mut bytes = vec![IS];
    put_signed(value, &mut bytes);
    change(&bytes);
}

impl Journaled for TCounter {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        self.parts().for_each(|part| journal.enroll_cell(part, name, encode_number));
    }

    /// Differences of several transactions do not conflict; a sum that is to be does.
    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        let difference = match NumberChange::of(change)? {
            NumberChange::Changed(difference) => difference,
            NumberChange::Is(sum) => sum.wrapping_sub(self.get(tx)?),
        };
        Ok(self.add(tx, difference)?)
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        tell_number(self.get(view)?, change);
        Ok(())
    }
}

macro_rules! extreme {
    ($name:ident, $offer:ident) => {
        impl Journaled for $name {
            fn enroll(&self, name: &[u32], journal: &mut Journal) {
                journal.enroll_cell(self.as_cell(), name, encode_number);
            }

            /// Offers of several transactions do not conflict.
            fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
                match NumberChange::of(change)? {
                    NumberChange::Changed(offer) => self.$offer(tx, offer)?,
                    NumberChange::Is(value) => {
                        tx.writer().write(self.as_cell(), value as u64, WriteKind::Plain)?;
                    }
                }
                Ok(())
            }

            fn tell<'t>(
                &'t self,
                view: &mut Snapshot<'t>,
                change: &mut dyn FnMut(&[u8]),
            ) -> Result<(), Rollback> {
                tell_number(self.get(view)?, change);
                Ok(())
            }
        }
    };
}

extreme!(TMax, raise);
extreme!(TMin, lower);

/// As the variable or collection itself; the name is not part of it.
impl<V: Variable + Journaled> Journaled for Labelled<V> {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        (**self).enroll(name, journal);
    }

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        (**self).apply(tx, change)
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        (**self).tell(view, change)
    }
}
