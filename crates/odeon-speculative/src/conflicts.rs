//! Which messages were rolled back because of which variables: a table of bounded size, which only rollbacks touch.

use crate::contained::quietly;
use odeon_core::Message;
use odeon_stm::Cause;
use odeon_stm::staged::RolledBack;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// TUNE: rows of the table. More pairs of variables and messages than a person wants to read.
const ROWS: usize = 64;

/// What an attempt is called that handles no message.
const STARTED: &str = "started";

/// Attempts of one kind of message that were rolled back for one cause at one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The label of the variable; `None` if it has none ([`Labelled`](odeon_stm::Labelled)), or if the cause is not one
    /// variable.
    pub variable: Option<&'static str>,
    /// What was rolled back, as [`Message::message_name`] calls it; `started` for the start of the actor.
    pub message: &'static str,
    /// Why.
    pub cause: Cause,
    /// How often.
    pub rollbacks: u64,
}

/// The table of one actor. Of `std` also in models: nothing waits for it.
#[derive(Debug, Default)]
pub(crate) struct Conflicts(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    rows: BTreeMap<Row, u64>,
    /// What found no room.
    others: u64,
}

type Row = (Option<&'static str>, &'static str, usize);

impl Conflicts {
    /// An attempt at `message`, if it was at one, was rolled back.
    #[cold]
    pub(crate) fn count<M: Message>(&self, rolled_back: &RolledBack, message: Option<&M>) {
        let name = message.map_or(STARTED, name_of);
        self.count_row((rolled_back.label(), name, rolled_back.cause() as usize));
    }

    fn count_row(&self, row: Row) {
        let mut table = self.0.lock().expect("no panic happens under this lock");
        let Table { rows, others } = &mut *table;
        if rows.len() == ROWS && !rows.contains_key(&row) {
            *others += 1;
        } else {
            *rows.entry(row).or_insert(0) += 1;
        }
    }

    /// The rows, most rollbacks first, and how many rollbacks are in none.
    pub(crate) fn all(&self) -> (Vec<Conflict>, u64) {
        let table = self.0.lock().expect("no panic happens under this lock");
        let row = |(&(variable, message, cause), &rollbacks): (&Row, &u64)| Conflict {
            variable,
            message,
            cause: Cause::ALL[cause],
            rollbacks,
        };
        let mut conflicts: Vec<Conflict> = table.rows.iter().map(row).collect();
        conflicts.sort_by_key(|conflict| std::cmp::Reverse(conflict.rollbacks));
        (conflicts, table.others)
    }
}

/// A user's code, which must not end a runner.
fn name_of<M: Message>(message: &M) -> &'static str {
    quietly(|| message.message_name()).unwrap_or_else(std::any::type_name::<M>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_bounded_and_its_first_row_has_the_most_rollbacks() {
        let conflicts = Conflicts::default();
        let names: Vec<&'static str> =
            (0..ROWS + 3).map(|n| &*String::leak(format!("message {n}"))).collect();
        for name in &names {
            conflicts.count_row((None, name, 0));
        }
        // Rows that are there go on being counted when the table is full.
        conflicts.count_row((None, names[5], 0));
        let (rows, others) = conflicts.all();
        assert_eq!((rows.len(), others), (ROWS, 3));
        assert_eq!((rows[0].message, rows[0].rollbacks), (names[5], 2));
        assert_eq!(rows.iter().map(|row| row.rollbacks).sum::<u64>(), ROWS as u64 + 1);
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
