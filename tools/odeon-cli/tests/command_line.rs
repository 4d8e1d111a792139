//! The program as a user meets it: options, messages, exit codes, files.

use odeon_bench::workloads::feature_of;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn odeon(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_odeon")).args(arguments).output().expect("the program starts")
}

/// Runs a line of arguments, which must be refused, and returns the message.
#[track_caller]
fn refused(line: &str) -> String {
    let output = odeon(&line.split_whitespace().collect::<Vec<_>>());
    let message = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{line}: {message}");
    message
}

#[track_caller]
pub(super) fn accepted(arguments: &[&str]) -> String {
    let output = odeon(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
    String::from_utf8(output.stdout).expect("tables are UTF-8")
}

/// A file name in a folder that is removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("odeon-cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("temporary paths are UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn bad_values_name_the_argument_and_its_range() {
    for (line, expected) in [
        ("bench ring --actors 0", "--actors takes whole numbers from 1 to 1000000, not '0'"),
        ("bench ring --actors -1", "--actors takes whole numbers from 1 to 1000000, not '-1'"),
        ("bench ring --hops x", "--hops takes whole numbers from 1 to 1000000000, not 'x'"),
        ("bench ring --workers 257", "--workers takes whole numbers from 1 to 256, not '257'"),
        ("bench list --list-actors 1,1", "--list-actors lists 1 twice"),
        ("bench list --fill 101", "--fill takes whole numbers from 0 to 100, not '101'"),
        ("bench list --workload reads", "--workload takes read, write, mixed, not 'reads'"),
        ("bench fjthrput --mailboxes 65", "--mailboxes takes whole numbers from 1 to 64, not '65'"),
        ("bench bank --accounts 1", "--accounts takes whole numbers from 2 to 1000000, not '1'"),
        ("bench accounts --accounts 3", "--hot-accounts: 4 hot accounts need as many accounts"),
        ("bench accounts --mode sharded --audits 1", "--audits: no message sees all balances"),
        ("bench tmap --reads 95", "--updates: 95 and 8 per cent are more than all requests"),
        ("bench nqueens --size 17", "--size takes whole numbers from 4 to 16, not '17'"),
        ("bench nqueens --version fast", "--version takes selector, actor, queue, not 'fast'"),
        ("bench astar --edge 249", "--edge takes whole numbers from 2 to 248, not '249'"),
        ("bench kmeans --way gpu", "--way takes cpu, direct, middleware, kernel, mixed,"),
        ("bench kmeans --rows 100000000 --dims 10000", "--rows: no memory for 100000000 points of"),
        ("bench kmeans --rows 3", "--centres: 16 centres need as many points, not 3"),
        ("bench kmeans --cpu-workers 0", "--cpu-workers: --way cpu needs a worker"),
        ("bench logreg --way kernel --device-workers 0", "--device-workers: --way kernel needs"),
        ("bench kmeans --rows 400 --centres 400 --way direct", "--centres: CUDA C has room"),
        ("bench restart --queued 0", "--queued takes whole numbers from 1 to 100000000, not '0'"),
        ("bench forward --order fast", "--order takes fifo, lifo, central, not 'fast'"),
        ("bench forward --actors 5 --tokens 6", "--tokens: 6 tokens need at least as many actors"),
        ("bench list --range 4 --list-actors 8", "--list-actors: 8 list actors need"),
        ("bench ring --samples 0", "'--samples <N>': 0 is not in 1..=1000"),
        ("bench ring --samples 1001", "'--samples <N>': 1001 is not in 1..=1000"),
        ("bench ring --warmup 1001", "'--warmup <N>': 1001 is not in 0..=1000"),
        ("bench ring --stage gpu", "[possible values: pool, pinned, both]"),
        (
            "bench list --mode fast",
            "--mode takes plain, sequential, concurrent, adaptive, threshold, nonblocking, combined, not 'fast'",
        ),
        ("bench ring --vs akka", "[possible values: tokio, kameo, ractor]"),
        ("bench ring --vs stm", "[possible values: tokio, kameo, ractor]"),
        ("bench stm --vs tokio", "[possible values: stm, fast-stm]"),
        ("bench idle --vs stm", "[possible values: tokio, kameo, ractor]"),
        ("bench stm --case walk", "--case takes read-write, disjoint, transfer, walk-snapshot, "),
        ("bench stm --threads 65", "--threads takes whole numbers from 1 to 64, not '65'"),
        ("bench stm --length 1", "--length takes whole numbers from 2 to 1000, not '1'"),
        ("bench stm --length 2,20 --variables 10", "--length: 20 different variables need as many"),
        ("bench stm --stage pool", "unexpected argument '--stage'"),
        ("bench ring --vs tokio,tokio", "--vs: lists tokio twice"),
        ("bench idle --seconds 0", "'--seconds <N>': 0 is not in 1..=3600"),
        ("bench phases --entries 7", "'--entries <N>': 7 is not in 8..=1000000000"),
        ("bench phases --json /no/such/folder/x", "--json: /no/such/folder/x: "),
        ("bench scale --workers 256", "--workers: 256 workers need as many cores, and there are"),
        ("bench scale --workers 0", "'--workers <LIST>': 0 is not in 1..=256"),
        ("bench scale --handler-ns 5,5", "--handler-ns: lists 5 twice"),
        ("bench scale --mode mutex,mutex", "--mode: lists mutex twice"),
        ("bench scale --locks x --json ./x", "--json: ./x is the file of --locks already"),
        ("bench scale --mode fast", "[possible values: adaptive, concurrent, plain, sharded,"),
        ("bench scale --locks /no/such/file", "--locks: /no/such/file: "),
        ("bench scale --page /no/such/folder/x", "--page: /no/such/folder/x: "),
        ("bench hot --zipf -1", "--zipf: "),
        ("bench hot --way slow", "[possible values: durable, volatile]"),
        ("bench hot --accounts 0", "'--accounts <N>': 0 is not in 1..=10000000"),
        ("bench hot --page /no/such/folder/x", "--page: /no/such/folder/x: "),
        ("bench figures --only rings", "invalid value 'rings' for '--only <LIST>'"),
        ("bench figures --hardware gpus", "[possible values: cores, gpu, all]"),
        ("bench figures --from x", "--from: x: "),
        ("bench figures --from x,y", "--from: takes one file without --hardware"),
        ("bench figures --hardware --from /no/such/file", "--from: /no/such/file: "),
        ("bench figures --hardware --report x", "--report: with --hardware it is written from"),
        ("bench list --quick", "--reproduce"),
        ("bench list --reproduce --plot x", "'--plot <FILE>'"),
        ("bench list --reproduce --quick --seed 1,2", "--seed: takes one value with --reproduce"),
        ("bench list --reproduce --quick --out /dev/null/x", "--out: /dev/null/x: "),
        ("bench ring --reproduce", "unexpected argument '--reproduce'"),
        ("bench ring --json /no/such/folder/x", "--json: /no/such/folder/x: "),
        ("bench ring --plot /no/such/folder/x", "--plot: /no/such/folder/x: "),
        ("bench list --history /no/such/folder/x", "--history: /no/such/folder/x: "),
        (
            "bench list --history x --workers 1,2",
            "--history: records one combination of values, not 2",
        ),
        ("bench figures --report /no/such/folder/x", "--report: /no/such/folder/x: "),
        ("bench ring --json x --plot ./x", "--plot: ./x is the file of --json already"),
        ("bench list --plot x --history x", "--history: x is the file of --plot already"),
        ("bench figures --json x --report x", "--report: x is the file of --json already"),
        ("bench ring --history x", "unexpected argument '--history'"),
        ("bench ring --trace x", "unexpected argument '--trace'"),
        ("bench ledger --trace /no/such/folder/x", "--trace: /no/such/folder/x: "),
        (
            "bench ledger --trace x --senders 1,2",
            "--trace: records one combination of values, not 2",
        ),
        (
            "bench list --trace /dev/null",
            "--trace: records --mode sequential, concurrent, adaptive, threshold, nonblocking, combined, not 'plain'",
        ),
        ("bench rings", "unrecognized subcommand 'rings'"),
        ("bench", "Usage: odeon bench"),
        ("", "Usage: odeon"),
    ] {
        let missing = line.split(' ').nth(1).and_then(feature_of);
        let expected = missing.map_or(expected.to_owned(), |feature| {
            format!("this benchmark needs `--features {feature}`")
        });
        let message = refused(line);
        assert!(message.contains(&expected), "{line}: {message}");
    }
}

