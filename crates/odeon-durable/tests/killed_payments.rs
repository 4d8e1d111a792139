//! A process that is killed while its two durable actors pay each other: what was under way arrives
//! once.
//!
//! `ODEON_KILLS`: how often, instead of four times.

#[path = "once/bank.rs"]
#[allow(dead_code, reason = "another program of tests needs more of it")]
mod bank;

use bank::{ToBank, Wrong, audit, check_at_rest, connect, spawn};
use odeon_core::{Random, Theater};
use odeon_durable::{DurableRef, Store};
use odeon_log::LogOptions;
use odeon_speculative::Processing;
use odeon_testkit::OwnProcess;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

const TEST: &str = "s47_what_was_under_way_when_a_process_was_killed_arrives_once";
const FOLDER: &str = "ODEON_PAYMENTS_FOLDER";
const KILL: &str = "ODEON_PAYMENTS_KILL";
const PATIENCE: Duration = Duration::from_secs(60);

/// Segments and snapshots come often.
fn banks(theater: &Theater, folder: &Path, wrong: &Wrong) -> [DurableRef<ToBank>; 2] {
    let options = LogOptions::default().segment_bytes(8_000);
    let store = Store::open(folder).expect("there is a disk").log_options(options);
    let store = store.snapshot_after(6_000);
    let banks = ["east", "west"].map(|name| {
        let wide = Processing::concurrent().width(4);
        spawn(theater, &store, name, wide, wrong).expect("nobody else has the log")
    });
    connect(banks.each_ref());
    banks
}

/// Clients that no other process has had, in both banks, until it is killed.
fn pay_until_killed() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::exit(1);
    }));
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("its parent says where"));
    let kill = std::env::var(KILL).expect("its parent says which").parse().expect("it is a number");
    let (theater, wrong) = (Theater::new().expect("there are threads"), Wrong::default());
    let banks = banks(&theater, &folder, &wrong);
    let mut random = Random::from_seed(kill);
    thread::scope(|scope| {
        for bank in &banks {
            for client in 0..3 {
                let mut random = Random::from_seed(random.next_u64());
                let mut client = bank::Client::new(u128::from(3 * kill + client));
                let wrong = &wrong;
                scope.spawn(move || {
                    loop {
                        client.live(bank, 10, &mut random).expect("the disk works");
                        assert!(wrong.lock().expect("it has not failed").is_empty(), "{wrong:?}");
                        OwnProcess::tell("told: ten");
                    }
                });
            }
        }
    });
}

#[test]
fn s47_what_was_under_way_when_a_process_was_killed_arrives_once() {
    if OwnProcess::is_of(TEST) {
        return pay_until_killed();
    }
    let kills = std::env::var("ODEON_KILLS").map_or(4, |kills| kills.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("odeon-killed-payments-{}", std::process::id()));
    let mut random = Random::from_seed(kills);
    for kill in 0..kills {
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.env(FOLDER, &folder).env(KILL, kill.to_string());
        let mut process = OwnProcess::start_by(command, TEST);
        for _ in 0..10 + random.below(20) {
            process.says("told: ", PATIENCE).expect("it goes on");
        }
        thread::sleep(Duration::from_millis(random.below(20) as u64));
        assert!(process.end(Duration::ZERO).is_none(), "it has failed");
        process.kill().expect("it is gone");
        // Some are followed by one that finds what was under way.
        if kill % 2 == 1 || kill + 1 == kills {
            let (theater, wrong) = (Theater::new().expect("there are threads"), Wrong::default());
            let banks = banks(&theater, &folder, &wrong);
            check_at_rest(banks.each_ref(), &wrong);
            let paid: u64 = audit(&banks[0]).expect("it answers").paid.iter().sum();
            assert!(paid > kill, "too little has happened: {paid}");
            let _ = theater.shutdown(PATIENCE);
        }
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}
