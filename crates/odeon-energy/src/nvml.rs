//! The energy counters of NVIDIA GPUs, by the management library of their driver (NVML), which is
//! loaded when it is asked for.
//!
//! GPUs before Volta do not count their energy; they tell their power. That is no substitute: what
//! they tell is an average over a time that differs between models (some look at a quarter of the
//! time only), so that no sum over it has a bound. Of those the energy is unavailable.

mod library;

use crate::domain::{Domain, DomainKind};
use crate::meter::{Count, Meter};
use crate::unavailable::{Cause, Unavailable};
use library::{Driver, Gpu, Library};
use std::time::Duration;

/// The counter tells mJ.
const RESOLUTION_JOULES: f64 = 1e-3;
/// TUNE: guessed 2026-11 from published measurements: 20 to 100 ms, by model.
const UPDATED_EVERY: Duration = Duration::from_millis(100);
/// TUNE: W, guessed 2026-11: more than any GPU draws, for those that tell no limit.
const PEAK_WATTS: f64 = 1_500.0;
/// TUNE: guessed 2026-11: the limit is kept on average; for a moment more is drawn.
const ABOVE_LIMIT: f64 = 1.5;

/// The energy counters of this machine's NVIDIA GPUs.
///
/// A GPU counts since its driver was loaded, for all programs that use it.
pub struct NvidiaGpus {
    library: Box<dyn Library>,
    domains: Vec<Domain>,
    counters: Vec<GpuCounter>,
}

struct GpuCounter {
    index: u32,
    last_mj: u64,
    total_mj: u64,
    run: u64,
}

impl NvidiaGpus {
    /// All GPUs.
    ///
    /// # Errors
    /// [`Cause::NotThere`] without a driver or GPU; [`Cause::NotSupported`] if one of them does not
    /// count its energy.
    pub fn new() -> Result<Self, Unavailable> {
        let (meter, mut others) = Self::that_count()?;
        if others.is_empty() { Ok(meter) } else { Err(others.swap_remove(0)) }
    }

    /// Those of the GPUs that count their energy, and why each of the others does not.
    ///
    /// # Errors
    /// If none does.
    pub fn that_count() -> Result<(Self, Vec<Unavailable>), Unavailable> {
        Self::with(Box::new(Driver::load()?))
    }

    fn with(library: Box<dyn Library>) -> Result<(Self, Vec<Unavailable>), Unavailable> {
        let mut meter = Self { library, domains: Vec::new(), counters: Vec::new() };
        let mut others = Vec::new();
        for index in 0..meter.library.count()? {
            match meter.begin(index) {
                Ok((domain, counter)) => {
                    meter.domains.push(domain);
                    meter.counters.push(counter);
                }
                Err(why) => others.push(why),
            }
        }
        match (meter.domains.is_empty(), others.is_empty()) {
            (false, _) => Ok((meter, others)),
            (true, false) => Err(others.swap_remove(0)),
            (true, true) => {
                let sentence = "the NVIDIA driver knows no GPU";
                Err(Unavailable::new(Cause::NotThere, sentence))
            }
        }
    }

    fn begin(&self, index: u32) -> Result<(Domain, GpuCounter), Unavailable> {
        let Gpu { name, identity, limit_watts } = self.library.gpu(index)?;
        let last_mj = self.library.millijoules(index)?;
        let peak = limit_watts.map_or(PEAK_WATTS, |limit| limit * ABOVE_LIMIT);
        let domain = Domain::new(
            DomainKind::Device(identity.into()),
            format!("GPU {index} {name}"),
            RESOLUTION_JOULES,
            UPDATED_EVERY,
            peak,
        );
        Ok((domain, GpuCounter { index, last_mj, total_mj: 0, run: 0 }))
    }
}

impl Meter for NvidiaGpus {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        let counter = &mut self.counters[domain];
        let raw = self.library.millijoules(counter.index)?;
        let before = std::mem::replace(&mut counter.last_mj, raw);
        let Some(used) = raw.checked_sub(before) else {
            counter.run += 1;
            let why = format!(
                "the counter of {} has begun anew: its driver was loaded again",
                self.domains[domain]
            );
            return Err(Unavailable::new(Cause::Interrupted, why));
        };
        counter.total_mj += used;
        Ok(Count { joules: counter.total_mj as f64 * 1e-3, run: counter.run })
    }
}

#[cfg(test)]
mod tests;
