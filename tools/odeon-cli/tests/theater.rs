//! `odeon theater` as a user meets it: theaters in processes of their own, and what is asked of
//! them.

use odeon_core::{Message, Theater};
use odeon_theater::RemoteError;
use odeon_zenoh::ZenohSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub(crate) const LONG: Duration = Duration::from_secs(120);

fn odeon(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_odeon"));
    command.args(line.split_whitespace());
    command
}

pub(crate) fn output(line: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = odeon(line).output().expect("the program starts");
    let [said, complained] = [stdout, stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (status.code(), said, complained)
}

/// A theater in a process of its own. Killed at the end of the test, if it has not ended.
pub(crate) struct Running {
    pub(crate) child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) id: String,
}

impl Running {
    #[track_caller]
    pub(crate) fn start(line: &str) -> Self {
        let mut command = odeon(line);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("it was asked for"));
        let mut said = String::new();
        output.read_line(&mut said).expect("it says something");
        let id = said.strip_prefix("ready ").and_then(|said| said.trim().split_once(' '));
        let id = id.map(|(_, id)| id.to_owned()).unwrap_or_default();
        assert_eq!(id.len(), 32, "{said:?}");
        Self { child, output, id }
    }

    /// The next line that it says.
    #[track_caller]
    pub(crate) fn says(&mut self) -> String {
        let mut said = String::new();
        self.output.read_line(&mut said).expect("UTF-8");
        said
    }

    /// Tells it to end, and answers what it has said since it was ready.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (ExitStatus, String, String) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.expect("there is a program `kill`").success());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be asked") {
                break status;
            }
            assert!(begun.elapsed() < LONG, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        let (mut said, mut complained) = (String::new(), String::new());
        self.output.read_to_string(&mut said).expect("UTF-8");
        let errors = self.child.stderr.as_mut().expect("it was asked for");
        errors.read_to_string(&mut complained).expect("UTF-8");
        (status, said, complained)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A cluster of its own, and how it is reached.
pub(crate) struct Cluster {
    pub(crate) name: String,
    pub(crate) endpoint: String,
}

impl Cluster {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // ORDERING: Relaxed: only the numbers have to differ.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // WHY one of these: the system gives none of them to who asks for any, so nobody takes it
        // before the first theater does.
        let first = 10_000 + (std::process::id() % 1_000) as u16 * 16 + number as u16;
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let port = (first..32_000).step_by(16).find(is_free).expect("there is a free port");
        let name = format!("test-{}-{number}", std::process::id());
        Self { name, endpoint: format!("tcp/127.0.0.1:{port}") }
    }

    /// The first theater, by which all others are found.
    pub(crate) fn first(&self, name: &str) -> Running {
        let Self { name: cluster, endpoint } = self;
        Running::start(&format!("theater --name {name} --listen {endpoint} --cluster {cluster}"))
    }

    /// One more, which is told of the others there.
    pub(crate) fn another(&self, name: &str) -> Running {
        let Self { name: cluster, endpoint } = self;
        let another = Running::start(&format!(
            "theater --name {name} --connect {endpoint} --listen tcp/127.0.0.1:0 --cluster {cluster}"
        ));
        // It may be ready before the first one knows it.
        let begun = Instant::now();
        while !self.asks("ps --json").1.contains(&another.id) {
            assert!(begun.elapsed() < LONG, "nobody knows it");
        }
        another
    }

    pub(crate) fn asks(&self, what: &str) -> (Option<i32>, String, String) {
        let Self { name, endpoint } = self;
        // Who is there is found at once, on a loaded machine a little later.
        let within = if what.contains("--within") { "" } else { "--within 30" };
        output(&format!("theater {what} {within} --connect {endpoint} --cluster {name}"))
    }

    /// What is printed by something that works.
    #[track_caller]
    pub(crate) fn done(&self, what: &str) -> String {
        let (code, said, complained) = self.asks(what);
        assert_eq!(code, Some(0), "{what}: {said}{complained}");
        said
    }

    #[track_caller]
    fn listed(&self) -> Value {
        serde_json::from_str(&self.done("ps --json")).expect("it is JSON")
    }

    /// The names of the theaters in which the actors sit.
    #[track_caller]
    fn sit(&self) -> Vec<(String, String)> {
        let listed = self.listed();
        let theaters = listed["theaters"].as_array().expect("there are theaters");
        let name = |id: &Value| {
            let its = theaters.iter().find(|theater| theater["id"] == *id);
            its.expect("its theater is there")["name"].as_str().expect("it has one").to_owned()
        };
        let actors = listed["actors"].as_array().expect("there may be some");
        let id = |actor: &Value| actor["id"].as_str().expect("it has one").to_owned();
        actors.iter().map(|actor| (id(actor), name(&actor["theater"]))).collect()
    }
}

