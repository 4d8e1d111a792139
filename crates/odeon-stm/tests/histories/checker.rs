//! Whether a recorded history is strictly serialisable: whether some serial order of its
//! transactions explains every value that was read and has no transaction before one that had ended
//! when it began.
//!
//! It knows nothing of the engine: it searches the orders. Rolled back attempts are put in as
//! transactions that write nothing; so a history that is accepted is opaque too.

use std::collections::HashSet;

/// A variable, by its place in the state.
pub(crate) type Variable = usize;

/// One transaction, as the outside has seen it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transaction {
    /// What it is, for reports.
    pub(crate) what: String,
    /// A moment not after it began, on a clock that all threads share.
    pub(crate) begin: u64,
    /// A moment not before it ended.
    pub(crate) end: u64,
    /// What it has read of others.
    pub(crate) reads: Vec<(Variable, u64)>,
    /// What it has left behind.
    pub(crate) writes: Vec<(Variable, u64)>,
}

impl Transaction {
    /// A read; one of a variable that it has written is compared with that.
    pub(crate) fn has_read(&mut self, variable: Variable, value: u64) {
        match self.writes.iter().find(|(written, _)| *written == variable) {
            Some((_, written)) => assert_eq!(*written, value, "own write of {variable}: {self:?}"),
            None => self.reads.push((variable, value)),
        }
    }

    /// A write, which replaces an earlier one.
    pub(crate) fn has_written(&mut self, variable: Variable, value: u64) {
        self.writes.retain(|(written, _)| *written != variable);
        self.writes.push((variable, value));
    }

    /// It was rolled back.
    pub(crate) fn without_effect(mut self) -> Self {
        self.writes.clear();
        self.what.push_str(", rolled back");
        self
    }
}

/// An order that explains the history, by places in it; `None` if there is none. All variables are
/// 0 at first.
///
/// # Panics
///
/// Panics if there are more than 64 transactions: the search is for small histories.
pub(crate) fn serial_order(history: &[Transaction], variables: usize) -> Option<Vec<usize>> {
    assert!(history.len() <= 64, "{} transactions are too many to search", history.len());
    let mut search = Search { history, seen: HashSet::new(), order: Vec::new() };
    search.goes_on(0, &vec![0; variables]).then_some(search.order)
}

struct Search<'a> {
    history: &'a [Transaction],
    /// What was tried in vain: which transactions were done, and the state after them.
    seen: HashSet<(u64, Vec<u64>)>,
    order: Vec<usize>,
}

impl Search<'_> {
    /// Whether the transactions that are not in `done` can follow on `state`.
    fn goes_on(&mut self, done: u64, state: &[u64]) -> bool {
        if done.count_ones() as usize == self.history.len() {
            return true;
        }
        if self.seen.contains(&(done, state.to_vec())) {
            return false;
        }
        let left: Vec<usize> =
            (0..self.history.len()).filter(|place| done & 1 << place == 0).collect();
        // Who begins after one of the others has ended is not next.
        let first_end = left.iter().map(|place| self.history[*place].end).min().expect("some left");
        for place in left {
            let next = &self.history[place];
            let fits = next.begin <= first_end
                && next.reads.iter().all(|(variable, value)| state[*variable] == *value);
            if !fits {
                continue;
            }
            let mut after = state.to_vec();
            for (variable, value) in &next.writes {
                after[*variable] = *value;
            }
            self.order.push(place);
            if self.goes_on(done | 1 << place, &after) {
                return true;
            }
            self.order.pop();
        }
        self.seen.insert((done, state.to_vec()));
        false
    }
}
