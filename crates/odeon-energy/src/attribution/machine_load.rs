//! How busy the cores of the machine were, with whatever program.

use crate::unavailable::{Cause, Unavailable};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long the cores of this machine have been busy, all together and with all programs, since it
/// was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineLoad(Duration);

/// Where Linux has it.
const STAT: &str = "/proc/stat";
/// What Linux counts in towards programs, whatever its own ticks are: hundredths of a second.
const TICK_MS: u64 = 10;
const TICK: Duration = Duration::from_millis(TICK_MS);
/// The numbers of the line: user, nice, system, idle, waiting for a disk, interrupts, soft
/// interrupts. What comes behind is not this machine's, or in the first two already.
const COUNTS: [bool; 7] = [true, true, true, false, false, true, true];

impl MachineLoad {
    /// What it has come to.
    ///
    /// # Errors
    /// If this is not Linux, or the machine does not show it.
    pub fn now() -> Result<Self, Unavailable> {
        Self::at(Path::new(STAT))
    }

    /// The same from another file of that form.
    ///
    /// # Errors
    /// As [`now`](Self::now).
    pub fn at(file: &Path) -> Result<Self, Unavailable> {
        let content = fs::read_to_string(file)
            .map_err(|error| Unavailable::unreadable(file, &error, "the machine hides it"))?;
        let ticks = content.lines().find_map(|line| ticks(line.strip_prefix("cpu ")?));
        let ticks = ticks.ok_or_else(|| {
            let why = format!("{} does not tell how busy the machine is", file.display());
            Unavailable::new(Cause::Failed, why)
        })?;
        Ok(Self(Duration::from_millis(ticks.saturating_mul(TICK_MS))))
    }

    /// How long cores were busy since then.
    pub fn busy_since(&self, before: &Self) -> Duration {
        self.0.saturating_sub(before.0)
    }

    /// How far off that may be: each of the five numbers that are summed counts whole ticks, at
    /// both ends.
    pub(super) fn error() -> Duration {
        TICK * 5
    }
}

fn ticks(numbers: &str) -> Option<u64> {
    let mut numbers = numbers.split_whitespace().map(str::parse::<u64>);
    let mut sum = 0;
    for counts in COUNTS {
        let ticks = numbers.next()?.ok()?;
        sum += if counts { ticks } else { 0 };
    }
    Some(sum)
}
