//! Tables and sentences of what was measured over the network.

use super::{KeeperKind, NetworkOutcome, NetworkPoint, NetworkSample};
use crate::HotLoad;
use crate::report;
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, factor, short};

/// A durable ledger, of the best of the peers.
const OF_BEST: f64 = 10.0;

const HEAD: &str = "
## Over the network

The same ledger behind TCP on the same machine, one load generator for all: connections with a
window of unanswered transfers each, one thread. So the load, the keeper and its disk share the
cores. After each run the keeper must have exactly what it has acknowledged, and again after it was
killed and started anew. `restart ms`: from that start to its audit of all accounts. `volatile`:
Odeon's own actor without a log, which loses all of it then. `ci/peers.sh` installs the others; a
program with the feature `network` writes this section with `odeon bench hot --network`.

";

fn median(point: &NetworkPoint, of: impl Fn(&NetworkSample) -> f64) -> f64 {
    Spread::of(&point.samples.iter().map(of).collect::<Vec<_>>()).median
}

fn thousands(sample: &NetworkSample) -> f64 {
    sample.per_second / 1e3
}

fn p50_ms(sample: &NetworkSample) -> f64 {
    f64::from(sample.latency.p50_ns) / 1e6
}

fn p99_ms(sample: &NetworkSample) -> f64 {
    f64::from(sample.latency.p99_ns) / 1e6
}

/// As long as the clock of latencies runs.
fn latency(ms: f64) -> String {
    let most = f64::from(u32::MAX) / 1e6;
    if ms < most { short(ms) } else { format!("over {}", short(most.floor())) }
}

/// Nothing of one that is not durable.
fn restart_ms(point: &NetworkPoint) -> Option<f64> {
    let is_durable = point.keeper.is_durable();
    is_durable.then(|| median(point, |sample| sample.restart_seconds.unwrap_or_default() * 1e3))
}

/// All keepers.
pub fn measured(outcome: &NetworkOutcome) -> TextTable {
    let mut table = TextTable::new([
        "load",
        "keeper",
        "thousand transfers a s",
        "min..max",
        "p50 ms",
        "p99 ms",
        "restart ms",
    ]);
    for point in &outcome.points {
        let all: Vec<f64> = point.samples.iter().map(thousands).collect();
        let Spread { min, median: middle, max } = Spread::of(&all);
        table.row([
            point.load.name(),
            point.keeper.to_string(),
            short(middle),
            format!("{}..{}", short(min), short(max)),
            latency(median(point, p50_ms)),
            latency(median(point, p99_ms)),
            restart_ms(point).map(short).unwrap_or_default(),
        ]);
    }
    table
}

/// Which versions and settings they have; who is not there.
pub fn keepers(outcome: &NetworkOutcome) -> TextTable {
    let mut table = TextTable::new(["keeper", "version", "settings"]);
    let mut told = Vec::new();
    for point in &outcome.points {
        if !told.contains(&point.keeper) {
            told.push(point.keeper);
            table.row([point.keeper.to_string(), point.version.clone(), point.settings.clone()]);
        }
    }
    for keeper in &outcome.missing {
        table.row([keeper.to_string(), "not on this machine".to_owned()]);
    }
    table
}

/// What is promised of a durable ledger with many transfers under way.
pub fn promises(outcome: &NetworkOutcome) -> TextTable {
    let mut table = TextTable::new(["load", "promised", "measured", "reached"]);
    let promise = format!("{} of the best of the peers", factor(OF_BEST));
    for (load, ours, peers) in beside_peers(outcome) {
        let of = |point: &&NetworkPoint| median(point, thousands);
        let best = peers.into_iter().max_by(|one, other| of(one).total_cmp(&of(other)));
        if let Some(best) = best.filter(|_| !load.is_few()) {
            let part = of(&ours) / of(&best);
            let measured = format!("{} of {}", factor(part), best.keeper);
            let reached = if part >= OF_BEST { "yes" } else { "no" };
            table.row([load.name(), promise.clone(), measured, reached.to_owned()]);
        }
    }
    table
}

/// Odeon's durable ledger with each load, and those of others.
fn beside_peers(outcome: &NetworkOutcome) -> Vec<(HotLoad, &NetworkPoint, Vec<&NetworkPoint>)> {
    let ours = outcome.points.iter().filter(|point| point.keeper == KeeperKind::Odeon);
    let with_peers = ours.map(|ours| {
        let same_load = outcome.points.iter().filter(|point| point.load == ours.load);
        let peers = same_load.filter(|point| !point.keeper.is_ours()).collect();
        (ours.load, ours, peers)
    });
    with_peers.collect()
}

/// One of the things that are measured.
struct Measure {
    name: &'static str,
    of: fn(&NetworkPoint) -> Option<f64>,
    told: fn(f64) -> String,
    is_more_better: bool,
}