#[test]
fn an_actor_is_created_listed_moved_and_counts_on() {
    let cluster = Cluster::new();
    let a = cluster.first("a");
    let b = cluster.another("b");
    let actor = cluster.done("spawn --at a");
    let actor = actor.trim();
    assert!(actor.starts_with(&a.id), "{actor}");
    assert_eq!(cluster.done(&format!("count {actor} --add 5")), "5\n");
    let moved = cluster.done(&format!("move {actor} --to b"));
    assert!(moved.contains(" moved from a to b: "), "{moved}");
    assert_eq!(cluster.done(&format!("count {actor} --add 2")), "7\n");
    assert_eq!(cluster.sit(), [(actor.to_owned(), "b".to_owned())]);
    let listed = cluster.done("ps");
    let (theaters, actors) = listed.split_once("\n\n").expect("there are two tables");
    assert!(theaters.contains("referred to") && actors.contains("counter"), "{listed}");
    // Shortened, as it is listed.
    let short = actors.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a line");
    assert_eq!(
        cluster.done(&format!("move {short} --to {}", &a.id[..12])).matches("from b to a").count(),
        1
    );
    assert_eq!(cluster.done(&format!("count {short}")), "7\n");
    drop(b);
}

#[derive(Serialize, Deserialize)]
struct Strange;

impl Message for Strange {}

#[test]
fn a_program_has_counters_created_by_their_kind() {
    let cluster = Cluster::new();
    let a = cluster.first("a");
    let theater = Theater::builder().workers(1).build().expect("a theater");
    let settings =
        ZenohSettings { connect: vec![cluster.endpoint.clone()], ..ZenohSettings::default() };
    let network = odeon_zenoh::join(&theater, &cluster.name, &settings).expect("it joins");
    let begun = Instant::now();
    while network.members().is_empty() {
        assert!(begun.elapsed() < LONG, "nobody is there");
        std::thread::sleep(Duration::from_millis(10));
    }
    let there = network.members()[0].0;
    assert_eq!(there.to_string(), a.id);
    let created = |kind: &str| {
        let asked = network.at(there).spawn::<(), Strange>(kind, &()).expect("it can be asked");
        asked.wait_timeout(LONG).expect("there is an answer").expect_err("of another program")
    };
    // It is created; its messages are those of another program.
    let expected = RemoteError::OtherMessages("odeon::theater::counters::Count".into());
    assert_eq!(created("counter"), expected);
    assert_eq!(created("account"), RemoteError::UnknownKind);
    assert!(network.leave(LONG));
    assert!(cluster.sit().is_empty(), "what nobody refers to has ended");
}

#[test]
fn who_is_not_let_in_is_told_of_once_on_both_sides() {
    let Cluster { name, endpoint } = Cluster::new();
    let folder = std::env::temp_dir();
    let secret = |which: &str| {
        let path = folder.join(format!("{name}-{which}-secret"));
        std::fs::write(&path, format!("a secret of sixteen bytes or more: {which}"))
            .expect("it is written");
        path
    };
    let (ours, theirs) = (secret("our"), secret("their"));
    let start = |line: &str| Running::start(&format!("theater --cluster {name} {line}"));
    let mut a = start(&format!("--name a --listen {endpoint} --secret-file {}", ours.display()));
    let mut b = start(&format!("--name b --connect {endpoint} --secret-file {}", theirs.display()));
    let mut c = start(&format!("--name c --connect {endpoint}"));
    let line = |of: &Running| {
        format!("refused {}: the other theater does not have the secret of this one\n", of.id)
    };
    let mut by_a = [a.says(), a.says()];
    let mut expected = [line(&b), line(&c)];
    by_a.sort();
    expected.sort();
    assert_eq!(by_a, expected);
    assert_eq!(b.says(), line(&a));
    assert!(c.says().starts_with(&format!("refused {}: ", a.id)));
    for theater in [&mut a, &mut b, &mut c] {
        let (status, said, complained) = theater.end();
        assert!(status.success(), "{complained}");
        assert_eq!((said.as_str(), complained.as_str()), ("moved 0\n", ""));
    }
    [ours, theirs].into_iter().for_each(|path| std::fs::remove_file(path).expect("it is there"));
}

