//! What locks are held and waited for. Only a build with `--cfg odeon_measured` counts that; its
//! counts can be read by another one, whose throughput they do not disturb.

use crate::way::{CONCURRENT, WIDTH};
use crate::{ScaleLoad, ScaleWay};
use odeon_bench::error::BenchError;
use odeon_sync::{LockCounts, Mutex, lock_counts};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a build with counts is made.
pub const HOW_TO_COUNT: &str = "which lock it is tells a build that counts: \
    RUSTFLAGS=\"--cfg odeon_measured\" cargo run --release --target-dir target/measured -p odeon-cli -- bench scale";

/// The file in which the lock of the board is made, and others.
const ENGINE: &str = "odeon-speculative/src/executor/engine.rs";

/// One lock in the runs of one case, for a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockUse {
    /// File and line.
    pub place: String,
    /// How often it is taken.
    pub passes: f64,
    /// Of these, in per cent, while another thread has it.
    pub contended_percent: f64,
    /// For how long it is held, without what it takes to read the clock.
    pub held_ns: f64,
    /// For how long threads wait for it.
    pub waited_ns: f64,
}

/// Whether this build counts.
pub fn are_counted() -> bool {
    // What counts knows this lock.
    let _lock = Mutex::new(());
    !lock_counts().is_empty()
}

/// Adds what has been counted between two looks.
pub(crate) fn add(all: &mut Vec<LockCounts>, before: &[LockCounts], after: &[LockCounts]) {
    for now in after {
        let was = before.iter().find(|was| was.place == now.place);
        let less = |of: fn(&LockCounts) -> u64| of(now) - was.map_or(0, of);
        let more = LockCounts {
            place: now.place.clone(),
            acquisitions: less(|counts| counts.acquisitions),
            contended: less(|counts| counts.contended),
            waited_ns: less(|counts| counts.waited_ns),
            held_ns: less(|counts| counts.held_ns),
        };
        match all.iter_mut().find(|counts| counts.place == now.place) {
            Some(counts) => {
                counts.acquisitions += more.acquisitions;
                counts.contended += more.contended;
                counts.waited_ns += more.waited_ns;
                counts.held_ns += more.held_ns;
            }
            None if more.acquisitions > 0 => all.push(more),
            None => {}
        }
    }
}

/// What is counted as held of a lock that is given back at once: reading the clock. The least of
/// some times.
pub fn clock_ns() -> f64 {
    const TIMES: u64 = 10_000;
    let lock = Mutex::new(());
    let held = || {
        let mut counts = Vec::new();
        let before = lock_counts();
        for _ in 0..TIMES {
            drop(lock.lock());
        }
        add(&mut counts, &before, &lock_counts());
        counts.iter().map(|counts| counts.held_ns).max().unwrap_or(0) as f64 / TIMES as f64
    };
    (0..10).map(|_| held()).fold(f64::INFINITY, f64::min)
}

/// The locks of a case with so many messages, those first that are held and waited for most.
pub(crate) fn uses(counted: &[LockCounts], messages: u64, clock_ns: f64) -> Vec<LockUse> {
    let each = |count: u64| count as f64 / messages.max(1) as f64;
    let used = counted.iter().filter(|counts| counts.acquisitions > 0).map(|counts| LockUse {
        place: short_place(&counts.place),
        passes: each(counts.acquisitions),
        contended_percent: 100.0 * counts.contended as f64 / counts.acquisitions as f64,
        held_ns: (each(counts.held_ns) - clock_ns * each(counts.acquisitions)).max(0.0),
        waited_ns: each(counts.waited_ns),
    });
    let mut uses: Vec<LockUse> = used.collect();
    uses.sort_by(|a, b| (b.held_ns + b.waited_ns).total_cmp(&(a.held_ns + a.waited_ns)));
    uses
}

/// From the folder of the crate on.
fn short_place(place: &str) -> String {
    place.split_once("crates/").map_or(place, |(_, place)| place).to_owned()
}

/// A line of the file that `--json` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockLine {
    /// Always `lock`.
    pub what: String,
    /// The mode.
    pub mode: String,
    /// Worker threads.
    pub workers: usize,
    /// What was done.
    pub load: ScaleLoad,
    /// The lock.
    #[serde(flatten)]
    pub lock: LockUse,
}

/// The locks that another run has counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountedLocks(pub Vec<LockLine>);

