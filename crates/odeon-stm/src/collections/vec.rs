//! A growing sequence of places, in which different places do not conflict.
//!
//! The places lie in segments, each twice as large as the one before, so they never move. A vacant
//! place is a link to nothing: whether there is an element is seen at its place, and only pushing,
//! popping and asking for the length touch the length.

use crate::attempt::journal::sequence::SequenceCodec;
use crate::attempt::transaction::{Tx, View};
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use std::fmt;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Places of the first segment.
const FIRST: usize = 16;
/// So many segments have a place for every index.
const SEGMENTS: usize = (usize::BITS - FIRST.trailing_zeros()) as usize;

/// A sequence of elements by index.
///
/// Reading and replacing elements conflicts with nothing that happens at other places. Pushes and
/// pops conflict with each other.
///
/// Room is taken in segments that double, from 16 places of 16 bytes on. [`pop`](TVec::pop) gives a
/// segment back when the one before it has become vacant as well, so there is room for less than
/// four times the elements and 48 more, and a length that goes up and down costs no segment each
/// time.
///
/// ```
/// use odeon_stm::{atomically, collections::TVec};
///
/// let scores: TVec<u32> = (0..3).collect();
/// atomically(|tx| {
///     scores.push(tx, 3)?;
///     let first = scores.get(tx, 0)?.copied();
///     assert_eq!(first, Some(0));
///     assert_eq!(scores.set(tx, 0, 9)?, Some(&0));
///     scores.swap(tx, 0, 3)
/// });
/// assert_eq!(atomically(|tx| scores.fold(tx, 0, |digits, n| 10 * digits + n)), 3_129);
/// ```
pub struct TVec<T: Send + Sync + 'static> {
    segments: Box<[TLink<Segment<T>>]>,
    len: TVar<usize>,
    name: Name,
}

struct Segment<T: Send + Sync + 'static>(Box<[TLink<T>]>);

impl<T: Send + Sync + 'static> Segment<T> {
    /// Of a segment that nobody else has.
    #[cold]
    fn be_called(&self, name: Name) {
        self.0.iter().for_each(|place| name.give(place.as_cell()));
    }
}

/// The segment of a place, and where it lies in that.
fn locate(index: usize) -> (usize, usize) {
    let from_first = index.checked_add(FIRST).expect("no memory holds so many elements");
    let segment = from_first.ilog2() - FIRST.ilog2();
    (segment as usize, from_first - (FIRST << segment))
}

