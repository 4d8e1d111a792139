//! How an actor is processed, as numbers that go with it to another theater.

use super::{MOST_WIDTH, MakePolicy, Ordering, Processing, ProcessingMode};
use crate::processing::width::WidthPolicy;
use std::sync::Arc;

/// A [`Processing`] that can be written down. What is not known in it, of a newer version, is the
/// default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenProcessing {
    /// 0 sequential, 1 concurrent, 2 adaptive, 3 adaptive by a policy of its own.
    pub mode: u8,
    /// The width, 0 for one per worker.
    pub width: u64,
    /// 0 per sender, 1 unordered, 2 of the mailbox.
    pub ordering: u8,
    /// Whether it blocks.
    pub blocks: bool,
}

impl Processing {
    /// As numbers. A policy of its own is none: it is made anew where they are [read](Self::read).
    pub fn written(&self) -> WrittenProcessing {
        let mode = match &self.mode {
            ProcessingMode::Sequential => 0,
            ProcessingMode::Concurrent => 1,
            ProcessingMode::Adaptive(MakePolicy(None)) => 2,
            ProcessingMode::Adaptive(MakePolicy(Some(_))) => 3,
        };
        let ordering = match self.ordering {
            Ordering::PerSender => 0,
            Ordering::Unordered => 1,
            Ordering::Mailbox => 2,
        };
        let width = self.width.map_or(0, |width| width as u64);
        WrittenProcessing { mode, width, ordering, blocks: self.blocks }
    }

    /// What was written; `policy` makes the policy of one that has had its own.
    pub fn read(
        written: WrittenProcessing,
        policy: impl Fn() -> Box<dyn WidthPolicy> + Send + Sync + 'static,
    ) -> Self {
        let mode = match written.mode {
            0 => ProcessingMode::Sequential,
            1 => ProcessingMode::Concurrent,
            3 => ProcessingMode::Adaptive(MakePolicy(Some(Arc::new(policy)))),
            _ => ProcessingMode::Adaptive(MakePolicy::HILL_CLIMB),
        };
        let ordering = match written.ordering {
            1 => Ordering::Unordered,
            2 => Ordering::Mailbox,
            _ => Ordering::PerSender,
        };
        // The actor is to work where there are fewer workers, too.
        let width = usize::try_from(written.width).unwrap_or(usize::MAX).min(MOST_WIDTH);
        let width = (width > 0).then_some(width);
        Self { mode, width, ordering, blocks: written.blocks, bounds: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::width::{Fixed, HillClimb};

    #[test]
    fn processing_is_read_as_it_was_written() {
        let all = [
            Processing::sequential(),
            Processing::sequential().non_blocking().ordering(Ordering::Mailbox),
            Processing::concurrent().width(3),
            Processing::concurrent().non_blocking().ordering(Ordering::Unordered),
            Processing::adaptive().width(2),
            Processing::adaptive_with(|| Fixed::new(2)),
        ];
        let numbers: Vec<_> = all.iter().map(Processing::written).collect();
        let read: Vec<_> = numbers
            .iter()
            .map(|written| Processing::read(*written, || Box::new(HillClimb::new())).written())
            .collect();
        assert_eq!(read, numbers);
        let modes: Vec<_> = numbers.iter().map(|written| (written.mode, written.blocks)).collect();
        assert_eq!(modes, [(0, true), (0, false), (1, true), (1, false), (2, false), (3, false)]);
        let strange = WrittenProcessing { mode: 9, width: u64::MAX, ordering: 9, blocks: true };
        let read = Processing::read(strange, || Box::new(HillClimb::new()));
        assert_eq!(
            (read.width, read.written().mode, read.ordering),
            (Some(1024), 2, Ordering::PerSender)
        );
    }
}
