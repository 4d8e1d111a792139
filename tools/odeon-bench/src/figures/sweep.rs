//! Cases that are measured and shown in a table, and judged by nobody.

use crate::parameter::{Params, Setting, Value};
use crate::workload::Variant;

/// Cases between which one parameter makes the columns of a table.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// What all of them do.
    pub what: String,
    /// How Odeon runs them.
    pub variant: Variant,
    /// The parameter.
    pub over: &'static str,
    /// The ways in which they do it.
    pub rows: Vec<SweepRow>,
}

/// One row of the table.
#[derive(Debug, Clone)]
pub struct SweepRow {
    /// What is said of it.
    pub name: String,
    /// Parameters of this row alone.
    pub settings: Vec<Setting>,
    /// Values of the parameter that makes the columns.
    pub at: Vec<u64>,
}

impl Sweep {
    /// No cases yet.
    pub(super) fn new(what: impl Into<String>, variant: Variant, over: &'static str) -> Self {
        Self { what: what.into(), variant, over, rows: Vec::new() }
    }

    /// Adds cases.
    pub(super) fn row(mut self, name: &str, settings: &[Setting], at: &[u64]) -> Self {
        let (name, settings, at) = (name.to_owned(), settings.to_vec(), at.to_vec());
        self.rows.push(SweepRow { name, settings, at });
        self
    }

    /// All cases, with the parameters that a group's cases share.
    pub(crate) fn cases(&self, shared: &Params) -> Vec<Params> {
        let of_row = |row: &SweepRow| -> Vec<Params> {
            row.at.iter().map(|at| self.case(row, *at, shared)).collect()
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    /// One of them.
    pub(crate) fn case(&self, row: &SweepRow, at: u64, shared: &Params) -> Params {
        shared.clone().with_all(&row.settings).with(self.over, Value::Number(at))
    }
}
