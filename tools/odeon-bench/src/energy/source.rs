//! The joules of the machine as a balancing pool wants them.

use odeon_device::EnergySource;
use odeon_energy::{Composite, Machine, Meter};
use std::time::Duration;

/// The sum of all counters of the machine since some moment; there is no sum if a part of it does
/// not count.
pub(crate) fn source() -> MeterSource {
    MeterSource::of(Machine::look())
}

/// As a balancing pool wants it.
pub(crate) struct MeterSource {
    meter: Option<Composite>,
}

impl MeterSource {
    pub(super) fn of(machine: Machine) -> Self {
        Self { meter: machine.whole().ok() }
    }
}

impl EnergySource for MeterSource {
    fn joules(&mut self) -> Option<f64> {
        self.meter.as_mut()?.joules().ok()
    }

    /// That of the counter which is brought up to date most seldom.
    fn period(&self) -> Duration {
        let domains = self.meter.iter().flat_map(Meter::domains);
        domains.map(|domain| domain.updated_every).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::tests::Counts;
    use odeon_energy::{Domain, DomainKind};

    #[test]
    fn the_period_of_a_pools_source_is_that_of_the_slowest_counter() {
        let mut machine = Machine::look();
        machine.missing.clear();
        machine.meter = Composite::new();
        let gpu = DomainKind::Device("1".into());
        for (kind, ms) in [(DomainKind::Package, 1), (gpu, 100), (DomainKind::Memory, 10)] {
            let name = format!("{kind:?}");
            let domain = Domain::new(kind, name, 0.0, Duration::from_millis(ms), 300.0);
            machine.meter.add(Counts([domain])).expect("they do not overlap");
        }
        assert_eq!(MeterSource::of(machine).period(), Duration::from_millis(100));
    }
}
