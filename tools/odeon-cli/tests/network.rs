//! Ledgers behind the network as a user meets them: every keeper that is on this machine, and what
//! a run leaves that is told to end.

use crate::command_line::{Folder, accepted};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than a server takes to start on a loaded machine.
const LONG: Duration = Duration::from_secs(120);

const TINY: [&str; 15] = [
    "bench",
    "hot",
    "--way",
    "durable",
    "--accounts",
    "50",
    "--zipf",
    "1.5",
    "--samples",
    "1",
    "--syncs",
    "2",
    "--sequence-mib",
    "1",
    "--folder",
];

#[test]
fn every_keeper_has_what_it_has_acknowledged_also_after_it_was_killed() {
    let folder = Folder::new("network");
    let [runs, page] = [folder.file("runs"), folder.file("page.md")];
    let more = ["--transfers", "2000", "--network", "--network-samples", "1", "--page", &page];
    let table = accepted(&[&TINY[..], &[&runs], &more].concat());
    for keeper in ["odeon", "volatile", "sqlite", "redis", "postgres"] {
        if table.contains(&format!("{keeper}  not on this machine")) {
            let _ = writeln!(std::io::stderr(), "skipped: no {keeper} on this machine");
        }
        assert!(table.lines().any(|line| line.starts_with(keeper)), "{table}");
    }
    assert!(table.contains("Zipf 1.5, 16 under way  odeon"), "{table}");
    let page = std::fs::read_to_string(page).expect("it was written");
    assert!(page.contains("## Over the network") && page.contains("| Zipf 1.5 | sqlite | "));
    assert!(page.contains("of the best of the peers | "), "{page}");
    assert_eq!(std::fs::read_dir(runs).expect("it was made").count(), 0, "nothing is left there");
}

/// Killed at the end of the test, if it has not ended.
struct Measuring(Child);

impl Drop for Measuring {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Processes whose command line has these words, where the system tells.
fn with_words(words: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| {
        let line = std::fs::read(process.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(words)).collect()
}

#[test]
fn a_run_that_is_told_to_end_leaves_no_server_and_no_folder() {
    if !std::path::Path::new("/proc/self/cmdline").exists() {
        println!("skipped: this system does not tell the command lines of processes");
        return;
    }
    for (keeper, server) in
        [("odeon", " ledger {"), ("redis", "-server "), ("postgres", "postgres -D ")]
    {
        let folder = Folder::new(&format!("network-{keeper}"));
        let runs = folder.file("runs");
        let mut command = Command::new(env!("CARGO_BIN_EXE_odeon"));
        command.args(TINY).arg(&runs).args(["--few-window", "0", "--transfers", "2000"]);
        command.args(["--network", keeper, "--network-samples", "1000"]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = Measuring(command.spawn().expect("the program starts"));
        let mut serves = false;
        until("it is served, or has ended", || {
            serves = with_words(&runs).iter().any(|line| line.contains(server));
            serves || run.0.try_wait().expect("it can be asked").is_some()
        });
        if serves {
            let told = Command::new("kill").args(["-TERM", &run.0.id().to_string()]).status();
            assert!(told.expect("there is a program `kill`").success());
        }
        until("it ends", || run.0.try_wait().expect("it can be asked").is_some());
        let code = run.0.wait().expect("it has ended").code();
        let mut message = String::new();
        let errors = run.0.stderr.as_mut().expect("the standard error was asked for");
        errors.read_to_string(&mut message).expect("messages are UTF-8");
        if serves {
            assert_eq!((code, message.as_str()), (Some(1), "error: interrupted\n"));
        } else {
            assert_eq!(code, Some(0), "{message}");
            let _ = writeln!(std::io::stderr(), "skipped: no {keeper} on this machine");
        }
        until("no server is left", || with_words(&runs).is_empty());
        assert_eq!(std::fs::read_dir(&runs).expect("it was made").count(), 0);
    }
}
