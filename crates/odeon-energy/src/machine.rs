//! What this machine can tell of its energy.

use crate::composite::Composite;
use crate::domain::Domain;
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

    /// The meter of all that draws power here, as far as it can be told what that is.
    ///
    /// # Errors
    /// If a part is not in it: no counter of a processor, or one of what was looked for is there
    /// and does not count. What the rest has taken would be smaller than what a run has taken, by
    /// nobody knows how much.
    pub fn whole(self) -> Result<Composite, Unavailable> {
        let has_processor = self.meter.domains().iter().any(Domain::is_processor);
        let is_there = |why: &&Unavailable| *why.cause() != Cause::NotThere;
        let lacks = self.missing.iter().find(is_there);
        if lacks.is_none() && has_processor {
            return Ok(self.meter);
        }
        let cause = lacks.map_or(Cause::NotThere, |why| why.cause().clone());
        let mut sentences: Vec<&str> = self.missing.iter().map(Unavailable::sentence).collect();
        if sentences.is_empty() {
            sentences.push("there is no counter of a processor");
        }
        Err(Unavailable::new(cause, sentences.join("; ")))
    }

    fn add(&mut self, meter: Result<impl Meter + 'static, Unavailable>) {
        let added = meter.and_then(|meter| {
            self.meter.add(meter).map_err(|why| Unavailable::new(Cause::Failed, why.to_string()))
        });
        self.missing.extend(added.err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DomainKind;
    use crate::meter::Count;
    use std::time::Duration;

    struct One([Domain; 1]);

    impl Meter for One {
        fn domains(&self) -> &[Domain] {
            &self.0
        }

        fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
            Ok(Count { joules: 1.0, run: 0 })
        }
    }

    fn machine(kinds: &[DomainKind], missing: &[(Cause, &str)]) -> Machine {
        let mut meter = Composite::new();
        for kind in kinds {
            let domain = Domain::new(kind.clone(), format!("{kind:?}"), 0.0, Duration::ZERO, 1.0);
            meter.add(One([domain])).expect("they do not overlap");
        }
        let missing = missing.iter().map(|(cause, why)| Unavailable::new(cause.clone(), *why));
        Machine { meter, missing: missing.collect() }
    }

    #[test]
    fn s39_a_part_of_the_machine_is_not_the_machine() {
        let gpu = DomainKind::Device("1".into());
        let not_permitted = (Cause::NotPermitted { file: "energy_uj".into() }, "may not be read");
        let no_gpu = (Cause::NotThere, "there is no driver");
        let refused = |kinds: &[DomainKind], missing: &[(Cause, &str)]| {
            machine(kinds, missing).whole().err().map(|why| why.sentence().to_owned())
        };
        let gpu_alone = [gpu.clone()];
        assert_eq!(
            refused(&gpu_alone, std::slice::from_ref(&not_permitted)).as_deref(),
            Some("may not be read")
        );
        assert_eq!(
            refused(&gpu_alone, &[(Cause::NotThere, "no counter of a package")]).as_deref(),
            Some("no counter of a package")
        );
        assert_eq!(refused(&gpu_alone, &[]).as_deref(), Some("there is no counter of a processor"));
        // A GPU that does not count, beside a processor that does, and one that counts.
        let both = [DomainKind::Package, gpu];
        assert!(refused(&both, &[(Cause::NotSupported, "GPU 1 does not count")]).is_some());
        assert_eq!(refused(&both, &[]), None);
        assert_eq!(refused(&[DomainKind::Package], &[no_gpu]), None);
        assert_eq!(
            refused(&[], &[not_permitted.clone(), (Cause::NotThere, "no GPU")]).as_deref(),
            Some("may not be read; no GPU")
        );
    }
}