impl CountedLocks {
    /// Reads what `--json` of a build that counts has written.
    ///
    /// # Errors
    /// If there is no such line in the file.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let bad = |problem: String| {
            BenchError::bad_argument("--locks", format!("{}: {problem}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        let lines = text.lines().filter_map(|line| serde_json::from_str::<LockLine>(line).ok());
        let lines: Vec<LockLine> = lines.filter(|line| line.what == "lock").collect();
        if lines.is_empty() {
            return Err(bad("has no counts of locks: a build that counts writes them".to_owned()));
        }
        Ok(Self(lines))
    }

    /// The board's lock in runs of a concurrent actor with most workers, by the shortest handler:
    /// there its sections are the largest part of all. Only of messages that never meet, as
    /// simulated ones. `None` if nobody has counted it.
    ///
    /// An engine has several locks; the board's is the one that is taken most often, as each place
    /// takes it twice. Which line makes it changes with the file, and which one is held longest
    /// with what is done under it.
    pub fn board(&self) -> Option<&LockUse> {
        self.board_of(CONCURRENT)
    }

    /// The same lock of an actor whose shards have one worker: nobody waits for it, and its lines
    /// are always there.
    pub fn board_alone(&self) -> Option<&LockUse> {
        self.board_of(ScaleWay::Width(WIDTH))
    }

    fn board_of(&self, way: ScaleWay) -> Option<&LockUse> {
        let mode = way.to_string();
        let of_engine = |line: &&LockLine| {
            line.mode == mode && line.load.is_undisturbed() && line.lock.place.starts_with(ENGINE)
        };
        let lines = || self.0.iter().filter(of_engine);
        let workers = lines().map(|line| line.workers).max()?;
        let widest = || lines().filter(|line| line.workers == workers);
        let load = widest().map(|line| line.load).min_by_key(|load| load.handler_ns)?;
        let of_these = widest().filter(|line| line.load == load).map(|line| &line.lock);
        of_these.max_by(|a, b| a.passes.total_cmp(&b.passes))
    }

    /// Of one load, the locks of concurrent actors with most workers.
    pub fn of_concurrent(&self, load: ScaleLoad) -> Vec<&LockLine> {
        let is_its = |line: &&LockLine| line.mode == "concurrent" && line.load == load;
        let workers = self.0.iter().filter(is_its).map(|line| line.workers).max();
        self.0.iter().filter(is_its).filter(|line| Some(line.workers) == workers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: ScaleLoad = ScaleLoad { handler_ns: 0, senders: 4, conflict: 0, reads: 0 };

    fn counts(place: &str, n: u64) -> LockCounts {
        LockCounts {
            place: place.to_owned(),
            acquisitions: n,
            contended: n / 2,
            waited_ns: 30 * n,
            held_ns: 100 * n,
        }
    }

    #[test]
    fn what_is_between_two_looks_is_told_for_a_message() {
        let mut all = Vec::new();
        add(&mut all, &[counts("/x/crates/a.rs:1", 4)], &[counts("/x/crates/a.rs:1", 8)]);
        let after = [counts("/x/crates/a.rs:1", 12), counts("b.rs:2", 0), counts("c.rs:3", 2)];
        add(&mut all, &[counts("/x/crates/a.rs:1", 8)], &after);
        assert_eq!(all, [counts("/x/crates/a.rs:1", 8), counts("c.rs:3", 2)]);
        let first = LockUse {
            place: "a.rs:1".to_owned(),
            passes: 0.5,
            contended_percent: 50.0,
            held_ns: 40.0,
            waited_ns: 15.0,
        };
        let used = uses(&all, 16, 20.0);
        assert_eq!((used.len(), &used[0]), (2, &first));
    }

    #[test]
    fn the_lock_of_the_board_is_found_in_a_file_of_counts() {
        let of_way =
            |way: ScaleWay, place: &str, workers, load: ScaleLoad, passes, held_ns| LockLine {
                what: "lock".to_owned(),
                mode: way.to_string(),
                workers,
                load,
                lock: LockUse {
                    place: place.to_owned(),
                    passes,
                    contended_percent: 0.0,
                    held_ns,
                    waited_ns: 0.0,
                },
            };
        let line = |place: &str, workers, load, passes, held_ns| {
            of_way(CONCURRENT, place, workers, load, passes, held_ns)
        };
        let (board, other) = (format!("{ENGINE}:144"), format!("{ENGINE}:160"));
        let conflicts = ScaleLoad { handler_ns: 0, conflict: 50, ..LOAD };
        let lines = [
            line(&board, 1, LOAD, 1.0, 9.0),
            line(&board, 2, LOAD, 1.0, 5.0),
            line(&other, 2, LOAD, 0.1, 6.0),
            line(&board, 2, conflicts, 2.0, 7.0),
            line("odeon-stm/x.rs:1", 2, LOAD, 9.0, 99.0),
            of_way(ScaleWay::Width(WIDTH), &board, 1, LOAD, 0.02, 3.0),
            of_way(ScaleWay::Width(WIDTH), &other, 1, LOAD, 0.01, 4.0),
        ];
        let path = std::env::temp_dir().join(format!("odeon-locks-{}.jsonl", std::process::id()));
        let text: String = lines
            .iter()
            .map(|line| serde_json::to_string(line).expect("it is JSON") + "\n")
            .collect();
        std::fs::write(&path, "{\"what\":\"point\"}\n".to_owned() + &text).expect("writable");
        let read = CountedLocks::read(&path).expect("there are counts");
        assert_eq!(read.board().map(|board| board.held_ns), Some(5.0));
        assert_eq!(read.board_alone().map(|board| board.held_ns), Some(3.0));
        assert_eq!(read.of_concurrent(LOAD).len(), 3, "of this load, with most workers");
        std::fs::write(&path, "{\"what\":\"point\"}\n").expect("writable");
        let refused = CountedLocks::read(&path).expect_err("there are none").to_string();
        assert!(refused.starts_with("--locks: ") && refused.contains("no counts"), "{refused}");
        std::fs::remove_file(&path).expect("it is ours");
    }
}
