//! How often something rare has happened, by what it was: a table of bounded size.

use crate::contained::quietly;
use odeon_core::Message;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// TUNE: rows of a table. More than a person wants to read.
const ROWS: usize = 64;

/// See the module. Of `std` also in models: nothing waits for it.
#[derive(Debug)]
pub(crate) struct BoundedCounts<Row>(Mutex<CountTable<Row>>);

#[derive(Debug)]
struct CountTable<Row> {
    rows: BTreeMap<Row, u64>,
    /// What found no room.
    others: u64,
}

impl<Row> Default for BoundedCounts<Row> {
    fn default() -> Self {
        Self(Mutex::new(CountTable { rows: BTreeMap::new(), others: 0 }))
    }
}

impl<Row: Ord + Copy> BoundedCounts<Row> {
    pub(crate) fn count(&self, row: Row) {
        let mut table = self.0.lock().expect("no panic happens under this lock");
        let CountTable { rows, others } = &mut *table;
        if rows.len() == ROWS && !rows.contains_key(&row) {
            *others += 1;
        } else {
            *rows.entry(row).or_insert(0) += 1;
        }
    }

    /// The rows, those with the highest counts first, and the count of what is in none.
    pub(crate) fn all(&self) -> (Vec<(Row, u64)>, u64) {
        let table = self.0.lock().expect("no panic happens under this lock");
        let mut rows: Vec<_> = table.rows.iter().map(|(row, count)| (*row, *count)).collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        (rows, table.others)
    }
}

/// How a message is called. A user's code, which must not end a runner.
pub(crate) fn name_of<M: Message>(message: &M) -> &'static str {
    quietly(|| message.message_name()).unwrap_or_else(std::any::type_name::<M>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_bounded_and_its_first_row_has_the_highest_count() {
        let counts = BoundedCounts::default();
        for row in 0..ROWS + 3 {
            counts.count(row);
        }
        // Rows that are there go on being counted when the table is full.
        counts.count(5);
        let (rows, others) = counts.all();
        assert_eq!((rows.len(), others), (ROWS, 3));
        assert_eq!(rows[0], (5, 2));
        assert_eq!(rows.iter().map(|(_, count)| count).sum::<u64>(), ROWS as u64 + 1);
    }

    #[test]
    fn a_message_that_cannot_say_its_name_is_called_as_its_type() {
        struct Shy;
        impl Message for Shy {
            fn message_name(&self) -> &'static str {
                panic!("no name")
            }
        }
        assert!(name_of(&Shy).ends_with("Shy"));
    }
}
