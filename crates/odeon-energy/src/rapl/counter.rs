//! One counter, which begins anew when it is full.

use super::zones::Zone;
use crate::domain::Domain;
use crate::meter::Count;
use crate::sysfs::Sysfs;
use crate::unavailable::{Cause, Unavailable};
use odeon_core::Clock;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ADVICE: &str = "since Linux 5.10 only root may; run as root, or let others read the files energy_uj \
                      (chmod a+r, until the next start of the machine; a udev rule for good)";

/// One counter and how often it has begun anew.
pub(super) struct RaplCounter {
    folder: PathBuf,
    name: String,
    range_uj: u64,
    peak_watts: f64,
    updated_every: Duration,
    last_uj: u64,
    /// When it was read last, at the earliest.
    last_at: Duration,
    total_uj: u64,
    run: u64,
}

/// The raw count, in uJ.
pub(super) fn read(sysfs: &dyn Sysfs, folder: &Path) -> Result<u64, Unavailable> {
    let file = folder.join("energy_uj");
    let content =
        sysfs.read(&file).map_err(|error| Unavailable::unreadable(&file, &error, ADVICE))?;
    content.parse().map_err(|_| {
        let sentence = format!("{} says {content:?}, which is no number", file.display());
        Unavailable::new(Cause::Failed, sentence)
    })
}

impl RaplCounter {
    pub(super) fn begin(
        sysfs: &dyn Sysfs,
        zone: &Zone,
        domain: &Domain,
        clock: &dyn Clock,
    ) -> Result<Self, Unavailable> {
        let last_at = clock.now();
        let last_uj = read(sysfs, &zone.folder)?;
        let file = zone.folder.join("max_energy_range_uj");
        let range_uj = sysfs.number(&file).filter(|range| *range > 0).ok_or_else(|| {
            let sentence = format!(
                "{} has no number: when the counter begins anew is not known",
                file.display()
            );
            Unavailable::new(Cause::Failed, sentence)
        })?;
        Ok(Self {
            folder: zone.folder.clone(),
            name: domain.name.to_string(),
            range_uj,
            peak_watts: domain.peak_watts,
            updated_every: domain.updated_every,
            last_uj,
            last_at,
            total_uj: 0,
            run: 0,
        })
    }

    /// In that time it cannot have begun anew twice.
    pub(super) fn longest_gap(&self) -> Duration {
        Duration::from_secs_f64(self.range_uj as f64 * 1e-6 / self.peak_watts.max(1e-3))
    }

    pub(super) fn count(
        &mut self,
        sysfs: &dyn Sysfs,
        clock: &dyn Clock,
    ) -> Result<Count, Unavailable> {
        // WHY: a thread may be held up for long between the two: what has passed at most is from
        // before one reading to after the next.
        let begun = clock.now();
        let raw = read(sysfs, &self.folder)?;
        let (before, since) = (self.last_uj, clock.now().saturating_sub(self.last_at));
        (self.last_uj, self.last_at) = (raw, begun);
        if raw > self.range_uj {
            self.run += 1;
            return Err(self.broken(Cause::Failed, "counts beyond its own range"));
        }
        if since > self.longest_gap() {
            self.run += 1;
            let why = format!(
                "was not read for {:.0} s, and may have begun anew more than once: read it every {:.0} s",
                since.as_secs_f64(),
                self.longest_gap().as_secs_f64()
            );
            return Err(self.broken(Cause::Interrupted, &why));
        }
        let used = if raw >= before {
            raw - before
        } else {
            self.range_uj.saturating_sub(before).saturating_add(raw)
        };
        let most = self.peak_watts * (since + self.updated_every).as_secs_f64() + STEP_JOULES;
        if used as f64 * 1e-6 > most {
            // Somebody has set it, or the machine has slept.
            self.run += 1;
            let why = format!("has jumped by {:.1} J in {since:.3?}", used as f64 * 1e-6);
            return Err(self.broken(Cause::Interrupted, &why));
        }
        self.total_uj += used;
        Ok(Count { joules: self.total_uj as f64 * 1e-6, run: self.run })
    }

    fn broken(&self, cause: Cause, why: &str) -> Unavailable {
        Unavailable::new(cause, format!("the counter of {} {why}", self.name))
    }
}

/// The largest unit that a counter may have, in J.
const STEP_JOULES: f64 = 0.01;
