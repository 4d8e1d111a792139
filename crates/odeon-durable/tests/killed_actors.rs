//! A process that is killed while clients use its durable actor: what they had heard is there, and
//! nothing is there in half. Every other process has stood by: it goes on as soon as the one before
//! is gone.
//!
//! `ODEON_KILLS`: how often, instead of six times.

#[path = "actors/ledger.rs"]
#[expect(dead_code, reason = "clients of this test do not do all that a ledger can")]
mod ledger;

use ledger::{ACCOUNTS, Audited, ToLedger, audit, processings, theater};
use odeon_core::{Access, Random, Theater};
use odeon_durable::{DurableRef, RecoverError, Store};
use odeon_log::{LogError, LogOptions};
use odeon_testkit::OwnProcess;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

const TEST: &str = "what_clients_of_a_killed_process_had_heard_is_there";
const FOLDER: &str = "ODEON_LEDGER_FOLDER";
const PROCESSING: &str = "ODEON_LEDGER_PROCESSING";
const CLIENTS: usize = 4;

/// Of each client how many transfers.
type Counts = [u64; CLIENTS];

/// Segments and snapshots come often.
fn spawn(
    theater: &Theater,
    folder: &Path,
    processing: usize,
) -> Result<DurableRef<ToLedger>, RecoverError> {
    let options = LogOptions::default().segment_bytes(4_000);
    let store = Store::open(folder)?.log_options(options).snapshot_after(3_000);
    ledger::spawn(theater, &store, processings()[processing].clone())
}

fn counts(found: &Audited) -> Counts {
    found.check();
    std::array::from_fn(|client| found.of_client(client as u32))
}

fn tell(what: &str, counts: Counts) {
    OwnProcess::tell(&format!("told: {what} {}", counts.map(|count| count.to_string()).join(" ")));
}

/// Others do not end by it.
fn fail_at_a_panic_of_any_thread() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::exit(1);
    }));
}

/// Tells what it finds, and then whatever its clients hear, until it is killed.
fn transfer_until_killed() {
    fail_at_a_panic_of_any_thread();
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("its parent says where"));
    let processing = std::env::var(PROCESSING).expect("its parent says how");
    let (theater, processing) = (theater(), processing.parse().expect("it is a number"));
    OwnProcess::tell("stands by");
    let ledger = loop {
        match spawn(&theater, &folder, processing) {
            Err(RecoverError::Log(LogError::InUse)) => thread::sleep(Duration::from_millis(1)),
            opened => break opened.expect("the log is whole"),
        }
    };
    let found = counts(&audit(&ledger));
    tell("found", found);
    thread::scope(|scope| {
        for (client, found) in found.into_iter().enumerate() {
            let ledger = &ledger;
            scope.spawn(move || {
                for number in found + 1.. {
                    // However many there are, no account runs dry.
                    let (from, to) = (number as usize, number as usize + 1 + client);
                    let transfer = |done| ToLedger::Transfer {
                        client: client as u32,
                        number,
                        from: from % ACCOUNTS,
                        to: to % ACCOUNTS,
                        done,
                    };
                    assert_eq!(ledger.ask(transfer).wait(), Ok(number));
                    OwnProcess::tell(&format!("told: heard {client} {number}"));
                }
            });
        }
        for access in [Access::Snapshot, Access::Update, Access::Exclusive].into_iter().cycle() {
            let audited = ledger.ask(|reply| ToLedger::Audit(access, reply)).wait();
            tell("audited", counts(&audited.expect("the disk works")));
            thread::sleep(Duration::from_millis(2));
        }
    });
}

/// What clients have heard, in all processes.
#[derive(Debug, Default)]
struct Heard {
    /// Of their own transfers.
    of_own: Counts,
    /// In audits.
    audited: Counts,
    /// How much that was altogether.
    lines: u64,
}

impl Heard {
    /// What is found has all of that, and of each client one transfer at most that it had not heard
    /// of.
    fn check(&mut self, found: Counts) {
        for (client, there) in found.into_iter().enumerate() {
            let (heard, audited) = (self.of_own[client], self.audited[client]);
            assert!((heard..=heard + 1).contains(&there), "{found:?} are there: {self:?}");
            assert!(there >= audited, "{found:?} are there: {self:?}");
        }
        self.of_own = found;
    }

