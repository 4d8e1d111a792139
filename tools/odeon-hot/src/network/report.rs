//! Tables and sentences of what was measured over the network.

use super::{KeeperKind, NetworkOutcome, NetworkPoint, NetworkSample};
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, factor, short};

/// A durable ledger, of the best of the peers.
const OF_BEST: f64 = 10.0;

const HEAD: &str = "
## Over the network

The same ledger behind TCP on the same machine, one load generator for all: connections with a
window of unanswered transfers each, one thread. So the load, the keeper and its disk share the
cores. `volatile`: Odeon's own actor without a log.

";

fn spread(point: &NetworkPoint, of: fn(&NetworkSample) -> f64) -> Spread {
    Spread::of(&point.samples.iter().map(of).collect::<Vec<_>>())
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
    ]);
    for point in &outcome.points {
        let Spread { min, median, max } = spread(point, |sample| sample.per_second / 1e3);
        table.row([
            point.load.name(),
            point.keeper.to_string(),
            short(median),
            format!("{}..{}", short(min), short(max)),
            short(spread(point, |sample| f64::from(sample.latency.p50_ns) / 1e6).median),
            short(spread(point, |sample| f64::from(sample.latency.p99_ns) / 1e6).median),
        ]);
    }
    table
}

/// Who is not there, which versions and settings the others have, and what is promised.
pub fn lines(outcome: &NetworkOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    for point in &outcome.points {
        let line = format!("{}: {}; {}", point.keeper, point.version, point.settings);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.extend(outcome.missing.iter().map(|keeper| format!("{keeper}: not on this machine")));
    let of = |point: &&NetworkPoint| spread(point, |sample| sample.per_second).median;
    for ours in outcome.points.iter().filter(|point| point.keeper == KeeperKind::Odeon) {
        let peers = outcome.points.iter().filter(|point| point.load == ours.load);
        let peers = peers.filter(|point| !point.keeper.is_ours());
        let best = peers.max_by(|one, other| of(one).total_cmp(&of(other)));
        if let Some(best) = best {
            let part = of(&ours) / of(&best);
            let reached = if part >= OF_BEST { "reached" } else { "not reached" };
            lines.push(format!(
                "{}: odeon does {} of the best of the peers, {}; promised are {}: {reached}",
                ours.load.name(),
                factor(part),
                best.keeper,
                factor(OF_BEST)
            ));
        }
    }
    lines
}

/// A section of a page.
pub fn section(outcome: &NetworkOutcome) -> String {
    let lines: String = lines(outcome).into_iter().map(|line| format!("* {line}\n")).collect();
    format!("{HEAD}{}\n{lines}", measured(outcome).to_markdown())
}
