//! What to look at first, and how to run it.

use super::ToldFigures;
use crate::table::TextTable;

/// Names of figures, and a command that measures each.
const HEADLINES: [(&str, &str); 15] = [
    ("ring of 31 on the pool", "ring --vs tokio"),
    ("ping-pong on the pool", "pingpong --vs tokio"),
    ("fjthrput", "fjthrput --vs tokio"),
    (
        "AsyncActor with handlers that do not wait, fjthrput",
        "fjthrput --stage async --vs kameo,ractor",
    ),
    ("chameneos on the pool", "chameneos --vs tokio"),
    ("create, acknowledge, stop", "create --vs tokio"),
    ("bank (1,000 accounts, 1,000,000 transfers)", "bank --vs tokio,kameo,ractor"),
    (
        "list, 8 list actors, read, 125 requesters",
        "list --list-actors 8 --workload read --vs tokio,kameo,ractor",
    ),
    ("stm: bank of 1,000 accounts, 2 threads", "stm --case transfer --threads 2 --vs stm,fast-stm"),
    (
        "ledger: entries of 2 us that do not meet, against a plain actor",
        "ledger --mode adaptive,plain --handler-ns 2000",
    ),
    (
        "64 tasks call an actor, no work",
        "front --askers tasks --senders 64 --deposits 20000 --vs kameo,ractor",
    ),
    ("dictionary: arrival order against actor", "dictionary --version arrival-order,actor"),
    ("threadring: remote kind against local, pool", "threadring --kind local,remote"),
    ("kmeans, 65536 points: actors on cores against plain rayon", "kmeans --rounds 100"),
    ("an idle live actor with one empty mailbox", "idle"),
];

impl ToldFigures {
    /// A page of few comparisons.
    pub fn headlines(&self) -> String {
        let mut page = String::from("# Benchmarks\n\n");
        page +=
            "The comparisons to look at first, reached and not; all others, with medians, spreads ";
        page +=
            "and what was measured on real hardware, are in [figures.md](figures.md). This page ";
        page += "is written by `odeon bench figures --report docs/figures.md --headlines ";
        page += "docs/benchmarks.md`; `odeon` is `cargo run --release -p odeon-cli --features full --`.\n\n";
        page += self.quick_run();
        let mut table =
            TextTable::new(["what", "to reach", "measured", "reached?", "how to run it"]);
        let verdicts = self.verdicts();
        for (what, command) in HEADLINES {
            let mut of_it = verdicts.iter().filter(|verdict| verdict.what == what);
            let first = of_it.clone().next();
            // Where there are several, other runtimes say more than a floor.
            let beside_peers = of_it.find(|verdict| verdict.to_reach.contains("faster"));
            let Some(verdict) = beside_peers.or(first) else { continue };
            let command = format!("`odeon bench {command}`");
            table.row(verdict.cells().into_iter().chain([command]));
        }
        page += &table.to_markdown();
        page += "\nMeasured on:\n\n";
        page + &self.setting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;

    #[test]
    fn headlines_are_figures() {
        let groups = figures::groups();
        let names = groups.iter().flat_map(|group| &group.figures).map(|figure| &figure.what[..]);
        let names: Vec<&str> = names.chain([figures::IDLE_ACTOR]).collect();
        for (what, _) in HEADLINES {
            assert!(names.contains(&what), "{what}");
        }
    }
}
