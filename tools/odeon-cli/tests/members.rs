//! Workloads of several processes as a user meets them: members come, go with the one that started
//! them, and are missed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than a broker takes to start on a loaded machine.
const LONG: Duration = Duration::from_secs(240);

fn odeon(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_odeon"));
    command.args(arguments.split_whitespace());
    command
}

/// Killed at the end of the test, if it has not ended.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().expect("the program starts"))
    }

    #[track_caller]
    fn ended(&mut self) -> std::process::ExitStatus {
        let status = || self.0.try_wait().expect("it can be asked");
        until("it ends", status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The members that a run has started, where the system tells: they are children of its main
/// thread.
fn members_of(process: u32, subcommand: &str, expected: usize) -> Option<Vec<u32>> {
    let children = format!("/proc/{process}/task/{process}/children");
    if !std::path::Path::new(&children).exists() {
        println!("skipped: this system does not tell the children of a process");
        return None;
    }
    Some(until("members start", || {
        let members = std::fs::read_to_string(&children).ok()?;
        let children = members.split_whitespace().filter_map(|id| id.parse().ok());
        // Before it is a member, it is a copy of the one that starts it.
        let is_member = |id: &u32| {
            let line = std::fs::read_to_string(format!("/proc/{id}/cmdline"));
            line.is_ok_and(|line| line.contains(&format!("\0{subcommand}\0")))
        };
        let members: Vec<u32> = children.filter(is_member).collect();
        (members.len() == expected).then_some(members)
    }))
}

fn is_there(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    // A zombie has ended: whoever inherits it may take its time.
    state.is_ok_and(|state| !state.contains(") Z "))
}

const ENDLESS: &str = "bench theaterrings --rings 2 --hops 1000000000 --samples 1 --warmup 0";

#[test]
fn workloads_run_in_processes() {
    for line in [
        "threadring --hops 200 --kind local,remote,mobile",
        "theaterrings --rings 1,5 --hops 30 --kind remote,mobile",
        "migrationrings --actors 3 --migrations 20",
        "migrationrings --actors 3 --migrations 5 --bytes 1000 --pace asked",
        "remotethroughput --messages 300 --bytes 8,300 --actors 2",
        "remoteask --rounds 10 --floor zenoh,tcp",
        "remotecreate --actors 20 --kind remote,mobile",
        "remotecreate --actors 20 --created moved --kind mobile",
        "remotecreate --actors 120 --created here --kind local,remote,mobile",
    ] {
        let Output { status, stderr, .. } =
            odeon(&format!("bench {line} --samples 1 --warmup 0")).output().expect("it starts");
        assert_eq!(status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&stderr));
    }
}

#[test]
fn a_member_ends_when_nobody_holds_its_input() {
    for (role, says) in
        [(r#"{"Theater":{"workers":1}}"#, "ready \n"), (r#""TcpEcho""#, "ready 127")]
    {
        let seat = format!(
            r#"{{"role":{role},"number":1,"cluster":"alone","listen":["tcp/127.0.0.1:0"],"connect":[]}}"#
        );
        let mut member = Running::start(odeon("member").arg(seat));
        let mut line = String::new();
        let output = member.0.stdout.take().expect("the standard output was asked for");
        BufReader::new(output).read_line(&mut line).expect("it says something");
        assert!(line.starts_with(says), "{line:?}");
        assert_eq!(member.0.try_wait().expect("it can be asked"), None, "it stays");
        drop(member.0.stdin.take());
        assert!(member.ended().success());
    }
}

#[test]
fn a_member_that_cannot_be_one_says_why() {
    let Output { status, stdout, stderr } =
        odeon("member nonsense").output().expect("the program starts");
    assert_eq!(status.code(), Some(2));
    let [said, message] = [stdout, stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    assert!(said.starts_with("refused member: "), "{said}");
    assert!(message.starts_with("error: member: "), "{message}");
}

#[test]
fn members_do_not_outlive_a_run_that_is_killed() {
    let mut run = Running::start(&mut odeon(ENDLESS));
    let Some(members) = members_of(run.0.id(), "member", 3) else { return };
    run.0.kill().expect("it can be killed");
    run.ended();
    until("members end", || (!members.iter().any(|&id| is_there(id))).then_some(()));
}

#[test]
fn a_member_that_dies_is_an_error() {
    let mut run = Running::start(&mut odeon(ENDLESS));
    let Some(members) = members_of(run.0.id(), "member", 3) else { return };
    let killed = Command::new("kill").args(["-9", &members[1].to_string()]).status();
    assert!(killed.expect("there is a program `kill`").success());
    assert_eq!(run.ended().code(), Some(1));
    let mut message = String::new();
    let errors = run.0.stderr.as_mut().expect("the standard error was asked for");
    errors.read_to_string(&mut message).expect("messages are UTF-8");
    assert!(message.contains("member 2 ended"), "{message}");
    until("the others end", || (!members.iter().any(|&id| is_there(id))).then_some(()));
}

/// Whether a broker can be started here; a test that is skipped has said so.
fn has_a_broker(test: &str) -> bool {
    let one = "bench kmeans --rows 20 --rounds 1 --samples 1 --warmup 0 --way middleware";
    let Output { status, stdout, stderr } = odeon(one).output().expect("the program starts");
    let [said, errors] = [stdout, stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    assert_eq!(status.code(), Some(0), "{errors}");
    let missing = said.contains("not measured: no broker here: rabbitmq-server is not installed");
    if missing {
        let _ = writeln!(std::io::stderr(), "skipped: {test}: {said}");
    } else {
        assert!(said.contains("odeon-pool"), "{said}");
    }
    !missing
}

#[test]
fn worker_processes_behind_a_broker_do_the_pieces_and_do_not_outlive_a_run_that_is_killed() {
    if !has_a_broker("worker processes behind a broker") {
        return;
    }
    let endless = "bench kmeans --rows 2000 --rounds 1000000 --samples 1 --warmup 0";
    let mut run = Running::start(&mut odeon(&format!("{endless} --way middleware")));
    let Some(workers) = members_of(run.0.id(), "serve", 2) else { return };
    run.0.kill().expect("it can be killed");
    run.ended();
    until("they end", || (!workers.iter().any(|&id| is_there(id))).then_some(()));
}

#[test]
fn a_run_whose_worker_process_dies_is_told_and_done_once_more() {
    if !has_a_broker("a worker process that dies") {
        return;
    }
    let line = "bench kmeans --rows 2000 --seconds 20 --samples 1 --warmup 0 --way middleware";
    let mut run = Running::start(&mut odeon(line));
    let Some(workers) = members_of(run.0.id(), "serve", 2) else { return };
    // So that they serve: a process that does not come so far ends the run.
    std::thread::sleep(Duration::from_secs(10));
    let killed = Command::new("kill").args(["-9", &workers[0].to_string()]).status();
    assert!(killed.expect("there is a program `kill`").success());
    let code = run.ended().code();
    let mut message = String::new();
    let errors = run.0.stderr.as_mut().expect("the standard error was asked for");
    errors.read_to_string(&mut message).expect("messages are UTF-8");
    assert_eq!(code, Some(0), "{message}");
    assert!(message.contains("worker process 1 ended"), "{message}");
    assert!(message.contains("this run is done once more"), "{message}");
    until("all end", || (!workers.iter().any(|&id| is_there(id))).then_some(()));
}

#[test]
fn a_server_that_cannot_be_one_says_why() {
    let Output { status, stdout, .. } = odeon("serve nonsense").output().expect("it starts");
    assert_eq!(status.code(), Some(2));
    let said = String::from_utf8(stdout).expect("UTF-8");
    assert!(said.starts_with("refused serve: "), "{said}");
}

#[test]
fn what_this_machine_lacks_is_said_and_the_rest_is_measured() {
    let line = "bench kmeans --rows 200 --rounds 2 --samples 1 --warmup 0 --way direct,cpu";
    let Output { status, stdout, stderr } = odeon(line).output().expect("it starts");
    assert_eq!(status.code(), Some(0), "{}", String::from_utf8_lossy(&stderr));
    let said = String::from_utf8(stdout).expect("UTF-8");
    assert!(said.contains("odeon-pool") && said.contains("floor"), "{said}");
    let missing: Vec<&str> = said.lines().filter(|line| line.contains("not measured")).collect();
    // Where there is a GPU, both are measured.
    match missing[..] {
        [] => assert_eq!(said.matches("odeon-pool").count(), 2, "{said}"),
        [one] => assert!(
            one.starts_with("not measured: no GPU here: ") && one.contains("way=direct"),
            "{one}"
        ),
        _ => panic!("{said}"),
    }
}

#[test]
fn the_paper_on_salsa_lite_is_reproduced_by_processes() {
    let out = std::env::temp_dir().join(format!("odeon-theaters-cli-{}", std::process::id()));
    let mut command = odeon("bench theaters --reproduce --quick --workers 2 --out");
    let Output { status, stdout, stderr } = command.arg(&out).output().expect("it starts");
    assert_eq!(status.code(), Some(0), "{}", String::from_utf8_lossy(&stderr));
    let table = String::from_utf8(stdout).expect("UTF-8");
    assert!(table.contains("index.html") && table.contains("created here and moved"), "{table}");
    let page = std::fs::read_to_string(out.join("index.html")).expect("it was written");
    assert!(page.contains("Figure 9: ") && page.contains("workers=2"), "{page}");
    for plot in ["5", "6", "7", "8a", "8b", "9a", "9b"] {
        let plot = format!("figure-{plot}.svg");
        let svg = std::fs::read_to_string(out.join(&plot)).expect("it was drawn");
        assert!(page.contains(&plot) && svg.starts_with("<svg"), "{plot}");
    }
    std::fs::remove_dir_all(&out).expect("it is there");
}

/// It says `ready` when its queue is served, and not before.
#[test]
fn a_server_without_a_broker_is_refused_and_never_ready() {
    let post = r#"{"uri":"nowhere","queue":"pieces","by":"Cores"}"#;
    let mut server = odeon("serve");
    let Output { status, stdout, .. } = server.arg(post).output().expect("it starts");
    let said = String::from_utf8(stdout).expect("messages are UTF-8");
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.starts_with("refused ") && !said.contains("ready"), "{said}");
}
