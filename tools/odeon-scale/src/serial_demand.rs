//! What a lock is worth: its sections are made longer by some ns, and the time of a message grows.
//! A lock that nobody waits for makes each of W busy workers slower by what it takes itself, and
//! they share that: the time of a message grows by `passes / W` with each ns of delay. If nothing
//! goes on beside the lock, it grows by `passes`. Where between these two it lies is how serial the
//! lock makes everything. The idea is that of causal profiling (Curtsinger and Berger: "Coz:
//! Finding Code that Counts with Causal Profiling", 2015), the other way round: there everything
//! else is slowed down.

use crate::ScaleLoad;
use odeon_bench::error::BenchError;
use odeon_bench::statistics::StraightLine;
use serde::Serialize;

/// The variable that a build that counts looks at.
pub const DELAY_VARIABLE: &str = "ODEON_LOCK_DELAY";

/// TUNE: how much longer sections are made, in ns. Guessed 2026-11: from what is seen at all to
/// what a section itself takes.
const DELAYS_NS: [u64; 4] = [0, 200, 400, 800];

/// TUNE: ns of a handler, guessed 2026-11, from which on it is the workers that messages wait for
/// where nothing is serial, and not their senders.
pub const SHORTEST_NS: u64 = 2_000;

/// What was found out of one lock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SerialDemand {
    /// File and line.
    pub place: String,
    /// What was done.
    pub load: ScaleLoad,
    /// Worker threads.
    pub workers: usize,
    /// Ways through it for a message.
    pub passes: f64,
    /// Delays, and the time of a message with each.
    pub points: Vec<(f64, f64)>,
    /// By how much the time of a message grows with each ns of delay.
    pub slope: f64,
    /// Pearson's r of that.
    pub correlation: f64,
}

impl SerialDemand {
    /// About 0: nobody waits for it; about 1: nothing goes on beside it.
    pub fn serial_part(&self) -> f64 {
        let shared = self.passes / self.workers as f64;
        (self.slope - shared) / (self.passes - shared)
    }
}

/// Why it is not known what a lock is worth.
pub fn untold(why: &str) -> BenchError {
    BenchError::Beside(format!("what a lock is worth: {why}"))
}

/// Whether so many workers with this load can tell what a lock is worth.
///
/// # Errors
/// If there is nobody who could wait for it, or little beside it.
pub fn check_load(load: ScaleLoad, workers: usize) -> Result<(), BenchError> {
    if workers < 2 {
        return Err(untold("one worker waits for nobody"));
    }
    if load.handler_ns < SHORTEST_NS {
        return Err(untold(&format!("a handler has to take {SHORTEST_NS} ns at least")));
    }
    Ok(())
}

/// A lock as it was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayedLock<'a> {
    /// File and line.
    pub place: &'a str,
    /// Ways through it for a message.
    pub passes: f64,
}

/// Refuses a delay that would not be there, as the figures of an ordinary run would pass for those
/// of a delayed one.
///
/// # Errors
/// If the variable cannot be understood, or this build makes no delays.
pub fn check_delay(are_locks_counted: bool) -> Result<(), BenchError> {
    match std::env::var_os(DELAY_VARIABLE) {
        Some(value) => check_value(&value.to_string_lossy(), are_locks_counted),
        None => Ok(()),
    }
}

fn check_value(value: &str, are_locks_counted: bool) -> Result<(), BenchError> {
    let bad = |problem| Err(BenchError::bad_argument(DELAY_VARIABLE, problem));
    if !are_locks_counted {
        return bad("only a build with --cfg odeon_measured makes delays".to_owned());
    }
    match value.rsplit_once('=') {
        Some((place, delay_ns)) if !place.is_empty() && delay_ns.parse::<u64>().is_ok() => Ok(()),
        _ => {
            bad(format!("has the end of a place and ns, such as engine.rs:144=200, not '{value}'"))
        }
    }
}

/// Measures with each delay; `measure` is given what the variable has to say, and answers the ns
/// for a message.
///
/// # Errors
/// Those of [`check_load`] and of `measure`; if nobody takes the lock.
pub fn of_lock(
    lock: DelayedLock<'_>,
    load: ScaleLoad,
    workers: usize,
    mut measure: impl FnMut(&str) -> Result<f64, BenchError>,
) -> Result<SerialDemand, BenchError> {
    check_load(load, workers)?;
    let DelayedLock { place, passes } = lock;
    if passes <= 0.0 {
        return Err(untold("nobody takes it"));
    }
    let mut points = Vec::with_capacity(DELAYS_NS.len());
    for delay_ns in DELAYS_NS {
        points.push((delay_ns as f64, measure(&format!("{place}={delay_ns}"))?));
    }
    let line = StraightLine::through(&points);
    let (slope, correlation) = line.map_or((0.0, 0.0), |line| (line.slope, line.correlation));
    let place = place.to_owned();
    Ok(SerialDemand { place, load, workers, passes, points, slope, correlation })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: DelayedLock<'_> = DelayedLock { place: "a.rs:1", passes: 0.25 };
    const LOAD: ScaleLoad = ScaleLoad { handler_ns: 2000, senders: 16, conflict: 0, reads: 0 };

    /// With so many ns more for each ns of delay.
    fn found(slope: f64, asked: &mut Vec<String>) -> SerialDemand {
        let demand = of_lock(LOCK, LOAD, 2, |variable| {
            let delay: f64 =
                variable.rsplit('=').next().expect("it has").parse().expect("a number");
            asked.push(variable.to_owned());
            Ok(300.0 + slope * delay)
        });
        demand.expect("nothing fails")
    }

    #[test]
    fn the_slope_is_that_of_the_time_over_the_delay() {
        let mut asked = Vec::new();
        let demand = found(0.125, &mut asked);
        assert_eq!(asked[1], "a.rs:1=200");
        assert!((demand.slope - 0.125).abs() < 1e-9 && demand.correlation > 0.999, "{demand:?}");
        assert_eq!(found(0.0, &mut asked).slope, 0.0);
    }

    #[test]
    fn a_lock_that_nobody_waits_for_is_not_serial_and_one_beside_which_nothing_goes_on_is() {
        let part = |slope| found(slope, &mut Vec::new()).serial_part();
        // Two workers share what each of them spends longer in it.
        assert!(part(0.125).abs() < 1e-9, "{}", part(0.125));
        assert!((part(0.25) - 1.0).abs() < 1e-9, "{}", part(0.25));
    }

    #[test]
    fn a_delay_that_would_not_be_there_is_refused() {
        assert!(check_value("engine.rs:144=200", true).is_ok());
        let refused = |value, counts| {
            check_value(value, counts).expect_err("there would be none").to_string()
        };
        assert!(refused("engine.rs:144=200", false).starts_with("ODEON_LOCK_DELAY: only a build"));
        for value in ["", "engine.rs:144", "engine.rs:144=", "engine.rs:144=2us", "=200"] {
            assert!(refused(value, true).contains("such as engine.rs:144=200"), "{value}");
        }
    }

    #[test]
    fn what_would_say_nothing_is_refused() {
        let refused = |lock, load, workers| {
            let refused = of_lock(lock, load, workers, |_| Ok(1.0));
            refused.expect_err("it says nothing").to_string()
        };
        assert!(refused(LOCK, LOAD, 1).contains("one worker waits for nobody"));
        let short = ScaleLoad { handler_ns: 500, ..LOAD };
        assert!(refused(LOCK, short, 2).contains("2000 ns at least"));
        assert!(refused(DelayedLock { passes: 0.0, ..LOCK }, LOAD, 2).contains("nobody takes it"));
    }
}
