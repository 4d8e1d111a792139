//! What one counter counts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A part of the machine whose energy one counter counts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Domain {
    /// What part.
    pub kind: DomainKind,
    /// What the counter is called: `package-0`, `GPU 0 NVIDIA H100`.
    pub name: Arc<str>,
    /// The step of the counter, in J.
    pub resolution_joules: f64,
    /// How often the counter is brought up to date, at the slowest.
    pub updated_every: Duration,
    /// What the part draws at most, even for a moment.
    pub peak_watts: f64,
}

/// Which part of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DomainKind {
    /// A processor with its cores, caches, integrated graphics.
    Package,
    /// The memory of a processor, which is not in its package's count.
    Memory,
    /// The machine as its supply sees it: packages, memory and more.
    Platform,
    /// A device with memory of its own, known by this identity.
    Device(Arc<str>),
}

impl Domain {
    /// A part of the machine; for meters of your own.
    ///
    /// # Panics
    /// If `resolution_joules` or `peak_watts` is negative or not finite.
    #[track_caller]
    pub fn new(
        kind: DomainKind,
        name: impl Into<Arc<str>>,
        resolution_joules: f64,
        updated_every: Duration,
        peak_watts: f64,
    ) -> Self {
        for (what, number) in [("resolution", resolution_joules), ("peak", peak_watts)] {
            assert!(number.is_finite() && number >= 0.0, "a {what} of {number}");
        }
        Self { kind, name: name.into(), resolution_joules, updated_every, peak_watts }
    }

    /// Whether a joule may be in both counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        use DomainKind::{Device, Platform};
        match (&self.kind, &other.kind) {
            (Device(one), Device(another)) => one == another,
            // WHY: whether a platform's count has its plugged-in devices in it differs between
            // machines: it may.
            (Platform, _) | (_, Platform) => true,
            (one, another) => one == another && self.name == other.name,
        }
    }

    /// How far off the difference of two counts may be, in J: what is drawn in one period of the
    /// counter was left out at the end, or comes in from before the beginning; and one step.
    pub fn error_joules(&self) -> f64 {
        self.resolution_joules + self.peak_watts * self.updated_every.as_secs_f64()
    }

    /// Whether this is the processor or its memory.
    pub fn is_processor(&self) -> bool {
        matches!(self.kind, DomainKind::Package | DomainKind::Memory)
    }

    /// Whether this is a device with memory of its own.
    pub fn is_device(&self) -> bool {
        matches!(self.kind, DomainKind::Device(_))
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
