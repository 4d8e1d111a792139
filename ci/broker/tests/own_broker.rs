//! A broker that a program starts for itself.

use odeon_broker::OwnBroker;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const TEST: &str = "a_broker_ends_with_its_program_and_leaves_nothing";
const IS_PROGRAM: &str = "ODEON_TEST_STARTS_A_BROKER";

/// Where the brokers of a process are.
fn folders(process: u32) -> Vec<PathBuf> {
    let begins = format!("odeon-rabbitmq-{process}-");
    let all = std::fs::read_dir(std::env::temp_dir()).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&begins)))
        .collect()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 120, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_broker_ends_with_its_program_and_leaves_nothing() {
    if std::env::var_os(IS_PROGRAM).is_some() {
        let broker = OwnBroker::start().unwrap();
        let mut output = std::io::stdout();
        writeln!(output, "place {}", broker.place()).unwrap();
        output.flush().unwrap();
        // Until it is killed.
        loop {
            std::thread::park();
        }
    }
    if !OwnBroker::is_installed() {
        let missing = OwnBroker::start().unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound, "{missing:?}");
        assert!(missing.to_string().contains("rabbitmq-server is not installed"), "{missing}");
        writeln!(std::io::stderr(), "skipped: {TEST}: {missing}").unwrap();
        return;
    }
    let broker = OwnBroker::start().unwrap();
    let place = broker.place();
    assert!(TcpStream::connect(&place).is_ok() && folders(std::process::id()).len() == 1);
    drop(broker);
    // It has been killed; the system takes its time for that.
    until("it is gone", || TcpStream::connect(&place).is_err());
    assert_eq!(folders(std::process::id()), Vec::<PathBuf>::new());

    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env(IS_PROGRAM, "1")
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    use std::io::BufRead;
    let lines = std::io::BufReader::new(program.stdout.take().unwrap()).lines();
    let said = |line: String| line.split_once("place ").map(|(_, place)| place.to_owned());
    let place = lines.map_while(Result::ok).find_map(said).expect("it says where");
    assert_eq!(folders(program.id()).len(), 1);
    // With all that it has started in its group, as `timeout` does.
    let group = format!("-{}", program.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    program.wait().unwrap();
    until("it is gone", || TcpStream::connect(&place).is_err());
    until("nothing is left", || folders(program.id()).is_empty());
}
