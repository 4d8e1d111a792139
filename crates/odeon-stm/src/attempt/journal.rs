//! What transactions change of a state, as bytes: where its variables lie, what they are called,
//! and who is told. The page for users is that of the public module `journal`.

mod by_serde;
pub(crate) mod encoded;
pub(crate) mod keyed;
mod places;
pub(crate) mod record;
mod regions;
pub(crate) mod sequence;

pub use encoded::Encoded;
pub use places::Journal;
pub use record::{Changes, Malformed, NamedChange, add_change};

pub(crate) use record::put_change;

use crate::attempt::transaction::{Snapshot, Tx};
use crate::words::abort::Rollback;
use std::fmt;

/// A variable or a collection of a state whose changes are told as bytes; or a state that has some,
/// and hands on what it is asked.
///
/// Variables *within* the values of others or within the elements of collections are not part of
/// that: nobody is told of their changes. To write such a value in an attempt with a journal
/// panics, as serialising a variable within a transaction does.
pub trait Journaled: Send + Sync {
    /// Has a journal know it by its name, which says where in the state it is: numbers of fields
    /// and places.
    fn enroll(&self, name: &[u32], journal: &mut Journal);

    /// Makes a change that a journal has told.
    ///
    /// # Errors
    /// If the bytes are no change of such a variable, or the attempt cannot go on. After the former
    /// the change may have happened in part.
    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError>;

    /// Tells all that is in it, as changes that make it anew from an empty one, and a variable or a
    /// collection from any other value.
    ///
    /// # Errors
    /// [`Rollback`] if the snapshot cannot go on.
    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback>;
}

/// Who logs what commits change of one state. Its methods do not panic.
pub trait CommitLog: Send + Sync {
    /// Where the variables of the state lie.
    fn journal(&self) -> &Journal;

    /// The next number. Called when all is locked that a commit writes, before it reads the clock
    /// and checks what it has read: so of two commits of which one has read or written what the
    /// other one writes, that with the larger number is the later one, and each prefix of the
    /// numbers is a state that is in order. All of this state's commits take theirs from the same
    /// count, by a read-modify-write that acquires and releases.
    fn number(&self) -> u64;

    /// The commit with this number has taken place, and has changed this, which [`Changes`] reads:
    /// nothing perhaps, if what it has written is not in the journal. Nothing is locked any more.
    fn committed(&self, number: u64, changes: &[u8]);

    /// The commit with this number has not taken place.
    fn given_up(&self, number: u64);

    /// Which logs can be told of one commit together: those that answer the same. `None`: this one
    /// is told of commits alone.
    fn group(&self) -> Option<usize> {
        None
    }

    /// As [`committed`](Self::committed), of a commit that several logs of a group are told of: all
    /// of it is to be found later, or nothing of it. Each of them is told its part, one after the
    /// other, also if that is nothing. Without an implementation of its own a log takes its part as
    /// a commit: that is for one that is in no [group](Self::group), and never told so.
    fn committed_in_part(&self, number: u64, changes: &[u8], of: SharedCommit) {
        let _ = of;
        self.committed(number, changes);
    }
}

/// A commit that several logs are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedCommit {
    /// Tells it from others in this process.
    pub id: u64,
    /// How many logs are told of it.
    pub parts: usize,
}

/// Why a change could not be made.
#[derive(Debug)]
pub enum ApplyError {
    /// The bytes are no change of such a variable, or not of what is in it.
    NoChange,
    /// The attempt cannot go on.
    Rollback(Rollback),
}

impl From<Rollback> for ApplyError {
    fn from(rollback: Rollback) -> Self {
        Self::Rollback(rollback)
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoChange => f.write_str("the bytes are no change of this variable"),
            Self::Rollback(rollback) => rollback.fmt(f),
        }
    }
}

impl std::error::Error for ApplyError {}

/// Told where an address is that of something else than was enrolled there.
#[cold]
pub(crate) fn not_what_was_enrolled() -> ! {
    panic!("the journal of a state that is no more: something else lies where a variable was")
}
