//! How much of an attempt's logs is protected: the first entries of both, because what is read and
//! written later comes behind them.

use crate::attempt::read_set::ReadSet;
use crate::attempt::write_set::AddressHasher;
use crate::domain::cell::Cell;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Protected {
    /// Entries of the write set whose variables are taken.
    pub(crate) writes: usize,
    /// Entries of the read set; each protects its variable once, but for those whose variables are
    /// taken.
    pub(crate) reads: usize,
    /// Where the first `known` of these reads were. Only who meets a protected variable has to
    /// know, so that it is filled when somebody asks.
    addresses: HashSet<usize, BuildHasherDefault<AddressHasher>>,
    known: usize,
}

impl Protected {
    pub(crate) fn is_nothing(&self) -> bool {
        self.writes == 0 && self.reads == 0
    }

    /// Whether a variable that is protected by somebody is by this attempt, whose reads these are.
    pub(crate) fn holds(&mut self, reads: &ReadSet, cell: &Cell) -> bool {
        let new = &reads.as_slice()[self.known..self.reads];
        self.addresses.extend(new.iter().map(|read| read.cell().address()));
        self.known = self.reads;
        self.is_known_to_hold(cell)
    }

    /// [`holds`](Self::holds) for who has asked that before of this variable, if it is protected by
    /// this attempt.
    pub(crate) fn is_known_to_hold(&self, cell: &Cell) -> bool {
        self.addresses.contains(&cell.address())
    }

    /// Nothing is protected.
    pub(crate) fn clear(&mut self) {
        (self.writes, self.reads) = (0, 0);
        if self.known > 0 {
            self.known = 0;
            self.addresses.clear();
        }
    }
}
