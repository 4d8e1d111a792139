//! Dead letters as events of `tracing`, few of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use odeon_core::{ActorId, DeadLetterReason, Observer};

/// Tells of dead letters by events of level `WARN`: of the first one of an actor for each reason,
/// then when there are 10, 100 and so on. So a flood of them is a handful of lines, each with the
/// count so far.
///
/// For [`TheaterBuilder::observer`](odeon_core::TheaterBuilder::observer); an observer of your own
/// can pass on what it is told. It remembers an actor and its counts, some 50 bytes for each that
/// had dead letters, up to 10,000 of them; then it forgets all and begins anew.
#[derive(Debug, Default)]
pub struct DeadLetterLog {
    counts: Mutex<HashMap<(ActorId, DeadLetterReason), u64>>,
}

/// Actors remembered at a time.
const MOST: usize = 10_000;

impl DeadLetterLog {
    fn count(&self, actor: ActorId, reason: DeadLetterReason) -> u64 {
        // An event is not made under the lock, so no subscriber's panic poisons it.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST && !counts.contains_key(&(actor, reason)) {
            counts.clear();
        }
        let count = counts.entry((actor, reason)).or_default();
        *count += 1;
        *count
    }
}

impl Observer for DeadLetterLog {
    fn dead_letter(&self, actor: ActorId, reason: DeadLetterReason) {
        let count = self.count(actor, reason);
        if is_power_of_ten(count) {
            tracing::warn!(
                target: "odeon",
                %actor,
                reason = reason.name(),
                count,
                "messages will not be handled"
            );
        }
    }
}

fn is_power_of_ten(mut n: u64) -> bool {
    while n != 0 && n % 10 == 0 {
        n /= 10;
    }
    n == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten() {
        let powers: Vec<_> = (0..=2_000).filter(|n| is_power_of_ten(*n)).collect();
        assert_eq!(powers, [1, 10, 100, 1_000]);
    }
}
