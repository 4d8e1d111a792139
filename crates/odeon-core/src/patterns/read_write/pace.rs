//! How long reads take, and whether sharing them pays.

use std::time::Duration;

/// See the module.
#[derive(Debug)]
pub(super) struct Pace {
    /// Of some of the last reads, in nanoseconds; 0 before the first.
    mean_ns: u64,
    until_sample: u32,
    samples: u32,
}

/// TUNE: reads between two that are timed: two looks at the clock cost about 50 ns.
const EVERY: u32 = 64;
/// TUNE: the same for the first ones and for long ones.
const SOON: u32 = 8;
const FIRST_SAMPLES: u32 = 4;

/// TUNE: mean times of reads from which what the mailbox holds is gathered, and below which this
/// ends: to defer a message and share it costs some 100 ns.
const LONG_NS: u64 = 600;
const SHORT_NS: u64 = 300;

/// TUNE: reads that take so long together are worth a reader, who has to be woken and comes with a
/// cold cache.
const WORTH_NS: u64 = 4_000;

/// TUNE: reads that a reader takes at once take about so long.
const BATCH_NS: u64 = 1_500;
const LARGEST_BATCH: u64 = 16;

impl Default for Pace {
    fn default() -> Self {
        Self { mean_ns: 0, until_sample: 1, samples: 0 }
    }
}

impl Pace {
    /// Counts a read; `true`: it is to be timed.
    #[inline(always)]
    pub(super) fn is_sampled(&mut self) -> bool {
        self.until_sample -= 1;
        self.until_sample == 0
    }

    /// The next read to be timed comes after some more.
    pub(super) fn rearm(&mut self) {
        self.samples = self.samples.saturating_add(1);
        let soon = self.samples < FIRST_SAMPLES || self.mean_ns >= SHORT_NS;
        self.until_sample = if soon { SOON } else { EVERY };
    }

    /// A read has taken so long.
    pub(super) fn note(&mut self, took: Duration) {
        let took = took.as_nanos().min(u128::from(u64::MAX)) as u64;
        if self.mean_ns == 0 {
            self.mean_ns = took;
            return;
        }
        if self.samples <= FIRST_SAMPLES {
            // The first ones find a cold cache.
            self.mean_ns = self.mean_ns.min(took);
            return;
        }
        // Whoever was interrupted tells nothing of the reads.
        let took = took.min(8 * self.mean_ns);
        self.mean_ns = (7 * self.mean_ns + took) / 8;
    }

    /// Whether reads are so long that it pays to gather them; `gathers`: that is being done.
    pub(super) fn is_long(&self, gathers: bool) -> bool {
        self.mean_ns >= if gathers { SHORT_NS } else { LONG_NS }
    }

    /// Whether so many reads are worth a reader.
    pub(super) fn is_worth_a_reader(&self, reads: usize) -> bool {
        self.mean_ns.saturating_mul(reads as u64) >= WORTH_NS
    }

    /// How many reads a reader should take at once.
    pub(super) fn batch(&self) -> usize {
        (BATCH_NS / self.mean_ns.max(1)).clamp(1, LARGEST_BATCH) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_interruption_makes_no_read_long() {
        let mut pace = Pace::default();
        let note = |pace: &mut Pace, took| {
            pace.rearm();
            pace.note(took);
        };
        (0..20).for_each(|_| note(&mut pace, Duration::from_nanos(50)));
        note(&mut pace, Duration::from_millis(5));
        assert!(!pace.is_long(false) && !pace.is_worth_a_reader(24));
        (0..40).for_each(|_| note(&mut pace, Duration::from_micros(5)));
        assert!(pace.is_long(false) && pace.is_worth_a_reader(2) && pace.batch() == 1);
    }
}
