//! When a packet arrives, if it does.

use std::time::Duration;

use odeon_core::Random;

use super::{Conditions, Counts};

/// From one theater to another.
#[derive(Debug)]
pub(super) struct Direction {
    pub(super) conditions: Conditions,
    pub(super) counts: Counts,
    /// When the last byte gets through that was sent so far.
    busy_until: Duration,
    /// When the last packet arrives that must not be overtaken.
    last_arrival: Duration,
}

impl Direction {
    pub(super) fn new(conditions: Conditions) -> Self {
        Self {
            conditions,
            counts: Counts::default(),
            busy_until: Duration::ZERO,
            last_arrival: Duration::ZERO,
        }
    }

    /// When what is sent now arrives: not at all, once, or twice.
    pub(super) fn send(
        &mut self,
        bytes: usize,
        too_large: bool,
        now: Duration,
        random: &mut Random,
    ) -> [Option<Duration>; 2] {
        self.counts.sent += 1;
        self.counts.bytes += bytes as u64;
        if too_large {
            self.counts.too_large += 1;
        } else if self.conditions.cut {
            self.counts.cut += 1;
        } else if chance(self.conditions.loss, random) {
            self.counts.lost += 1;
        } else {
            let first = self.arrival(bytes, now, random);
            let second = chance(self.conditions.duplication, random).then(|| {
                self.counts.doubled += 1;
                self.arrival(bytes, now, random)
            });
            return [Some(first), second];
        }
        [None, None]
    }

    fn arrival(&mut self, bytes: usize, now: Duration, random: &mut Random) -> Duration {
        let through = match self.conditions.rate {
            Some(rate) => {
                let takes = Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64);
                self.busy_until = self.busy_until.max(now).saturating_add(takes);
                self.busy_until
            }
            None => now,
        };
        let (least, greatest) = self.conditions.delay;
        let arrival = through.saturating_add(between(least, greatest, random));
        if chance(self.conditions.reordering, random) {
            self.counts.reordered += 1;
            let most = if greatest.is_zero() {
                Duration::from_millis(10)
            } else {
                greatest.saturating_mul(10)
            };
            return arrival.saturating_add(between(Duration::ZERO, most, random));
        }
        self.last_arrival = self.last_arrival.max(arrival);
        self.last_arrival
    }

    /// Whether a packet that was under way gets there. `there`: whether anybody is.
    pub(super) fn arrive(&mut self, there: bool) -> bool {
        if self.conditions.cut {
            self.counts.cut += 1;
        } else if !there {
            self.counts.missed += 1;
        } else {
            self.counts.delivered += 1;
            return true;
        }
        false
    }
}

fn chance(share: f64, random: &mut Random) -> bool {
    // 53 bits are what a float between 0 and 1 has room for.
    share > 0.0 && ((random.next_u64() >> 11) as f64) < share * (1_u64 << 53) as f64
}

fn between(least: Duration, greatest: Duration, random: &mut Random) -> Duration {
    // Five hundred years, at most.
    let span = u64::try_from(greatest.saturating_sub(least).as_nanos()).unwrap_or(u64::MAX);
    let part = match span.checked_add(1) {
        _ if span == 0 => 0,
        Some(many) => random.next_u64() % many,
        None => random.next_u64(),
    };
    least.saturating_add(Duration::from_nanos(part))
}
