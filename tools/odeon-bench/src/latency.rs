//! How long single operations took, from the first step of each to its answer.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Of the operations of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of them took at most so long.
    pub p50_ns: u32,
    /// All but one in a hundred took at most so long.
    pub p99_ns: u32,
}

impl Latency {
    /// From the nanoseconds of each; `None` if there was none.
    pub fn of(mut nanoseconds: Vec<u32>) -> Option<Self> {
        nanoseconds.sort_unstable();
        let last = nanoseconds.len().checked_sub(1)?;
        let at = |percent: usize| nanoseconds[(last * percent).div_ceil(100)];
        Some(Self { p50_ns: at(50), p99_ns: at(99) })
    }
}

/// At most some four seconds.
pub fn nanoseconds(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_nanos()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_and_half_of_the_operations_took_at_most_so_long() {
        let latency = Latency::of((0..=1000).rev().collect());
        assert_eq!(latency, Some(Latency { p50_ns: 500, p99_ns: 990 }));
        assert_eq!(Latency::of(vec![7]), Some(Latency { p50_ns: 7, p99_ns: 7 }));
        assert_eq!(Latency::of(Vec::new()), None);
    }
}