impl<T: Send + Sync + 'static> TVec<T> {
    /// Without elements.
    pub fn new() -> Self {
        let segments = (0..SEGMENTS).map(|_| TLink::new(None)).collect();
        Self { segments, len: TVar::new(0), name: Name::default() }
    }

    /// The place of `index`, if its segment is there.
    #[inline]
    fn place<'t, V: View<'t>>(
        &'t self,
        view: &mut V,
        index: usize,
    ) -> Result<Option<&'t TLink<T>>, Rollback> {
        // No element is there for an index without a segment.
        if index > usize::MAX - FIRST {
            return Ok(None);
        }
        let (segment, place) = locate(index);
        Ok(self.segments[segment].get(view)?.map(|segment| &segment.0[place]))
    }

    /// The element at `index`; the reference lives as long as the attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn get<'t, V: View<'t>>(
        &'t self,
        view: &mut V,
        index: usize,
    ) -> Result<Option<&'t T>, Rollback> {
        match self.place(view, index)? {
            Some(place) => place.get(view),
            None => Ok(None),
        }
    }

    /// Replaces the element at `index` and answers the one before; does nothing if there is none.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn set<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        index: usize,
        value: T,
    ) -> Result<Option<&'t T>, Rollback> {
        let Some(place) = self.place(tx, index)? else { return Ok(None) };
        let before = place.get(tx)?;
        if before.is_some() {
            let value = Arc::new(value);
            tx.tell(self, |codec: &SequenceCodec<T>, to| codec.set(index, &value, to));
            place.set(tx, Some(value))?;
        }
        Ok(before)
    }

    /// Replaces the element at `index` by what `change` makes of it; answers whether there is one.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn update<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        index: usize,
        change: impl FnOnce(&T) -> T,
    ) -> Result<bool, Rollback> {
        let Some(place) = self.place(tx, index)? else { return Ok(false) };
        let Some(value) = place.get(tx)? else { return Ok(false) };
        let value = Arc::new(change(value));
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.set(index, &value, to));
        place.set(tx, Some(value))?;
        Ok(true)
    }

    /// Exchanges two elements; answers whether both are there.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn swap<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        left: usize,
        right: usize,
    ) -> Result<bool, Rollback> {
        let places = (self.place(tx, left)?, self.place(tx, right)?);
        let (Some(place), Some(other)) = places else { return Ok(false) };
        let (Some(first), Some(second)) = (place.share(tx)?, other.share(tx)?) else {
            return Ok(false);
        };
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.swap(left, right, to));
        place.set(tx, Some(second))?;
        other.set(tx, Some(first))?;
        Ok(true)
    }

    /// Adds an element at the end; answers its index.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn push<'t>(&'t self, tx: &mut Tx<'t>, value: T) -> Result<usize, Rollback> {
        let index = self.len.get(tx)?;
        let (segment, _) = locate(index);
        if self.segments[segment].get(tx)?.is_none() {
            let places = (0..FIRST << segment).map(|_| TLink::new(None)).collect();
            let places = Arc::new(Segment(places));
            if self.name.is_given() {
                places.be_called(self.name);
            }
            self.segments[segment].set(tx, Some(places))?;
        }
        let place = self.place(tx, index)?.expect("its segment is there");
        let value = Arc::new(value);
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.push(&value, to));
        place.set(tx, Some(value))?;
        self.len.set(tx, index + 1)?;
        Ok(index)
    }

    /// Takes the last element off, if there is one.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn pop<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Option<&'t T>, Rollback> {
        let Some(index) = self.len.get(tx)?.checked_sub(1) else { return Ok(None) };
        let place = self.place(tx, index)?.expect("its segment is there");
        let value = place.get(tx)?;
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.pop(to));
        place.set(tx, None)?;
        self.len.set(tx, index)?;
        if let (segment, 0) = locate(index) {
            self.give_back(tx, segment + 1)?;
        }
        Ok(value)
    }

    /// Unlinks a segment if it is there.
    ///
    /// Whoever has read or written a place in it has read this link, and is in conflict if it does
    /// not end before; so the places themselves need not be written.
    #[track_caller]
    fn give_back<'t>(&'t self, tx: &mut Tx<'t>, segment: usize) -> Result<(), Rollback> {
        match self.segments.get(segment) {
            Some(link) if link.get(tx)?.is_some() => link.set(tx, None),
            _ => Ok(()),
        }
    }

    /// How many elements there are.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<usize, Rollback> {
        self.len.get(view)
    }

    /// Whether there is no element.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<bool, Rollback> {
        Ok(self.get(view, 0)?.is_none())
    }

    /// Combines all elements in their order.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold<'t, V: View<'t>, A>(
        &'t self,
        view: &mut V,
        start: A,
        mut combine: impl FnMut(A, &'t T) -> A,
    ) -> Result<A, Rollback> {
        let mut folded = start;
        for segment in &self.segments {
            let Some(segment) = segment.get(view)? else { break };
            for place in &segment.0 {
                // Elements are without gaps: behind a vacant place there are none.
                let Some(value) = place.get(view)? else { return Ok(folded) };
                folded = combine(folded, value);
            }
        }
        Ok(folded)
    }

    /// Takes all elements off, and gives back their room but for the first segment's.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        let len = self.len.get(tx)?;
        tx.tell(self, |codec: &SequenceCodec<T>, to| codec.clear(to));
        for index in 0..len.min(FIRST) {
            self.place(tx, index)?.expect("its segment is there").set(tx, None)?;
        }
        self.len.set(tx, 0)?;
        (1..SEGMENTS).try_for_each(|segment| self.give_back(tx, segment))
    }

    /// Pushes all `values`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn extend<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), Rollback> {
        values.into_iter().try_for_each(|value| self.push(tx, value).map(drop))
    }
}

impl<T: Send + Sync + 'static> FromIterator<T> for TVec<T> {
    /// These elements, without a transaction.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut all = Self::new();
        let mut links = values.into_iter().map(|value| TLink::new(Some(Arc::new(value))));
        let mut len = 0;
        for (number, segment) in all.segments.iter_mut().enumerate() {
            let size = FIRST << number;
            let mut places: Vec<_> = links.by_ref().take(size).collect();
            if places.is_empty() {
                break;
            }
            len += places.len();
            places.resize_with(size, TLink::default);
            *segment = TLink::new(Some(Arc::new(Segment(places.into()))));
        }
        all.len = TVar::new(len);
        all
    }
}

impl<T: Send + Sync + 'static> Nameable for TVec<T> {
    fn be_called(&mut self, name: Name) {
        self.name = name;
        name.give(self.len.as_cell());
        for link in &self.segments {
            name.give(link.as_cell());
            // SAFETY: nobody else has the vector.
            if let Some(segment) = unsafe { link.node_at_rest() } {
                segment.be_called(name);
            }
        }
    }
}

impl<T: Send + Sync + 'static> Variable for TVec<T> {}

impl<T: Send + Sync + 'static> Default for TVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for TVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TVec").finish_non_exhaustive()
    }
}
