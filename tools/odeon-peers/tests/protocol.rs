//! Drives the program through its standard input and output, as the benchmark does.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The actor runtimes.
const PEERS: [&str; 3] = ["tokio", "kameo", "ractor"];
/// The transactional memories.
const MEMORIES: [&str; 2] = ["stm", "fast-stm"];

struct Program {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Starts a peer and returns its greeting with it.
    fn start(peer: &str) -> (Self, Value) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_odeon-peers"))
            .arg(peer)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut program = Self { process, requests, answers };
        let greeting = program.read_line();
        (program, greeting)
    }

    fn ask(&mut self, workload: &str, params: Value) -> Value {
        self.ask_text(&json!({ "workload": workload, "params": params }).to_string())
    }

    fn ask_text(&mut self, request: &str) -> Value {
        writeln!(self.requests, "{request}").unwrap();
        self.read_line()
    }

    fn read_line(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Closes the input and demands an orderly end.
    fn finish(mut self) {
        drop(self.requests);
        assert!(self.process.wait().unwrap().success());
    }
}

#[track_caller]
fn assert_measured(answer: &Value, ops: u64) {
    assert_eq!(answer["ops"], ops, "{answer}");
    assert!(answer["ns"].as_u64().unwrap() > 0, "{answer}");
    assert!(answer["peak_rss_kib"].as_u64().unwrap() > 0, "{answer}");
}

#[test]
fn each_peer_greets_with_its_versions() {
    for peer in PEERS.into_iter().chain(MEMORIES) {
        let (program, greeting) = Program::start(peer);
        assert_eq!(greeting["impl"], peer);
        assert_eq!(greeting["allocator"], "system");
        let version = greeting["version"].as_str().unwrap();
        assert_eq!(version.split('.').count(), 3, "{version}");
        let rustc = greeting["rustc"].as_str().unwrap();
        assert!(rustc.starts_with("rustc "), "{rustc}");
        program.finish();
    }
}

#[test]
fn each_peer_runs_each_workload() {
    for peer in PEERS {
        let (mut program, _) = Program::start(peer);
        // Twice, to see that a sample leaves nothing that disturbs the next; and with one worker.
        for workers in [2, 2, 1] {
            let mut check = |workload: &str, mut params: Value, ops: u64| {
                params["workers"] = workers.into();
                assert_measured(&program.ask(workload, params), ops);
            };
            check("ring", json!({"actors": 5, "hops": 1003}), 1003);
            check("ring", json!({"actors": 1, "hops": 10}), 10);
            check("pingpong", json!({"rounds": 500}), 500);
            check("fjthrput", json!({"actors": 7, "messages": 100}), 700);
            check("create", json!({"actors": 300}), 300);
            check("chameneos", json!({"creatures": 9, "meetings": 200}), 200);
            check("chameneos", json!({"creatures": 2, "meetings": 1}), 1);
            check("big", json!({"actors": 8, "pings": 50}), 400);
            check("count", json!({"messages": 2000}), 2000);
            check("forward", json!({"actors": 20, "tokens": 5, "hops": 100}), 500);
            check("bank", json!({"accounts": 10, "transfers": 300, "seed": 3}), 300);
            check("bank", json!({"accounts": 2, "transfers": 20, "seed": 3}), 20);
            for askers in ["threads", "tasks"] {
                check("front", json!({"askers": askers, "deposits": 100}), 100);
                // Each asks as often as the others.
                let many = json!({
                    "askers": askers,
                    "senders": 7,
                    "deposits": 100,
                    "handler_ns": 1000,
                });
                check("front", many, 105);
            }
        }
        program.finish();
    }
}

#[test]
fn each_peer_keeps_its_lists_right() {
    for peer in PEERS {
        let (mut program, _) = Program::start(peer);
        for mix in ["read", "write", "mixed"] {
            for list_actors in [1, 4, 90] {
                let params = json!({
                    "workload": mix,
                    "list_actors": list_actors,
                    "requesters": 6,
                    "requests": 200,
                    "range": 100,
                    "fill": 30,
                    "seed": 11,
                });
                assert_measured(&program.ask("list", params), 1200);
            }
        }
        program.finish();
    }
}

