//! Where the variables and collections of a state lie, and what each is called.

use super::regions::{Enrolled, Known, KnownAddress, Regions};
use super::{Journaled, not_what_was_enrolled};
use crate::attempt::Attempt;
use crate::attempt::write_set::Write;
use crate::domain::cell::Cell;
use std::any::Any;
use std::fmt;

/// Where the variables and collections of a state lie, what each is called, and how values become
/// bytes.
///
/// It is made once, when the state has come to the place where it stays, and is the same for all
/// threads. Its state must live where it was for as long as attempts use the journal: it knows
/// addresses, and borrows nothing. What is written at another variable that lies there later is
/// journaled under the name of the former one if it has the same type, and panics otherwise.
///
/// What a state does not enroll is not journaled.
///
/// ```
/// use odeon_stm::TCounter;
/// use odeon_stm::journal::Journal;
///
/// let visits = TCounter::new(0);
/// let journal = Journal::of(&visits); // its name is empty
/// # let _ = journal;
/// ```
pub struct Journal {
    cells: Regions<Encode>,
    collections: Regions<Codec>,
    /// What was enrolled, as long as the journal is being made. Cells and collections apart: a
    /// collection lies where its first cell does.
    enrolled: (Enrolled<Encode>, Enrolled<Codec>),
}

/// How what is written to a variable becomes bytes.
#[derive(Clone, Copy)]
pub(crate) struct Encode(pub(crate) fn(&Write, &mut Vec<u8>));

impl Known for Encode {
    fn is_same(self, other: Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

/// How keys or values of a collection become bytes; the collection knows the type.
#[derive(Clone, Copy)]
struct Codec(&'static (dyn Any + Send + Sync));

impl Known for Codec {
    fn is_same(self, other: Self) -> bool {
        // One constant may serve two types of codecs, if they look the same.
        std::ptr::addr_eq(self.0, other.0) && self.0.type_id() == other.0.type_id()
    }
}

impl Journal {
    /// A journal of all that `state` enrolls.
    ///
    /// # Panics
    ///
    /// Panics at the caller's line if one variable or collection was enrolled twice.
    #[track_caller]
    pub fn of<S: Journaled + ?Sized>(state: &S) -> Self {
        Self::by(|journal| state.enroll(&[], journal))
    }

    /// As [`of`](Self::of), of what `enroll` enrolls.
    ///
    /// # Panics
    ///
    /// As [`of`](Self::of).
    pub fn by(enroll: impl FnOnce(&mut Self)) -> Self {
        let mut journal = Self {
            cells: Regions::default(),
            collections: Regions::default(),
            enrolled: Default::default(),
        };
        enroll(&mut journal);
        let (cells, collections) = std::mem::take(&mut journal.enrolled);
        journal.cells = cells.into_regions();
        journal.collections = collections.into_regions();
        journal
    }

    /// A cell is called so; what is written to it becomes bytes by `encode`.
    pub(crate) fn enroll_cell(
        &mut self,
        cell: &Cell,
        name: &[u32],
        encode: fn(&Write, &mut Vec<u8>),
    ) {
        self.enrolled.0.add(cell.address(), name, Encode(encode));
    }

    /// A collection is called so; it is told by `codec` how its keys or values become bytes.
    pub(crate) fn enroll_collection(
        &mut self,
        collection: &impl Sized,
        name: &[u32],
        codec: &'static (dyn Any + Send + Sync),
    ) {
        self.enrolled.1.add(std::ptr::from_ref(collection).addr(), name, Codec(codec));
    }

    /// How the keys or values of the collection at this address become bytes; `None` if it was not
    /// enrolled.
    pub(crate) fn codec_of<C: Any>(&self, collection: usize) -> Option<&'static C> {
        let codec = self.collections.find(collection)?.code.0;
        Some(codec.downcast_ref().unwrap_or_else(|| not_what_was_enrolled()))
    }

    /// Adds to a record what an attempt changes of what is known here: the variables, each once,
    /// then the changes of collections in their order.
    ///
    /// # Panics
    ///
    /// Panics if `serde` refuses to write a value; and if what is known is no more, and another
    /// variable lies where one was. There may be a part of a change in the record then.
    pub(crate) fn put_changes(&self, attempt: &Attempt, to: &mut Vec<u8>) {
        for write in attempt.writes.as_slice() {
            self.put_written(write, to);
        }
        for (collection, change) in attempt.told.changes() {
            self.put_told(collection, change, to);
        }
    }

    /// Adds a change of the collection at this address to a record, unless another journal knows
    /// that.
    fn put_told(&self, collection: usize, change: &[u8], to: &mut Vec<u8>) {
        let Some(place) = self.collections.find(collection) else { return };
        super::put_change(place.name(), to, |to| to.extend_from_slice(change));
    }

    /// Adds what is to be written to a record, unless its cell was not enrolled.
    fn put_written(&self, write: &Write, to: &mut Vec<u8>) {
        let Some(place) = self.cells.find(write.cell().address()) else { return };
        let KnownAddress { code: Encode(encode), .. } = place;
        super::put_change(place.name(), to, |to| encode(write, to));
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}
