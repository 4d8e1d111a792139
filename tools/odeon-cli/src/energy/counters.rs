//! The counters of this machine, what they say when it is idle, and why others say nothing.

use crate::output::Terminal;
use odeon_core::SystemClock;
use odeon_energy::{
    Composite, Gauge, IdlePower, Meter, NvidiaGpus, Rapl, Reading, Scope, Unavailable,
};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

pub(super) fn show(powercap: &Path, idle: Duration, terminal: &mut Terminal) {
    let mut missing = Vec::new();
    let mut meter = Composite::new();
    let processor = Rapl::at(powercap, Scope::Processor, Arc::new(SystemClock::default()));
    add(&mut meter, "processor", processor, &mut missing);
    let gpus = NvidiaGpus::that_count().map(|(gpus, others)| {
        missing.extend(others.iter().map(|why| format!("GPU: {why}")));
        gpus
    });
    add(&mut meter, "GPUs", gpus, &mut missing);

    terminal.print("counters");
    for domain in meter.domains() {
        terminal.print(&format!(
            "  {domain}: steps of {} J, updated every {:?} or sooner, at most {} W",
            domain.resolution_joules, domain.updated_every, domain.peak_watts
        ));
    }
    for found in Rapl::look(powercap).unwrap_or_default() {
        if let Err(why) = &found.summed {
            terminal.print(&format!("  {} is not summed: {}", found.name, why.sentence()));
        }
    }
    missing.iter().for_each(|missing| terminal.print(&format!("  {missing}")));

    if meter.domains().is_empty() {
        terminal.print("energy is unavailable on this machine");
    } else if !idle.is_zero() {
        terminal.print(&format!("idle for {} s", idle.as_secs()));
        let mut gauge = Gauge::new(meter);
        gauge.set_idle_power(IdlePower::Include);
        let ((), reading) = gauge.measure(|| thread::sleep(idle));
        terminal.print(&watts(&reading));
    }
}

fn add(
    meter: &mut Composite,
    what: &str,
    found: Result<impl Meter + 'static, Unavailable>,
    missing: &mut Vec<String>,
) {
    match found.map(|found| meter.add(found)) {
        Ok(Ok(())) => {}
        Ok(Err(why)) => missing.push(format!("{what}: {why}")),
        Err(why) => missing.push(format!("{what}: {why}")),
    }
}

/// The power of each part.
fn watts(reading: &Reading) -> String {
    let parts = reading.parts.iter().map(|part| {
        let watts = part.joules.clone().and_then(|joules| joules.over(reading.elapsed));
        match watts {
            Ok(watts) => format!("  {}: {watts:.1} W", part.domain),
            Err(why) => format!("  {}: {why}", part.domain),
        }
    });
    let together = match reading.watts() {
        Ok(watts) => format!("  together: {watts:.1} W"),
        Err(why) => format!("  together: {why}"),
    };
    parts.chain([together]).collect::<Vec<_>>().join("\n")
}
