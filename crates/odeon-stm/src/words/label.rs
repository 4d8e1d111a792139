//! Names of variables, for reports of conflicts.
//!
//! A variable has no room for a name: one bit of its word says that it has one, and the name stands
//! in a table beside. Only the making, the dropping and the conflicts of labelled variables come
//! here.

use crate::words::abort::Cause;
use odeon_sync::Mutex;
use std::collections::{BTreeMap, HashMap};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Labels(Mutex<LabelTable>);

#[derive(Debug, Default)]
struct LabelTable {
    names: HashMap<usize, &'static str>,
    rollbacks: BTreeMap<(&'static str, usize), u64>,
}

impl Labels {
    /// The variable at `address` is called `name`.
    pub(crate) fn add(&self, address: usize, name: &'static str) {
        self.0.lock().expect("no panic happens under this lock").names.insert(address, name);
    }

    /// The variable at `address` ends.
    #[cold]
    pub(crate) fn remove(&self, address: usize) {
        self.0.lock().expect("no panic happens under this lock").names.remove(&address);
    }

    /// An attempt was rolled back because of the variable at `address`; answers its name.
    #[cold]
    pub(crate) fn count(&self, address: usize, cause: Cause) -> Option<&'static str> {
        let mut table = self.0.lock().expect("no panic happens under this lock");
        let name = table.names.get(&address).copied()?;
        *table.rollbacks.entry((name, cause as usize)).or_insert(0) += 1;
        Some(name)
    }

    pub(crate) fn counts(&self) -> Vec<(&'static str, Cause, u64)> {
        let table = self.0.lock().expect("no panic happens under this lock");
        let row = |(&(name, cause), &count): (&(&'static str, usize), &u64)| {
            (name, Cause::ALL[cause], count)
        };
        table.rollbacks.iter().map(row).collect()
    }
}