#[test]
fn a_theater_that_is_told_to_end_lets_its_actors_go_on_elsewhere() {
    let cluster = Cluster::new();
    let _a = cluster.first("a");
    let mut b = cluster.another("b");
    let actors: Vec<String> = (0..3).map(|_| cluster.done("spawn --at b").trim().into()).collect();
    for (number, actor) in actors.iter().enumerate() {
        cluster.done(&format!("count {actor} --add {number}"));
    }
    let (status, said, complained) = b.end();
    assert!(status.success(), "{complained}");
    assert_eq!((said.as_str(), complained.as_str()), ("moved 3\n", ""));
    for (number, actor) in actors.iter().enumerate() {
        assert_eq!(cluster.done(&format!("count {actor}")), format!("{number}\n"));
    }
    assert!(cluster.sit().iter().all(|(_, theater)| theater == "a"));
}

#[test]
fn a_theater_is_drained_and_opened_again() {
    let cluster = Cluster::new();
    let _a = cluster.first("a");
    let _b = cluster.another("b");
    let actors: Vec<String> = (0..2).map(|_| cluster.done("spawn --at b").trim().into()).collect();
    let drained = cluster.done("drain b");
    assert!(
        drained.ends_with("2 moved, 0 stay, 1 that do not move are referred to\n"),
        "{drained}"
    );
    assert!(cluster.sit().iter().all(|(_, theater)| theater == "a"));
    let (code, _, complained) = cluster.asks(&format!("move {} --to b", actors[0]));
    assert_eq!(code, Some(1));
    assert!(complained.contains("stays at a: the theater is being drained"), "{complained}");
    let (code, _, complained) = cluster.asks("spawn --at b");
    assert_eq!((code, complained.as_str()), (Some(1), "error: b is drained\n"));
    // Nobody can take them: what is not empty is an error.
    let (code, said, complained) = cluster.asks("drain a --drain-within 1");
    assert_eq!(code, Some(1), "{said}");
    assert!(complained.contains("a is not empty"), "{complained}");
    assert_eq!(said.matches(" stays: ").count(), 2, "{said}");
    cluster.done("reopen b");
    assert!(cluster.done(&format!("move {} --to b", actors[0])).contains("from a to b"));
}

#[test]
fn who_is_killed_is_listed_no_longer() {
    let cluster = Cluster::new();
    let _a = cluster.first("a");
    let b = cluster.another("b");
    let names = || -> Vec<String> {
        let listed = cluster.listed();
        let theaters = listed["theaters"].as_array().expect("there are theaters");
        theaters.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(), ["a", "b"]);
    // Killed without a word.
    drop(b);
    let begun = Instant::now();
    while names() != ["a"] {
        assert!(begun.elapsed() < LONG, "{:?}", names());
    }
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    for (line, expected) in [
        ("theater --name a", "--connect: other theaters cannot be found"),
        ("theater ps", "--connect: the theaters cannot be found"),
        ("theater --listen 7447", "an endpoint is written as tcp/127.0.0.1:7447"),
        ("theater --name= --listen tcp/127.0.0.1:0", "a value is required for '--name"),
        ("theater --workers 0 --listen tcp/127.0.0.1:0", "0 is not in 1..=256"),
        ("theater ps --within 0", "0 is not in 1..=3600"),
        ("theater move 1/1", "--to <THEATER>"),
        ("theater drain", "<THEATER>"),
        ("theater --name a ps", "cannot be used with"),
        ("theater ps --tls-key x --connect tls/localhost:7447", "--tls-authority"),
        (
            "theater --tls-authority a --tls-certificate b --tls-key c --listen tls/[::]:0,tcp/[::]:0",
            "--listen: who comes by tcp/[::]:0 shows no certificate",
        ),
    ] {
        let (code, _, message) = output(line);
        assert_eq!(code, Some(2), "{line}: {message}");
        assert!(message.contains(expected), "{line}: {message}");
    }
}

#[test]
fn who_is_meant_must_be_there() {
    let cluster = Cluster::new();
    let (code, _, message) = cluster.asks("ps --within 1");
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("no theater of the cluster was found within 1 s"), "{message}");
    let _a = cluster.first("a");
    let _twin = cluster.another("a");
    for (what, expected) in [
        ("drain nobody", "<THEATER>: no theater is called 'nobody'; there are a ("),
        ("drain a", "<THEATER>: 'a' may be any of "),
        ("move 00/7 --to a", "<ACTOR>: no theater knows a mobile actor '00/7'"),
        ("move seven --to a", "<ACTOR>: 'seven' is no actor"),
        ("count 1/x", "<ACTOR>: '1/x' is no actor"),
    ] {
        let (code, _, message) = cluster.asks(what);
        assert_eq!(code, Some(2), "{what}: {message}");
        assert!(message.contains(expected), "{what}: {message}");
    }
}
