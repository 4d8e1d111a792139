//! A process that is killed while its durable actors commit transactions together: each is there at
//! all of them or at none, and what clients had heard is there.
//!
//! `ODEON_KILLS`: how often, instead of four times.

#[path = "together/vaults.rs"]
#[allow(dead_code, reason = "another program of tests needs more of it")]
mod vaults;

use odeon_core::{Access, Random, Theater};
use odeon_durable::Store;
use odeon_log::LogOptions;
use odeon_speculative::Processing;
use odeon_testkit::OwnProcess;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use vaults::{Heard, ToVault, Vaults};

const TEST: &str = "s44_transactions_of_a_killed_process_are_there_wholly_or_not_at_all";
const FOLDER: &str = "ODEON_VAULTS_FOLDER";
const CLIENTS: u32 = 3;
const PATIENCE: Duration = Duration::from_secs(60);

/// Segments and snapshots come often.
fn open(theater: &Theater, folder: &Path) -> Vaults {
    let options = LogOptions::default().segment_bytes(8_000);
    let store = Store::open(folder).expect("there is a disk").log_options(options);
    let store = store.snapshot_after(6_000);
    let wide = || Processing::concurrent().width(4);
    Vaults::spawn(theater, &store, |_| wide()).expect("nobody else has the logs")
}

/// Tells what its clients hear until it is killed.
fn pay_until_killed() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::exit(1);
    }));
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("its parent says where"));
    let theater = Theater::new().expect("there are threads");
    let vaults = open(&theater, &folder);
    let found = vaults.audit(&theater, Access::Update).expect("the disk works");
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (vaults, theater) = (&vaults, &theater);
            let first = found.get(&client).copied().unwrap_or(0) + 1;
            OwnProcess::tell(&format!("told: found {client} {}", first - 1));
            scope.spawn(move || {
                for number in first.. {
                    assert!(vaults.pay(theater, client, number));
                    OwnProcess::tell(&format!("told: heard {client} {number}"));
                }
            });
        }
        for vault in &vaults.0 {
            scope.spawn(move || while vault.ask(ToVault::Move).wait().is_ok() {});
        }
        loop {
            let found = vaults.audit(&theater, Access::Snapshot).expect("the disk works");
            for (client, number) in found {
                OwnProcess::tell(&format!("told: audited {client} {number}"));
            }
        }
    });
}

/// A line of a process.
fn line(heard: &mut Heard, line: &str) {
    let mut words = line.split(' ');
    let (what, mut numbers) =
        (words.next(), words.map(|word| word.parse::<u64>().expect("a number")));
    let [Some(client), Some(number)] = [numbers.next(), numbers.next()] else { panic!("{line}") };
    let client = client as u32;
    match what {
        Some("found") => {
            let before = heard.of_own.insert(client, number).unwrap_or(0);
            let audited = heard.audited.get(&client).copied().unwrap_or(0);
            assert!((before..=before + 1).contains(&number) && number >= audited, "{line}");
        }
        Some("heard") => {
            assert_eq!(heard.of_own.insert(client, number), Some(number - 1), "{line}");
        }
        Some("audited") => {
            let before = heard.audited.insert(client, number);
            assert!(before.is_none_or(|before| before <= number), "{line}");
        }
        _ => panic!("{line}"),
    }
}

#[test]
fn s44_transactions_of_a_killed_process_are_there_wholly_or_not_at_all() {
    if OwnProcess::is_of(TEST) {
        return pay_until_killed();
    }
    let kills = std::env::var("ODEON_KILLS").map_or(4, |kills| kills.parse().expect("a number"));
    let folder = format!("odeon-killed-transactions-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    let (mut random, mut heard) = (Random::from_seed(kills), Heard::default());
    for kill in 0..kills {
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.env(FOLDER, &folder);
        let mut process = OwnProcess::start_by(command, TEST);
        for _ in 0..40 + random.below(150) {
            line(&mut heard, &process.says("told: ", PATIENCE).expect("it goes on"));
        }
        thread::sleep(Duration::from_millis(random.below(20) as u64));
        assert!(process.end(Duration::ZERO).is_none(), "it has failed");
        process.kill().expect("it is gone");
        // Up to the end of its output.
        while let Some(told) = process.says("told: ", PATIENCE) {
            line(&mut heard, &told);
        }
        if kill % 2 == 1 || kill + 1 == kills {
            let theater = Theater::new().expect("there are threads");
            let found = open(&theater, &folder).audit(&theater, Access::Update);
            heard.check(CLIENTS, &found.expect("the disk works"));
            let _ = theater.shutdown(PATIENCE);
        }
    }
    let paid: u64 = heard.of_own.values().sum();
    assert!(paid > 10 * kills, "too little has happened: {heard:?}");
    std::fs::remove_dir_all(folder).expect("it is there");
}
