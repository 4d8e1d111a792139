//! What this machine can tell of its energy.

use crate::composite::Composite;
use crate::meter::Meter;
use crate::nvml::NvidiaGpus;
use crate::rapl::Rapl;
use crate::unavailable::{Cause, Unavailable};

/// The counters of this machine.
#[non_exhaustive]
pub struct Machine {
    /// All that was found, as one.
    pub meter: Composite,
    /// What was looked for and is not in it, and why.
    pub missing: Vec<Unavailable>,
}

impl Machine {
    /// Looks for the counters of processors, memory and NVIDIA GPUs.
    pub fn look() -> Self {
        let mut found = Self { meter: Composite::new(), missing: Vec::new() };
        found.add(Rapl::new());
        match NvidiaGpus::that_count() {
            Ok((gpus, others)) => {
                found.missing.extend(others);
                found.add(Ok(gpus));
            }
            Err(why) => found.missing.push(why),
        }
        found
    }

    fn add(&mut self, meter: Result<impl Meter + 'static, Unavailable>) {
        let added = meter.and_then(|meter| {
            self.meter.add(meter).map_err(|why| Unavailable::new(Cause::Failed, why.to_string()))
        });
        self.missing.extend(added.err());
    }
}
