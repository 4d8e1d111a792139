//! What runs take of energy, where this machine tells.

#[cfg(feature = "devices")]
mod source;

use crate::table::short;
use odeon_energy::{Estimate, Gauge, Machine, Meter, SharedMeter, Unavailable};
use odeon_example_run::standard_error;
use std::time::Duration;

#[cfg(feature = "devices")]
pub(crate) use source::source;

/// TUNE: the part of a number of joules by which it may be off and still be compared; guessed
/// 2026-11: promises are about factors.
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
    pub fn too_short(self) -> String {
        // Of one operation, or of a run.
        let (unit, factor) =
            if self.value.max(self.error) < 1e-3 { ("nJ", 1e9) } else { ("J", 1.0) };
        let [value, error] =
            [self.value, self.error].map(|joules| format!("{} {unit}", short(joules * factor)));
        format!("not measured: too short for the counters, {value} may be off by {error}")
    }
}

/// TUNE: s, 2026-11: where a part tells no limit of its power, a counter may begin anew after 40 s.
const KEPT_UP_EVERY: Duration = Duration::from_secs(20);

/// Joules of what `work` does, with all else that goes on in the machine meanwhile; `None` if they
/// cannot be told. If there are counters, and they have not told it of this run, people are told
/// why.
pub(crate) fn joules_of<T>(work: impl FnOnce() -> T) -> (T, Option<Joules>) {
    let (done, joules) = joules_by(Machine::look(), KEPT_UP_EVERY, work);
    let joules = joules.transpose().unwrap_or_else(|why| {
        standard_error::say(format_args!("the energy of this run is {why}"));
        None
    });
    (done, joules)
}

/// Nothing if there is no counter. Those that are there are read once in `every` meanwhile, so that
/// none begins anew unseen.
fn joules_by<T>(
    machine: Machine,
    every: Duration,
    work: impl FnOnce() -> T,
) -> (T, Option<Result<Joules, Unavailable>>) {
    let Ok(meter) = machine.whole() else { return (work(), None) };
    let meter = SharedMeter::new(meter);
    let mut gauge = Gauge::new(meter.clone());
    let span = gauge.start();
    let kept_up = meter.kept_up(every);
    let done = work();
    let reading = gauge.stop(span);
    drop(kept_up);
    (done, Some(reading.joules().map(|joules| Joules::of(&joules))))
}

/// Why no joules can be told here; `None` if they can.
pub fn missing() -> Option<String> {
    missing_of(Machine::look())
}

fn missing_of(machine: Machine) -> Option<String> {
    let why = machine.whole().and_then(|mut meter| meter.joules()).err()?;
    Some(format!("energy is unavailable: {}", why.sentence()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_energy::{Cause, Composite, Count, Domain, DomainKind};
    use std::time::Instant;

    /// Something that has taken 5 J whenever it is asked.
    pub(super) struct Counts(pub(super) [Domain; 1]);

    impl Meter for Counts {
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

    /// Loses count if it is not read so often.
    struct Forgets {
        domains: [Domain; 1],
        longest_gap: Duration,
        read: Instant,
        run: u64,
    }

    impl Meter for Forgets {
        fn domains(&self) -> &[Domain] {
            &self.domains
        }

        fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
            self.run += u64::from(self.read.elapsed() > self.longest_gap);
            self.read = Instant::now();
            Ok(Count { joules: 5.0, run: self.run })
        }
    }

    #[test]
    fn a_run_that_is_longer_than_a_counter_lasts_has_its_joules_or_a_reason() {
        let longest_gap = Duration::from_millis(400);
        let joules_of_a_run = |every| {
            let domain = Domain::new(DomainKind::Package, "package", 0.0, Duration::ZERO, 300.0);
            let (read, domains) = (Instant::now(), [domain]);
            let mut machine = Machine::look();
            machine.missing.clear();
            machine.meter = Composite::new();
            let counter = Forgets { domains, longest_gap, read, run: 0 };
            machine.meter.add(counter).expect("it is the only one");
            let run = || std::thread::sleep(2 * longest_gap);
            joules_by(machine, every, run).1.expect("there is a counter")
        };
        assert!(joules_of_a_run(longest_gap / 20).is_ok());
        let why = joules_of_a_run(10 * longest_gap).expect_err("it has lost count");
        assert!(why.to_string().contains("begin anew"), "{why}");
    }

    #[test]
    fn s39_the_joules_of_a_gpu_alone_are_not_those_of_a_run() {
        let gpu_alone = || {
            let kind = DomainKind::Device("1".into());
            let domain = Domain::new(kind, "GPU 0", 0.001, Duration::ZERO, 300.0);
            let mut machine = Machine::look();
            machine.meter = Composite::new();
            machine.meter.add(Counts([domain])).expect("it is the only one");
            let file = "/sys/class/powercap/intel-rapl:0/energy_uj".into();
            machine.missing =
                vec![Unavailable::new(Cause::NotPermitted { file }, "it may not be read")];
            machine
        };
        assert_eq!(joules_by(gpu_alone(), KEPT_UP_EVERY, || ()).1, None);
        #[cfg(feature = "devices")]
        assert_eq!(
            odeon_device::EnergySource::joules(&mut source::MeterSource::of(gpu_alone())),
            None
        );
        assert_eq!(
            missing_of(gpu_alone()).as_deref(),
            Some("energy is unavailable: it may not be read")
        );
    }
}
