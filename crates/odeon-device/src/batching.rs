//! Which messages of a device actor make one batch.

use std::time::Duration;

/// Which messages of a device actor make one batch: as many as come within a window from the first
/// one, up to a number. What comes while a batch is under way belongs to the next one.
///
/// ```
/// use odeon_device::Batching;
/// use std::time::Duration;
///
/// // A launch costs much beside a message: wait for company, though not for long.
/// let patient = Batching::new().at_most(4_096).window(Duration::from_millis(1));
/// // Answers are wanted at once: what has come while the device was busy goes together, and nothing waits.
/// let prompt = Batching::new().window(Duration::ZERO);
/// # let _ = (patient, prompt);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batching {
    pub(crate) most: usize,
    pub(crate) window: Duration,
    pub(crate) awake: Duration,
}

/// TUNE: about what a launch on a discrete device costs, and a tenth of what a person could notice
/// in a thousand steps.
const WINDOW: Duration = Duration::from_micros(100);

/// TUNE: as long as a pinned stage looks for messages before it sleeps (`odeon-core`).
const AWAKE: Duration = Duration::from_micros(20);

/// TUNE: enough to make the cost of a launch vanish beside that of its messages.
const MOST: usize = 1_024;

impl Default for Batching {
    fn default() -> Self {
        Self { most: MOST, window: WINDOW, awake: AWAKE }
    }
}

impl Batching {
    /// At most 1,024 messages, a window of 100 microseconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many messages make a batch: 1 or more. Default: 1,024.
    ///
    /// # Panics
    /// If it is 0.
    #[must_use]
    #[track_caller]
    pub fn at_most(mut self, messages: usize) -> Self {
        assert!(messages > 0, "a batch has at least one message");
        self.most = messages;
        self
    }

    /// How long a message waits for others at most. Zero: what is there when the device is free is
    /// the batch. Default: 100 microseconds. What is there already, and what comes meanwhile, is
    /// taken for 250 microseconds at most, if the window is shorter.
    ///
    /// An actor on a thread of its own looks for messages meanwhile, asleep in between if the
    /// window is longer than 300 microseconds. On the pool and on a pinned stage the window is one
    /// of the theater's timers (S12), which are exact to the millisecond.
    #[must_use]
    pub fn window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// How long an actor on a thread of its own looks for the next message before the thread
    /// sleeps, after a batch. It answers sooner then, and uses its core for so long. Default: 20
    /// microseconds.
    #[must_use]
    pub fn awake(mut self, time: Duration) -> Self {
        self.awake = time;
        self
    }
}
