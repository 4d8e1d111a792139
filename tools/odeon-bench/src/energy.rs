//! What runs take of energy, where this machine tells.

use crate::table::short;
use odeon_energy::{Estimate, Gauge, Machine, Meter};

/// TUNE: the part of a number of joules by which it may be off and still be compared; guessed 2026-11: promises are about factors.
const MOST_ERROR: f64 = 0.1;

/// Energy, and how far off it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joules {
    /// J.
    pub value: f64,
    /// J, at most.
    pub error: f64,
}

impl Joules {
    fn of(estimate: &Estimate) -> Self {
        Self { value: estimate.value, error: estimate.error() }
    }

    /// Times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, error: self.error * factor }
    }

    /// Whether it is known well enough to be compared.
    pub fn is_known(self) -> bool {
        self.value > 0.0 && self.error <= MOST_ERROR * self.value
    }

    /// Why it is not.
    pub(crate) fn too_short(self) -> String {
        // Of one operation, or of a run.
        let (unit, factor) =
            if self.value.max(self.error) < 1e-3 { ("nJ", 1e9) } else { ("J", 1.0) };
        let [value, error] =
            [self.value, self.error].map(|joules| format!("{} {unit}", short(joules * factor)));
        format!("not measured: too short for the counters, {value} may be off by {error}")
    }
}

/// Joules of what `work` does, with all else that goes on in the machine meanwhile; `None` if they cannot be told.
pub(crate) fn joules_of<T>(work: impl FnOnce() -> T) -> (T, Option<Joules>) {
    joules_by(Machine::look(), work)
}

fn joules_by<T>(machine: Machine, work: impl FnOnce() -> T) -> (T, Option<Joules>) {
    let Ok(meter) = machine.whole() else { return (work(), None) };
    let (done, reading) = Gauge::new(meter).measure(work);
    (done, reading.joules().ok().as_ref().map(Joules::of))
}

/// Why no joules can be told here; `None` if they can.
pub fn missing() -> Option<String> {
    missing_of(Machine::look())
}

fn missing_of(machine: Machine) -> Option<String> {
    let why = machine.whole().and_then(|mut meter| meter.joules()).err()?;
    Some(format!("energy is unavailable: {}", why.sentence()))
}

/// The sum of all counters of the machine since some moment; there is no sum if a part of it does not count.
pub(crate) fn source() -> impl FnMut() -> Option<f64> + Send + 'static {
    source_of(Machine::look())
}

fn source_of(machine: Machine) -> impl FnMut() -> Option<f64> + Send + 'static {
    let mut meter = machine.whole().ok();
    move || meter.as_mut()?.joules().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_energy::{Cause, Composite, Count, Domain, DomainKind, Unavailable};
    use std::time::Duration;

    /// A GPU that has taken 5 J whenever it is asked.
    struct Gpu([Domain; 1]);

    impl Meter for Gpu {
        fn domains(&self) -> &[Domain] {
            &self.0
        }

        fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
            Ok(Count { joules: 5.0, run: 0 })
        }
    }

    #[test]
    fn this_machine_has_joules_or_a_reason() {
        let (done, joules) = joules_of(|| 7);
        assert_eq!(done, 7);
        match missing() {
            None => assert!(joules.is_some_and(|joules| joules.value >= 0.0)),
            Some(why) => assert!(joules.is_none() && why.len() > 30, "{why}"),
        }
    }

    #[test]
    fn s39_the_joules_of_a_gpu_alone_are_not_those_of_a_run() {
        let gpu_alone = || {
            let kind = DomainKind::Device("1".into());
            let domain = Domain::new(kind, "GPU 0", 0.001, Duration::ZERO, 300.0);
            let mut machine = Machine::look();
            machine.meter = Composite::new();
            machine.meter.add(Gpu([domain])).expect("it is the only one");
            let file = "/sys/class/powercap/intel-rapl:0/energy_uj".into();
            machine.missing =
                vec![Unavailable::new(Cause::NotPermitted { file }, "it may not be read")];
            machine
        };
        assert_eq!(joules_by(gpu_alone(), || ()).1, None);
        assert_eq!(source_of(gpu_alone())(), None);
        assert_eq!(
            missing_of(gpu_alone()).as_deref(),
            Some("energy is unavailable: it may not be read")
        );
    }
}
