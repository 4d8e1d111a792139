//! Which commits one epoch has: of each transaction all parts, or none.

use super::{Life, State};
use std::collections::BTreeMap;

/// Up to which number of each log, for the logs that have something in it.
pub(super) type Cut = BTreeMap<Life, u64>;

impl State {
    /// As much as can be written now.
    ///
    /// Begins with all that is offered, and takes away what some log does not have: of a
    /// transaction that is not whole, each part, with all that comes behind it. What is left is the
    /// largest cut, as the greatest fixed point of a function that only takes away.
    pub(super) fn cut(&self) -> Cut {
        let offered = |log: &Life| Some(self.logs.get(log)?.offered.back()?.0);
        let mut ends = Cut::new();
        for (log, _) in self.transactions.values().flat_map(|transaction| &transaction.parts) {
            if let Some(end) = offered(log) {
                ends.insert(*log, end);
            }
        }
        let has = |ends: &Cut, &(log, number): &(Life, u64)| {
            ends.get(&log).is_some_and(|end| number <= *end)
        };
        loop {
            let mut has_changed = false;
            for transaction in self.transactions.values() {
                let parts = &transaction.parts;
                let is_all = parts.len() == transaction.expected;
                if is_all && parts.iter().all(|part| has(&ends, part)) {
                    continue;
                }
                for part in parts {
                    if has(&ends, part) {
                        ends.insert(part.0, part.1 - 1);
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
        // What is behind the last transaction waits for none.
        let mut cut = Cut::new();
        for part in self.transactions.values().flat_map(|transaction| &transaction.parts) {
            if has(&ends, part) {
                let end = cut.entry(part.0).or_default();
                *end = part.1.max(*end);
            }
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PartLog, Run, Transaction};
    use super::*;
    use odeon_core::Random;
    use odeon_log::LogId;

    const LOGS: usize = 3;

    /// Logs that offer this, one behind the other from 1 on, and transactions with these numbers.
    fn state(offered: [u64; LOGS], transactions: &[(usize, Vec<(u64, u64)>)]) -> State {
        let mut state = State::default();
        for (log, end) in (0..).zip(offered) {
            let offered: Run = (1..=end).map(|number| (number, Vec::new().into())).collect();
            let log_state = PartLog { id: LogId(0), log: None, offered, bytes: 0, failure: None };
            state.logs.insert(Life(log), log_state);
        }
        for (id, (expected, parts)) in (0..).zip(transactions) {
            let parts = parts.iter().map(|&(log, number)| (Life(log), number)).collect();
            let transaction = Transaction { expected: *expected, parts, failure: None };
            state.transactions.insert(id, transaction);
        }
        state
    }

    fn cut(offered: [u64; LOGS], transactions: &[(usize, Vec<(u64, u64)>)]) -> Vec<(u64, u64)> {
        state(offered, transactions).cut().into_iter().map(|(log, end)| (log.0, end)).collect()
    }

    #[test]
    fn a_transaction_is_whole_or_not_there() {
        assert_eq!(cut([5, 5, 5], &[(2, vec![(0, 2), (1, 4)])]), [(0, 2), (1, 4)]);
        assert_eq!(cut([5, 3, 5], &[(2, vec![(0, 2), (1, 4)])]), []);
        // A part of it is still to come.
        assert_eq!(cut([5, 5, 5], &[(3, vec![(0, 2), (1, 4)])]), []);
    }

    #[test]
    fn what_is_not_there_takes_with_it_what_comes_behind() {
        let transactions = [
            (2, vec![(0, 1), (1, 1)]),
            (2, vec![(1, 2), (2, 2)]),
            // Behind one that is not whole, in one log of two.
            (2, vec![(0, 3), (1, 3)]),
            (2, vec![(0, 2), (1, 4)]),
        ];
        assert_eq!(cut([5, 5, 1], &transactions), [(0, 1), (1, 1)]);
        assert_eq!(cut([5, 5, 5], &transactions), [(0, 3), (1, 4), (2, 2)]);
        // In different orders, which two logs may have.
        let crossed = [(2, vec![(0, 1), (1, 2)]), (2, vec![(0, 2), (1, 1)])];
        assert_eq!(cut([2, 2, 0], &crossed), [(0, 2), (1, 2)]);
        assert_eq!(cut([1, 2, 0], &crossed), []);
    }

    /// Against all cuts there are.
    #[test]
    fn it_is_the_largest_one() {
        for seed in 0..300 {
            let random = &mut Random::from_seed(seed);
            let offered = [(); LOGS].map(|()| random.below(4) as u64);
            let mut next = [1; LOGS];
            let mut transactions = Vec::new();
            for _ in 0..random.below(5) {
                let logs: Vec<usize> = (0..LOGS).filter(|_| random.below(3) > 0).collect();
                let part = |&log: &usize| {
                    next[log] += 1 + random.below(2) as u64;
                    (log as u64, next[log] - 1)
                };
                let parts: Vec<_> = logs.iter().map(part).collect();
                transactions.push((parts.len(), parts));
            }
            let is_cut = |ends: &[u64; LOGS]| {
                transactions.iter().all(|(_, parts)| {
                    let there = parts.iter().filter(|(log, number)| *number <= ends[*log as usize]);
                    [0, parts.len()].contains(&there.count())
                })
            };
            let mut largest = [0; LOGS];
            for a in 0..=offered[0] {
                for b in 0..=offered[1] {
                    for c in 0..=offered[2] {
                        if is_cut(&[a, b, c]) {
                            let ends = [a, b, c];
                            (0..LOGS).for_each(|log| largest[log] = largest[log].max(ends[log]));
                        }
                    }
                }
            }
            let found = state(offered, &transactions).cut();
            for (log, largest) in largest.into_iter().enumerate() {
                let of_it = transactions.iter().flat_map(|(_, parts)| parts);
                let last =
                    of_it.filter(|(of, n)| *of == log as u64 && *n <= largest).map(|it| it.1);
                assert_eq!(found.get(&Life(log as u64)).copied(), last.max(), "seed {seed}");
            }
        }
    }
}
