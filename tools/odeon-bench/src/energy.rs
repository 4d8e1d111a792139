//! What runs take of energy, where this machine tells.

use odeon_energy::{Composite, Gauge, Machine, Meter};

/// Joules of what `work` does, all counters of the machine together, with all else that goes on there; `None` if they cannot be told.
pub(crate) fn joules_of<T>(work: impl FnOnce() -> T) -> (T, Option<f64>) {
    let (done, reading) = Gauge::new(Machine::look().meter).measure(work);
    (done, reading.joules().ok().map(|joules| joules.value))
}

/// Why no joules can be told here; `None` if they can.
pub fn missing() -> Option<String> {
    let machine = Machine::look();
    let sentences: Vec<String> =
        machine.missing.iter().map(|why| why.sentence().to_owned()).collect();
    let reads = total(machine.meter)().is_some();
    (!reads).then(|| format!("energy is unavailable: {}", sentences.join("; ")))
}

/// The sum of all counters since some moment; without any, there is no sum.
pub(crate) fn total(mut meter: Composite) -> impl FnMut() -> Option<f64> + Send + 'static {
    move || if meter.domains().is_empty() { None } else { meter.joules().ok() }
}

/// The same, of this machine.
pub(crate) fn source() -> impl FnMut() -> Option<f64> + Send + 'static {
    total(Machine::look().meter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_counters_there_are_no_joules_and_a_reason() {
        assert_eq!(total(Composite::new())(), None);
        let (done, joules) = joules_of(|| 7);
        assert_eq!(done, 7);
        match missing() {
            None => assert!(joules.is_some_and(|joules| joules >= 0.0)),
            Some(why) => assert!(joules.is_none() && why.len() > 30, "{why}"),
        }
    }
}