#[test]
fn a_sweep_prints_a_table_and_writes_its_files() {
    let folder = Folder::new("sweep");
    let (json, svg) = (folder.file("ring.jsonl"), folder.file("ring.svg"));
    let table = accepted(&[
        "bench",
        "ring",
        "--actors",
        "3,5",
        "--hops",
        "200",
        "--stage",
        "both",
        "--samples",
        "3",
        "--json",
        &json,
        "--plot",
        &svg,
    ]);
    assert!(table.contains("ns per hop") && table.contains("x floor"), "{table}");
    for name in ["odeon-pool", "odeon-pinned", "floor"] {
        assert_eq!(table.matches(&format!("\n{name}")).count(), 2, "{table}");
    }
    let text = std::fs::read_to_string(&json).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    assert_eq!(lines.len(), 6);
    for line in &lines {
        assert_eq!(line["workload"], "ring");
        assert_eq!(line["ops"], 200);
        assert_eq!(line["samples_ns_per_op"].as_array().map(Vec::len), Some(3));
        assert!(line["floor_ns_per_op"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
        assert!(line["machine"]["rustc"].is_string());
    }
    assert!(std::fs::read_to_string(&svg).expect("it was written").starts_with("<svg"));
}

#[test]
fn a_sweep_of_transactions_prints_a_table_and_writes_its_files() {
    let folder = Folder::new("stm");
    let (json, svg) = (folder.file("stm.jsonl"), folder.file("stm.svg"));
    let line = "bench stm --case transfer --variables 10,100,1000 --length 2,8 --transactions 200 \
                --samples 3 --json";
    let mut arguments: Vec<&str> = line.split_whitespace().collect();
    arguments.extend([json.as_str(), "--plot", &svg]);
    let table = accepted(&arguments);
    assert!(table.contains("ns per transaction"), "{table}");
    for name in ["odeon-stm", "floor"] {
        assert_eq!(table.matches(&format!("\n{name}")).count(), 6, "{table}");
    }
    let text = std::fs::read_to_string(&json).expect("it was written");
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("lines are JSON");
        assert_eq!(
            (&line["workload"], &line["params"]["case"]),
            (&"stm".into(), &"transfer".into())
        );
        assert_eq!(line["ops"], 200);
        assert!(line["floor_ns_per_op"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
    }
    let svg = std::fs::read_to_string(&svg).expect("it was written");
    // The longer sweep is the axis, each value of the other a line.
    for text in ["variables", "odeon-stm length=2", "odeon-stm length=8", "floor length=8"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn what_is_refused_leaves_earlier_results_alone() {
    let folder = Folder::new("earlier");
    let [history, plot, json] = ["history", "plot", "json"].map(|name| folder.file(name));
    for file in [&history, &plot, &json] {
        std::fs::write(file, "earlier").expect("the folder is writable");
    }
    refused(&format!("bench list --history {history} --plot {plot} --json /no/such/folder/x"));
    refused(&format!("bench list --json {json} --plot /no/such/folder/x"));
    for file in [&history, &plot, &json] {
        assert_eq!(std::fs::read_to_string(file).expect("it is there"), "earlier", "{file}");
    }
}

#[test]
fn a_run_that_is_killed_leaves_earlier_results_alone() {
    let folder = Folder::new("killed");
    let (json, partial) = (folder.file("ring.jsonl"), folder.file("ring.jsonl.partial"));
    std::fs::write(&json, "earlier").expect("the folder is writable");
    let line = ["bench", "ring", "--hops", "10000000", "--samples", "1000", "--json", &json];
    let mut run = Command::new(env!("CARGO_BIN_EXE_odeon"))
        .args(line)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while !std::fs::exists(&partial).expect("the folder is there") {
        assert!(run.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().expect("it runs");
    run.wait().expect("it was killed");
    assert_eq!(std::fs::read_to_string(&json).expect("it is there"), "earlier");

    // The next one replaces it, and leaves nothing beside it.
    accepted(&["bench", "ring", "--hops", "200", "--samples", "1", "--json", &json]);
    let text = std::fs::read_to_string(&json).expect("it is there");
    assert!(text.starts_with('{') && !text.contains("earlier"), "{text}");
    assert!(!std::fs::exists(&partial).expect("the folder is there"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_a_failure_that_loses_no_files() {
    let folder = Folder::new("full");
    let json = folder.file("ring.jsonl");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = Command::new(env!("CARGO_BIN_EXE_odeon"))
        .args(["bench", "ring", "--hops", "200", "--samples", "1", "--json", &json])
        .stdout(full)
        .output()
        .expect("the program starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error: the standard output: "), "{message}");
    assert!(std::fs::read_to_string(&json).expect("it was written").starts_with('{'));
}

#[test]
fn the_list_records_a_history() {
    let folder = Folder::new("history");
    let history = folder.file("history.jsonl");
    accepted(&[
        "bench",
        "list",
        "--mode",
        "sequential",
        "--workload",
        "mixed",
        "--list-actors",
        "2",
        "--requesters",
        "3",
        "--requests",
        "20",
        "--range",
        "50",
        "--samples",
        "1",
        "--warmup",
        "0",
        "--history",
        &history,
    ]);
    let text = std::fs::read_to_string(&history).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    assert_eq!(lines[0]["initial"].as_array().map(Vec::len), Some(10));
    assert_eq!(lines.len(), 61);
    for line in &lines[1..] {
        assert!(line["call_ns"].as_u64() <= line["return_ns"].as_u64(), "{line}");
        assert!(["insert", "remove", "lookup", "sum"].contains(&line["op"].as_str().unwrap_or("")));
        assert!(line["result"].is_boolean() || line["op"] == "sum" && line["result"].is_i64());
        assert!(line["client"].is_u64() && line["arg"].is_u64());
    }
}

/// Runs a line of arguments and returns what it has traced: samples, and the last lines.
#[track_caller]
fn traced(line: &str, actors: usize) -> (Vec<serde_json::Value>, Vec<serde_json::Value>) {
    let folder = Folder::new(&line.replace(' ', "-"));
    let trace = folder.file("trace.jsonl");
    let mut arguments: Vec<&str> = line.split_whitespace().collect();
    arguments.extend(["--samples", "1", "--warmup", "0", "--trace", &trace]);
    accepted(&arguments);
    let text = std::fs::read_to_string(&trace).expect("it was written");
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    let ends = lines.split_off(lines.len() - actors);
    (lines, ends)
}

#[test]
fn a_trace_of_the_ledger_tells_what_was_rolled_back_and_where() {
    let line = "bench ledger --mode concurrent --conflict 100 --handler-ns 20000 --entries 4000";
    let (samples, ends) = traced(line, 1);
    let last = samples.last().expect("at least one at the end");
    assert_eq!((&last["actor"], &last["width"]), (&0.into(), &2.into()));
    assert!(samples.is_sorted_by_key(|line| line["at_ns"].as_u64()), "{samples:?}");
    assert!(samples.is_sorted_by_key(|line| line["commits"].as_u64()), "{samples:?}");
    assert!(last["commits"].as_u64() >= Some(4000), "{last}");
    let rollbacks = last["rollbacks"].as_object().expect("by cause").values();
    let rollbacks: u64 = rollbacks.filter_map(serde_json::Value::as_u64).sum();
    assert!(rollbacks > 0, "two at once in one account: {last}");
    let rows = ends[0]["conflicts"].as_array().expect("rows");
    let of_row = |row: &serde_json::Value| row["rollbacks"].as_u64();
    assert_eq!(rows.iter().filter_map(of_row).sum::<u64>(), rollbacks);
    let hot = rows.iter().filter(|row| row["variable"] == "hot account");
    assert!(hot.clone().count() > 0, "{rows:?}");
    assert!(hot.clone().all(|row| row["message"] == "Do"), "{rows:?}");
    assert_eq!(ends[0]["decisions"][0]["width"], 2);
}

#[test]
fn a_trace_of_the_list_has_all_its_actors() {
    let line = "bench list --mode adaptive --list-actors 3 --requesters 3 --requests 20 --range 60";
    let (samples, ends) = traced(line, 3);
    for actor in 0..3_u64 {
        assert!(samples.iter().any(|line| line["actor"] == actor), "{samples:?}");
        let end = &ends[actor as usize];
        assert_eq!((&end["actor"], &end["decisions"][0]["width"]), (&actor.into(), &1.into()));
    }
}

#[test]
fn a_run_that_lasts_reports_how_memory_grows() {
    let folder = Folder::new("lasting");
    let json = folder.file("ledger.jsonl");
    let line = "bench ledger --mode concurrent --entries 500 --seconds 1 --samples 2 --warmup 0";
    let arguments: Vec<&str> = line.split(' ').chain(["--json", &json]).collect();
    let table = accepted(&arguments);
    assert!(table.contains("growth KiB/min"), "{table}");
    let text = std::fs::read_to_string(&json).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    let growth =
        |line: &serde_json::Value| line["samples_growth_kib_per_minute"].as_array().map(Vec::len);
    assert_eq!(growth(&lines[0]), Some(if cfg!(target_os = "linux") { 2 } else { 0 }));
    assert_eq!(growth(&lines[1]), Some(0), "the floor runs once");
}

#[test]
fn the_list_is_reproduced_beside_the_papers() {
    let folder = Folder::new("reproduce");
    let out = folder.file("papers");
    let line = "bench list --reproduce --quick --list-actors 1,3 --requesters 4 --requests 10 --workload read --out";
    let text = accepted(&line.split(' ').chain([&out[..]]).collect::<Vec<_>>());
    assert!(text.contains("index.html"), "{text}");
    let page = std::fs::read_to_string(PathBuf::from(&out).join("index.html"));
    let page = page.expect("it was written");
    assert!(page.contains("OPODIS 2013, figure 5") && page.contains("not atomic"), "{page}");
    for plot in
        ["time-read-adaptive.svg", "time-read-3-list-actors.svg", "rollbacks-mixed-threshold.svg"]
    {
        let svg = std::fs::read_to_string(PathBuf::from(&out).join(plot)).expect("it was drawn");
        assert!(page.contains(plot) && svg.starts_with("<svg"), "{plot}");
    }
}

#[test]
fn idle_reports_heap_bytes() {
    let folder = Folder::new("idle");
    let json = folder.file("idle.jsonl");
    let table = accepted(&[
        "bench",
        "idle",
        "--actors",
        "2000",
        "--cpu-actors",
        "100",
        "--seconds",
        "1",
        "--json",
        &json,
    ]);
    assert!(table.contains("bytes requested"), "{table}");
    let text = std::fs::read_to_string(&json).expect("it was written");
    let line: serde_json::Value = serde_json::from_str(text.trim()).expect("one line of JSON");
    // The counting allocator is installed in this program, so there is always a number.
    assert!(line["requested_bytes_per_actor"].as_f64().is_some_and(|bytes| bytes > 8.0), "{line}");
    assert_eq!(line["samples_cpu_percent"].as_array().map(Vec::len), Some(1));
}

#[test]
fn phases_tell_the_messages_until_an_actor_has_followed() {
    let folder = Folder::new("phases");
    let json = folder.file("phases.jsonl");
    let line = "bench phases --handler-ns 200 --entries 2000 --samples 2 --within 90 --json";
    let table = accepted(&line.split(' ').chain([&json[..]]).collect::<Vec<_>>());
    assert!(table.contains("messages until within 90 %"), "{table}");
    let text = std::fs::read_to_string(&json).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    let conflicts: Vec<_> = lines.iter().map(|line| line["conflict"].as_u64()).collect();
    assert_eq!(conflicts, [Some(0), Some(100), Some(0)]);
    for line in &lines {
        assert_eq!(line["samples_messages"].as_array().map(Vec::len), Some(2));
        assert!(line["best_ns_per_op"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
    }
}

#[test]
fn help_names_every_workload() {
    let help = accepted(&["bench", "--help"]);
    for name in [
        "ring",
        "pingpong",
        "fjthrput",
        "create",
        "chameneos",
        "big",
        "count",
        "forward",
        "front",
        "list",
        "ledger",
        "accounts",
        "tmap",
        "bank",
        "banking",
        "logmap",
        "bndbuffer",
        "adderjoin",
        "filterbank",
        "restart",
        "threadring",
        "theaterrings",
        "migrationrings",
        "remotethroughput",
        "remoteask",
        "remotecreate",
        "stm",
        "nqueens",
        "astar",
        "philosophers",
        "barber",
        "cigsmok",
        "idle",
        "phases",
        "selectors",
        "theaters",
        "figures",
    ] {
        let is_here = feature_of(name).is_none();
        assert_eq!(help.contains(&format!("\n  {name} ")), is_here, "{name}: {help}");
    }
    for (name, summary) in [("ring", "one token goes round"), ("idle", "what idle actors cost")] {
        let help = accepted(&["bench", name, "--help"]);
        assert!(help.starts_with(summary), "{help}");
    }
    assert!(accepted(&["bench", "list", "--help"]).contains("Floor: the same list parts"));
}