#[test]
fn each_peer_weighs_its_idle_actors() {
    for peer in PEERS {
        let (mut program, _) = Program::start(peer);
        let answer = program.ask("idle_actor_bytes", json!({"actors": 2000}));
        assert_eq!(answer["ops"], 2000, "{answer}");
        let bytes = answer["bytes_per_actor"].as_u64().unwrap();
        assert!((100..100_000).contains(&bytes), "{answer}");
        program.finish();
    }
}

#[test]
fn a_bad_request_is_answered_and_the_program_goes_on() {
    for peer in PEERS {
        let (mut program, _) = Program::start(peer);
        let requests = [
            "not json",
            r#"{"params":{}}"#,
            r#"{"workload":"waltz"}"#,
            r#"{"workload":"ring","params":{"actors":0}}"#,
            r#"{"workload":"ring","params":{"actors":-1}}"#,
            r#"{"workload":"ring","params":{"singers":3}}"#,
            r#"{"workload":"ring","params":{"workers":0}}"#,
            r#"{"workload":"fjthrput","params":{"mailboxes":2}}"#,
            r#"{"workload":"chameneos","params":{"creatures":1}}"#,
            r#"{"workload":"forward","params":{"actors":3,"tokens":4}}"#,
            r#"{"workload":"bank","params":{"accounts":1}}"#,
            r#"{"workload":"front","params":{"askers":"actors"}}"#,
            r#"{"workload":"front","params":{"senders":0}}"#,
            r#"{"workload":"front","params":{"handler_ns":1000001}}"#,
            r#"{"workload":"front","params":{"mode":"call"}}"#,
            r#"{"workload":"list","params":{"workload":"slow"}}"#,
            r#"{"workload":"list","params":{"fill":101}}"#,
        ];
        for request in requests {
            let answer = program.ask_text(request);
            assert!(answer["error"].is_string(), "{request}: {answer}");
        }
        assert_measured(&program.ask("pingpong", json!({"rounds": 3})), 3);
        program.finish();
    }
}

#[test]
fn each_memory_runs_each_case() {
    for peer in MEMORIES {
        let (mut program, _) = Program::start(peer);
        for case in ["read-write", "disjoint", "transfer"] {
            // One thread; few variables for several; long transactions.
            for (threads, variables, length) in [(1, 1000, 2), (4, 3, 2), (2, 64, 21), (2, 9, 9)] {
                let params = json!({
                    "case": case,
                    "threads": threads,
                    "variables": variables,
                    "length": length,
                    "transactions": 601,
                    "seed": 11,
                });
                assert_measured(&program.ask("stm", params), 601);
            }
        }
        program.finish();
    }
}

#[test]
fn each_kind_of_peer_refuses_what_the_other_knows() {
    for peer in MEMORIES {
        let (mut program, _) = Program::start(peer);
        for (workload, params, expected) in [
            ("ring", json!({}), "unknown workload: ring; {peer} is a transactional memory"),
            ("idle_actor_bytes", json!({}), "unknown workload: idle_actor_bytes"),
            ("stm", json!({"case": "counter"}), "unknown variant `counter`, expected one of"),
            ("stm", json!({"nodes": 5}), "unknown field `nodes`"),
            ("stm", json!({"threads": 0}), "threads is 0, not 1 to 64"),
            ("stm", json!({"variables": 5, "length": 6}), "length is 6, not 2 to 5"),
        ] {
            let answer = program.ask(workload, params);
            let expected = expected.replace("{peer}", peer);
            assert!(answer["error"].as_str().unwrap().contains(&expected), "{answer}");
        }
        assert_measured(&program.ask("stm", json!({"transactions": 3})), 3);
        program.finish();
    }
    let (mut program, _) = Program::start("tokio");
    let answer = program.ask("stm", json!({}));
    assert_eq!(answer["error"], "unknown workload: stm; tokio is an actor runtime");
    program.finish();
}

#[test]
fn an_unknown_peer_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_odeon-peers")).arg("orchestra").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}
