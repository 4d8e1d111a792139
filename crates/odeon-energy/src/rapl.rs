//! The energy counters of processors (RAPL, "running average power limit"), as Linux shows them:
//! powercap in sysfs.
//!
//! | question | file |
//! |---|---|
//! | which counters are there, and which of them are summed? | `rapl/zones.rs` |
//! | what has one of them come to, if it wraps around? | `rapl/counter.rs` |

mod counter;
mod zones;

use crate::domain::{Domain, DomainKind};
use crate::meter::{Count, Meter};
use crate::sysfs::{Files, Sysfs};
use crate::unavailable::{Cause, Unavailable};
use counter::RaplCounter;
use odeon_core::{Clock, SystemClock};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use zones::{Zone, zones};

/// Where Linux has it.
pub const POWERCAP: &str = "/sys/class/powercap";

/// TUNE: J, by vendor documents: the usual unit is 2^-14 J for packages and 15.3 uJ for memory.
const RESOLUTION_JOULES: f64 = 62e-6;
/// TUNE: by vendor documents: the counters are updated about every millisecond; some 5 % slower has
/// been seen.
const UPDATED_EVERY: Duration = Duration::from_micros(1_100);

/// What a processor's counters are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Packages and memory.
    #[default]
    Processor,
    /// The platform's own count (`psys`), which has all that in it and more; few machines have one,
    /// mostly portable ones.
    Platform,
}

/// The counters of all processors of this machine.
///
/// *Each joule once*: packages and their memory are summed. What is a part of a package (`core`,
/// `uncore`) is in the package's count; `psys` is a count of its own, by [`Scope::Platform`]; what
/// a second interface (`intel-rapl-mmio`) shows of the same packages is left out.
///
/// *Wrap-around*: a counter begins anew after `max_energy_range_uj`. That is seen if it is read
/// before it can have done so twice; else the count is [interrupted](Cause::Interrupted).
/// [`SharedMeter::kept_up`](crate::SharedMeter::kept_up) reads in time.
pub struct Rapl {
    domains: Vec<Domain>,
    counters: Vec<RaplCounter>,
    sysfs: Arc<dyn Sysfs>,
    clock: Arc<dyn Clock>,
}

/// A counter that was found, and whether it is summed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// What it is called: `package-0`, `core of package-0`.
    pub name: Arc<str>,
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// Whether its joules are in the sum of [`Scope::Processor`]; if not, why.
    pub summed: Result<(), Unavailable>,
}

impl Rapl {
    /// Those of this machine's packages and memory.
    ///
    /// # Errors
    /// [`Cause::NotThere`], [`Cause::NotPermitted`]: a sentence that says what to do. Part of the
    /// counters is not enough.
    pub fn new() -> Result<Self, Unavailable> {
        Self::at(Path::new(POWERCAP), Scope::Processor, Arc::new(SystemClock::default()))
    }

    /// Those that are found under `root`, by this clock.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn at(root: &Path, scope: Scope, clock: Arc<dyn Clock>) -> Result<Self, Unavailable> {
        Self::with(Arc::new(Files), root, scope, clock)
    }

    fn with(
        sysfs: Arc<dyn Sysfs>,
        root: &Path,
        scope: Scope,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Unavailable> {
        let mut rapl = Self { domains: Vec::new(), counters: Vec::new(), sysfs, clock };
        let zones = zones(&*rapl.sysfs, root)?;
        for zone in zones.iter().filter(|zone| zone.is_summed_for(scope)) {
            let domain = zone.domain();
            rapl.counters.push(RaplCounter::begin(&*rapl.sysfs, zone, &domain, &*rapl.clock)?);
            rapl.domains.push(domain);
        }
        if rapl.domains.is_empty() {
            let what = match scope {
                Scope::Processor => "no counter of a package",
                Scope::Platform => "no counter of the whole platform (psys)",
            };
            let sentence = format!("{} has {what}", root.display());
            return Err(Unavailable::new(Cause::NotThere, sentence));
        }
        Ok(rapl)
    }

    /// All counters under `root`, also those that are not summed, with the reason.
    ///
    /// # Errors
    /// [`Cause::NotThere`] if there are none.
    pub fn look(root: &Path) -> Result<Vec<Found>, Unavailable> {
        Self::look_with(&Files, root)
    }

    fn look_with(sysfs: &dyn Sysfs, root: &Path) -> Result<Vec<Found>, Unavailable> {
        let found = |zone: &Zone| {
            let summed = match zone.left_out() {
                Some(why) => Err(Unavailable::new(Cause::NotMeasured, why)),
                None => counter::read(sysfs, &zone.folder).map(drop),
            };
            Found { name: zone.title(), folder: zone.folder.clone(), summed }
        };
        Ok(zones(sysfs, root)?.iter().map(found).collect())
    }

    /// How rarely it may be read without losing count, at the peak of what the machine draws.
    pub fn longest_gap(&self) -> Duration {
        let gaps = self.counters.iter().map(RaplCounter::longest_gap);
        gaps.min().unwrap_or(Duration::MAX)
    }
}

impl Meter for Rapl {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        self.counters[domain].count(&*self.sysfs, &*self.clock)
    }
}

impl Zone {
    fn domain(&self) -> Domain {
        Domain::new(
            self.kind.clone().unwrap_or(DomainKind::Package),
            self.title(),
            RESOLUTION_JOULES,
            UPDATED_EVERY,
            self.peak_watts,
        )
    }
}

#[cfg(test)]
mod tests;
