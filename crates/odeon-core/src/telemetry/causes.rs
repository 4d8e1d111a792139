//! Where the causes of messages under way are kept, each under the number that goes with its
//! message.

use odeon_sync::{Mutex, MutexGuard};

use super::follow::Cause;

/// TUNE: messages under way that are followed at a time, in one theater: 24 bits of a label would
/// allow for more; this many spans kept alive are some 16 MB. Those beyond are not followed.
const MOST: usize = 1 << 16;

/// Numbered from 1: 0 stands for no cause.
#[derive(Default)]
pub(crate) struct Causes(Mutex<CauseTable>);

#[derive(Default)]
struct CauseTable {
    places: Vec<Option<Cause>>,
    free: Vec<u32>,
    lost: u64,
}

impl Causes {
    /// Keeps a cause; returns its number, or `None` if there are too many.
    pub(crate) fn put(&self, cause: Cause) -> Option<u32> {
        let mut table = self.lock();
        if let Some(number) = table.free.pop() {
            table.places[number as usize - 1] = Some(cause);
            return Some(number);
        }
        if table.places.len() == MOST {
            table.lost += 1;
            // Dropping it is the tracer's code: not under the lock.
            drop(table);
            drop(cause);
            return None;
        }
        table.places.push(Some(cause));
        Some(table.places.len() as u32)
    }

    /// Gives a cause back, once.
    pub(crate) fn take(&self, number: u32) -> Option<Cause> {
        let mut table = self.lock();
        let cause = table.places.get_mut(number as usize - 1)?.take()?;
        table.free.push(number);
        Some(cause)
    }

    /// How many were too many.
    pub(crate) fn lost(&self) -> u64 {
        self.lock().lost
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        let table = self.lock();
        table.places.len() - table.free.len()
    }

    fn lock(&self) -> MutexGuard<'_, CauseTable> {
        self.0.lock().expect("no panic happens under the lock of causes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_of(cause: Option<Cause>) -> Option<usize> {
        cause.map(|cause| *cause.downcast::<usize>().expect("a number was put in"))
    }

    #[test]
    fn each_number_gives_its_cause_back_once_and_is_used_again() {
        let causes = Causes::default();
        let numbers: Vec<_> = (0..3usize).map(|n| causes.put(Box::new(n)).unwrap()).collect();
        assert_eq!(numbers, [1, 2, 3]);
        assert_eq!(number_of(causes.take(2)), Some(1));
        assert_eq!(number_of(causes.take(2)), None);
        assert_eq!(causes.put(Box::new(7usize)), Some(2));
        assert_eq!(number_of(causes.take(2)), Some(7));
        assert_eq!(causes.len(), 2);
    }

    #[test]
    fn beyond_the_most_nothing_is_kept() {
        let causes = Causes::default();
        (0..MOST).for_each(|_| assert!(causes.put(Box::new(())).is_some()));
        assert_eq!(causes.put(Box::new(())), None);
        assert_eq!((causes.lost(), causes.len()), (1, MOST));
        assert!(causes.take(9).is_some() && causes.put(Box::new(())) == Some(9));
    }
}
