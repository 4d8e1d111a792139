//! A checker of list histories that knows nothing of how they came to be: is there an order of all
//! operations that agrees with real time and explains every result (Herlihy and Wing 1990; the
//! search is Wing and Gong's, 1993)?
//!
//! Each client waits for its answers, so what has taken effect is one position for each client.
//! What the list holds then follows from the positions alone: each insertion and removal says
//! whether it changed something. So each vector of positions is visited once.

use crate::history::{History, ListEvent, Operation, OperationOutcome};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Whether some order explains the history.
pub(super) fn is_linearizable(history: &History) -> bool {
    let mut clients: BTreeMap<usize, Vec<&ListEvent>> = BTreeMap::new();
    for event in &history.events {
        clients.entry(event.client).or_default().push(event);
    }
    let clients: Vec<Vec<&ListEvent>> = clients.into_values().collect();
    let initial: BTreeSet<u32> = history.initial.iter().copied().collect();
    let sum = initial.iter().copied().map(i64::from).sum();
    let mut search = Search { clients: &clients, seen: HashSet::new() };
    search.goes_on(&mut vec![0; clients.len()], &mut Listed { values: initial, sum })
}

struct Listed {
    values: BTreeSet<u32>,
    sum: i64,
}

struct Search<'a> {
    clients: &'a [Vec<&'a ListEvent>],
    seen: HashSet<Vec<usize>>,
}

impl Search<'_> {
    fn goes_on(&mut self, at: &mut Vec<usize>, list: &mut Listed) -> bool {
        let open = |at: &[usize]| -> Vec<usize> {
            (0..at.len()).filter(|client| at[*client] < self.clients[*client].len()).collect()
        };
        let open = open(at);
        if open.is_empty() {
            return true;
        }
        if !self.seen.insert(at.clone()) {
            return false;
        }
        // The next operation began before any that has not taken effect was answered.
        let first_answer =
            open.iter().map(|client| self.clients[*client][at[*client]].return_ns).min();
        for client in open {
            let event = self.clients[client][at[client]];
            if Some(event.call_ns) > first_answer || !list.explains(event) {
                continue;
            }
            list.apply(event, true);
            at[client] += 1;
            if self.goes_on(at, list) {
                return true;
            }
            at[client] -= 1;
            list.apply(event, false);
        }
        false
    }
}

impl Listed {
    fn explains(&self, event: &ListEvent) -> bool {
        let holds = self.values.contains(&event.arg);
        event.result
            == match event.op {
                Operation::Lookup | Operation::Remove => OperationOutcome::Whether(holds),
                Operation::Insert => OperationOutcome::Whether(!holds),
                Operation::Sum => OperationOutcome::Sum(self.sum),
            }
    }

    /// Does what the event did, or undoes it.
    fn apply(&mut self, event: &ListEvent, forth: bool) {
        if event.result != OperationOutcome::Whether(true) {
            return;
        }
        let adds = match event.op {
            Operation::Insert => forth,
            Operation::Remove => !forth,
            Operation::Lookup | Operation::Sum => return,
        };
        if adds {
            self.values.insert(event.arg);
            self.sum += i64::from(event.arg);
        } else {
            self.values.remove(&event.arg);
            self.sum -= i64::from(event.arg);
        }
    }
}

#[test]
fn an_impossible_history_is_found_out() {
    let event = |client, op, arg, result, call_ns, return_ns| ListEvent {
        client,
        op,
        arg,
        result,
        call_ns,
        return_ns,
    };
    let insert = event(0, Operation::Insert, 5, OperationOutcome::Whether(true), 0, 10);
    let history = |sum, call_ns| History {
        initial: vec![1],
        events: vec![
            ListEvent { ..insert },
            event(1, Operation::Sum, 0, OperationOutcome::Sum(sum), call_ns, call_ns + 5),
        ],
    };
    assert!(is_linearizable(&history(6, 20)));
    assert!(!is_linearizable(&history(1, 20)), "it does not see what was answered before it began");
    assert!(
        is_linearizable(&history(1, 5)) && is_linearizable(&history(6, 5)),
        "at once: both may be"
    );
    assert!(!is_linearizable(&history(4, 5)), "a torn sum");
}