const MEASURES: [Measure; 4] = [
    Measure {
        name: "thousand transfers a s",
        of: |point| Some(median(point, thousands)),
        told: short,
        is_more_better: true,
    },
    Measure {
        name: "p50 ms",
        of: |point| Some(median(point, p50_ms)),
        told: latency,
        is_more_better: false,
    },
    Measure {
        name: "p99 ms",
        of: |point| Some(median(point, p99_ms)),
        told: latency,
        is_more_better: false,
    },
    Measure { name: "restart ms", of: restart_ms, told: short, is_more_better: false },
];

/// Where others are better than Odeon's durable ledger, its own without a log among them.
pub fn losses(outcome: &NetworkOutcome) -> TextTable {
    let mut table = TextTable::new(["load", "of", "odeon", "better"]);
    for (load, ours, _) in beside_peers(outcome) {
        let others: Vec<&NetworkPoint> =
            outcome.points.iter().filter(|point| point.load == load).collect();
        for Measure { name, of, told, is_more_better } in MEASURES {
            let Some(of_ours) = of(ours) else { continue };
            let better = others.iter().filter_map(|other| {
                let value = of(other)?;
                let is_better = if is_more_better { value > of_ours } else { value < of_ours };
                is_better.then(|| format!("{} {}", other.keeper, told(value)))
            });
            let better: Vec<String> = better.collect();
            if !better.is_empty() {
                let cells = [load.name(), name.to_owned(), told(of_ours)];
                table.row(cells.into_iter().chain([better.join(", ")]));
            }
        }
    }
    table
}

/// How long a run lasts, and with what.
fn lasting(outcome: &NetworkOutcome) -> String {
    let mut loads: Vec<HotLoad> = Vec::new();
    for point in &outcome.points {
        if !loads.contains(&point.load) {
            loads.push(point.load);
        }
    }
    format!(
        "{}, or as many as there is time for in {} s.",
        report::loads(&loads).join("; "),
        short(outcome.lasting.as_secs_f64())
    )
}

/// A section of a page.
pub fn section(outcome: &NetworkOutcome) -> String {
    let mut text = format!("{HEAD}{}\n{}\n", measured(outcome).to_markdown(), lasting(outcome));
    let promises = promises(outcome);
    if !promises.is_empty() {
        text += &format!("\n{}", promises.to_markdown());
    }
    text += &format!("\nWho keeps the ledger:\n\n{}", keepers(outcome).to_markdown());
    let losses = losses(outcome);
    if !losses.is_empty() {
        let losses = losses.to_markdown();
        text += &format!("\nWhere others are better than Odeon's durable ledger:\n\n{losses}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_bench::latency::Latency;
    use std::time::Duration;

    fn point(keeper: KeeperKind, load: HotLoad, per_second: f64, ms: u32) -> NetworkPoint {
        let latency = Latency { p50_ns: ms * 1_000_000, p99_ns: ms * 2_000_000 };
        let restart_seconds = keeper.is_durable().then_some(f64::from(ms));
        let sample = NetworkSample { per_second, latency, restart_seconds };
        let (version, settings) = ("1".to_owned(), keeper.settings().to_owned());
        NetworkPoint { keeper, version, settings, load, samples: vec![sample] }
    }

    #[test]
    fn promises_and_losses_are_told_of_each_load() {
        use KeeperKind::{Odeon, Postgres, Redis, Sqlite, Volatile};
        let many = HotLoad::default();
        let few = many.with_few_under_way(4);
        let outcome = NetworkOutcome {
            points: vec![
                point(Odeon, many, 100e3, 3),
                point(Volatile, many, 200e3, 1),
                point(Sqlite, many, 8e3, 4),
                point(Redis, many, 10e3, 2),
                point(Odeon, few, 3e3, 1),
                point(Redis, few, 4e3, 1),
            ],
            missing: vec![Postgres],
            lasting: Duration::from_secs(5),
        };
        let section = section(&outcome);
        assert!(
            section.contains("| Zipf 0 | 10.0x of the best of the peers | 10.0x of redis | yes |")
        );
        assert!(section.contains("| postgres | not on this machine |  |"), "{section}");
        assert!(section.contains("4 transfers each under way, 50000 transfers a run, or as many"));
        let losses = [
            "| Zipf 0 | thousand transfers a s | 100 | volatile 200 |\n",
            "| Zipf 0 | p50 ms | 3.00 | volatile 1.00, redis 2.00 |\n",
            "| Zipf 0 | p99 ms | 6.00 | volatile 2.00, redis 4.00 |\n",
            "| Zipf 0 | restart ms | 3000 | redis 2000 |\n",
            "| Zipf 0, 16 under way | thousand transfers a s | 3.00 | redis 4.00 |\n",
        ];
        assert!(section.ends_with(&losses.concat()), "{section}");
    }
}
