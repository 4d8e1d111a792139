//! What runs take of energy, where this machine tells.

use odeon_energy::{Gauge, Machine, Meter};

/// Joules of what `work` does, with all else that goes on in the machine meanwhile; `None` if they cannot be told.
pub(crate) fn joules_of<T>(work: impl FnOnce() -> T) -> (T, Option<f64>) {
    joules_by(Machine::look(), work)
}

fn joules_by<T>(machine: Machine, work: impl FnOnce() -> T) -> (T, Option<f64>) {
    let Ok(meter) = machine.whole() else { return (work(), None) };
    let (done, reading) = Gauge::new(meter).measure(work);
    (done, reading.joules().ok().map(|joules| joules.value))
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
            None => assert!(joules.is_some_and(|joules| joules >= 0.0)),
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
