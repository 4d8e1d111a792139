//! What has happened to packets.

use std::iter::Sum;

/// What has happened to the packets of one direction, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets that were sent.
    pub sent: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Packets that have arrived; those that arrived twice count twice.
    pub delivered: u64,
    /// Packets that were lost by chance.
    pub lost: u64,
    /// Packets that were sent on twice.
    pub doubled: u64,
    /// Packets that could be overtaken.
    pub reordered: u64,
    /// Packets that a cut has stopped, on their way or before it.
    pub cut: u64,
    /// Packets to nobody: their theater has gone.
    pub missed: u64,
    /// Packets above the greatest length, dropped.
    pub too_large: u64,
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            sent: sum.sent + one.sent,
            bytes: sum.bytes + one.bytes,
            delivered: sum.delivered + one.delivered,
            lost: sum.lost + one.lost,
            doubled: sum.doubled + one.doubled,
            reordered: sum.reordered + one.reordered,
            cut: sum.cut + one.cut,
            missed: sum.missed + one.missed,
            too_large: sum.too_large + one.too_large,
        })
    }
}
