//! What is promised of a durable ledger, beside what was measured: how many transfers, of loads
//! with many under way; how soon, of those with few.

use crate::outcome::HotOutcome;
use crate::{HotLoad, HotWay};
use odeon_bench::table::{factor, short};

/// Acknowledged transfers a second.
const TRANSFERS: f64 = 500_000.0;

/// Of what the same actor does without a log, or of what the disk can take.
const OF_VOLATILE: f64 = 0.8;

/// The 99th percentile of an acknowledgement with few transfers under way, of that of an
/// `fdatasync` of 64 KiB.
const SYNCS: f64 = 4.0;

/// Commits that are recovered in a second by one core.
const RECOVERED: f64 = 1_000_000.0;

/// Memory of recovery beside the state.
const BESIDE_STATE_MIB: f64 = 64.0;

/// One promise with one load.
#[derive(Debug, Clone, PartialEq)]
pub struct HotPromise {
    /// Which load.
    pub load: String,
    /// What is promised.
    pub promise: String,
    /// What it is.
    pub measured: String,
    /// Whether that is enough.
    pub is_reached: bool,
}

/// All that can be said of what was measured: medians of all samples.
pub fn judge(outcome: &HotOutcome) -> Vec<HotPromise> {
    let of_load = |load: HotLoad| {
        let judged = if load.is_few() { of_few(outcome, &load) } else { of_many(outcome, &load) };
        judged.into_iter().map(move |(promise, measured, is_reached)| HotPromise {
            load: load.name(),
            promise,
            measured,
            is_reached,
        })
    };
    outcome.loads().into_iter().flat_map(of_load).collect()
}

/// A promise, what was measured, and whether it is reached.
type Judged = (String, String, bool);

/// How soon a transfer is acknowledged that waits for nothing but the disk. Like is compared with
/// like, a 99th percentile with that of a sync; the median is shown beside it.
fn of_few(outcome: &HotOutcome, load: &HotLoad) -> Vec<Judged> {
    let durable = outcome.point(HotWay::Durable, load);
    let Some((durable, disk)) = durable.zip(outcome.median_disk()) else { return Vec::new() };
    let p99 = durable.spread(|sample| sample.latency.p99_ns.into()).median;
    let [of_p99, of_p50] = [disk.sync.p99_ns, disk.sync.p50_ns].map(|sync| p99 / f64::from(sync));
    let promise = format!("p99 at most {} of that of an fdatasync of 64 KiB", factor(SYNCS));
    let measured = format!("{}; {} of its median", factor(of_p99), factor(of_p50));
    vec![(promise, measured, of_p99 <= SYNCS)]
}

fn of_many(outcome: &HotOutcome, load: &HotLoad) -> Vec<Judged> {
    let mut judged = Vec::new();
    let per_second = |way| outcome.point(way, load).map(|point| point.per_second());
    let (durable, volatile) = (per_second(HotWay::Durable), per_second(HotWay::Volatile));
    if let Some(durable) = durable {
        let promise = format!("{} thousand transfers a second", short(TRANSFERS / 1e3));
        judged.push((promise, format!("{} thousand", short(durable / 1e3)), durable >= TRANSFERS));
    }
    let log = outcome.log(load);
    if let (Some(durable), Some(volatile)) = (durable, volatile) {
        let by_disk = outcome.median_disk().zip(log);
        let by_disk = by_disk.map(|(disk, log)| disk.bytes_per_second / log.bytes_a_transfer());
        let (most, of) = match by_disk {
            Some(by_disk) if by_disk < volatile => (by_disk, "the disk in sequence"),
            _ => (volatile, "the same actor without a log"),
        };
        let part = durable / most;
        let promise = format!("{} of {of}", factor(OF_VOLATILE));
        judged.push((promise, factor(part), part >= OF_VOLATILE));
    }
    if let Some(log) = log {
        let recovered = log.from_log.commits as f64 / log.from_log.cpu_seconds;
        let promise =
            format!("{} thousand commits recovered a second and core", short(RECOVERED / 1e3));
        judged.push((
            promise,
            format!("{} thousand", short(recovered / 1e3)),
            recovered >= RECOVERED,
        ));
        let both = [log.from_log.beside_state_kib, log.from_snapshot.beside_state_kib];
        if let Some(most) = both.into_iter().flatten().max() {
            let mib = most as f64 / 1024.0;
            let promise = format!("recovery within the state and {BESIDE_STATE_MIB} MiB");
            judged.push((promise, format!("{} MiB", short(mib)), mib <= BESIDE_STATE_MIB));
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HotSample;
    use crate::disk::DiskSpeed;
    use crate::outcome::{HotPoint, LogFindings};
    use crate::recovery::{LogSize, RecoveryTook};
    use odeon_bench::latency::Latency;
    use odeon_example_ledger::Books;

    fn outcome(durable: f64, volatile: f64, bytes_per_second: f64) -> HotOutcome {
        let load = HotLoad::default();
        let point = |way, load, per_second| {
            let latency = Latency { p50_ns: 1_000, p99_ns: 36_000 };
            let sample = HotSample { per_second, latency, cpu_ns: 1.0, audits_per_second: 0.0 };
            HotPoint { way, load, samples: vec![sample] }
        };
        let sync = Latency { p50_ns: 2_000, p99_ns: 9_000 };
        let from_log = RecoveryTook {
            commits: 100,
            seconds: 1e-4,
            cpu_seconds: 1e-4,
            beside_state_kib: Some(1024),
            books: Books { sum: 0, transfers: 100 },
        };
        let size = LogSize { bytes: 10_000, epochs: 10, commits: 100 };
        let from_snapshot = RecoveryTook { beside_state_kib: Some(80 * 1024), ..from_log };
        HotOutcome {
            file_system: None,
            workers: 2,
            disk: vec![DiskSpeed { sync, bytes_per_second }],
            points: vec![
                point(HotWay::Durable, load, durable),
                point(HotWay::Volatile, load, volatile),
                point(HotWay::Durable, load.with_few_under_way(4), 1_000.0),
            ],
            logs: vec![LogFindings { load, size, from_log, from_snapshot }],
        }
    }

    #[test]
    fn what_is_reached_and_what_is_not() {
        let judged = judge(&outcome(600e3, 1e6, 1e9));
        let told: Vec<_> =
            judged.iter().map(|one| (one.measured.as_str(), one.is_reached)).collect();
        assert_eq!(
            told,
            [
                ("600 thousand", true),
                ("0.600x", false),
                ("1000 thousand", true),
                ("80.0 MiB", false),
                ("4.00x; 18.0x of its median", true)
            ]
        );
    }

    #[test]
    fn a_slow_disk_is_the_measure() {
        // 70 MB a second are 700,000 transfers of 100 bytes.
        let judged = judge(&outcome(600e3, 1e6, 70e6));
        assert_eq!(judged[1].promise, "0.800x of the disk in sequence");
        assert_eq!((judged[1].measured.as_str(), judged[1].is_reached), ("0.857x", true));
    }
}