    fn line(&mut self, line: &str) {
        let (what, numbers) = line.split_once(' ').expect("it is one of those that are told");
        let numbers = numbers.split(' ').map(|number| number.parse().expect("it is a number"));
        let numbers: Vec<u64> = numbers.collect();
        self.lines += 1;
        match (what, &numbers[..]) {
            ("found", counts) => self.check(counts.try_into().expect("one of each client")),
            ("heard", &[client, number]) => {
                let last = &mut self.of_own[client as usize];
                assert_eq!(*last + 1, number, "of client {client}");
                *last = number;
            }
            ("audited", counts) => {
                let counts: Counts = counts.try_into().expect("one of each client");
                for (last, count) in self.audited.iter_mut().zip(counts) {
                    assert!(count >= *last, "it shows {counts:?} after what {self:?}");
                    *last = count;
                }
            }
            _ => panic!("{line}"),
        }
    }

    /// A process lives for a random time, from when its clients have heard something or from its
    /// start. When it is killed, the one that `then` starts stands by.
    fn live(
        &mut self,
        mut process: OwnProcess,
        folder: &Path,
        random: &mut Random,
        has_begun: bool,
        then: impl FnOnce() -> Option<OwnProcess>,
    ) -> Option<OwnProcess> {
        if has_begun {
            // More than one snapshot's worth, on a slow machine too.
            for _ in 0..50 + random.below(150) {
                self.line(&process.says("told: ", Duration::from_secs(60)).expect("it goes on"));
            }
            let opened = spawn(&theater(), folder, 0);
            assert!(matches!(opened, Err(RecoverError::Log(LogError::InUse))));
        }
        let stands_by = then();
        thread::sleep(Duration::from_millis(random.below(200) as u64));
        assert!(process.end(Duration::ZERO).is_none(), "it has failed");
        process.kill().expect("it is gone");
        // Up to the end of its output.
        while let Some(line) = process.says("told: ", Duration::from_secs(60)) {
            self.line(&line);
        }
        stands_by
    }
}

fn start(folder: &Path, kill: u64) -> OwnProcess {
    let processing = kill as usize % processings().len();
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.env(FOLDER, folder).env(PROCESSING, processing.to_string());
    let process = OwnProcess::start_by(command, TEST);
    assert_eq!(process.says("stands by", Duration::from_secs(60)).as_deref(), Some(""));
    process
}

#[test]
fn what_clients_of_a_killed_process_had_heard_is_there() {
    if OwnProcess::is_of(TEST) {
        return transfer_until_killed();
    }
    let kills = std::env::var("ODEON_KILLS").map_or(6, |kills| kills.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("odeon-killed-actors-{}", std::process::id()));
    let (mut heard, mut random) = (Heard::default(), Random::from_seed(kills));
    let mut stands_by = None;
    for kill in 0..kills {
        let process = stands_by.take().unwrap_or_else(|| start(&folder, kill));
        let has_one_stand_by = kill % 2 == 1 && kill + 1 < kills;
        // Some are killed while they recover what the one before has left.
        stands_by = heard.live(process, &folder, &mut random, kill % 3 != 2, || {
            has_one_stand_by.then(|| start(&folder, kill + 1))
        });
        if kill % 2 == 0 {
            let theater = theater();
            let ledger = spawn(&theater, &folder, kill as usize % processings().len())
                .expect("nobody has it any more");
            heard.check(counts(&audit(&ledger)));
            let _ = theater.shutdown(ledger::PATIENCE);
        }
    }
    assert!(heard.lines > 10 * kills, "too little has happened: {heard:?}");
    let files = std::fs::read_dir(folder.join("ledger")).expect("it is there");
    let is_snapshot = |name: &str| name.ends_with(".snapshot");
    assert!(
        files.into_iter().flatten().any(|file| file.file_name().to_str().is_some_and(is_snapshot))
    );
    std::fs::remove_dir_all(folder).expect("it is there");
}
