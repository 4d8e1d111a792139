//! The driver against a stand-in for the peers' program: a shell script with canned answers.

use super::*;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// Removes its folder when dropped.
struct StandIn {
    folder: PathBuf,
}

impl StandIn {
    fn new(test: &str, answer: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("odeon-bench-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder is writable");
        let script = format!(
            "#!/bin/sh\necho '{{\"impl\":\"'$1'\",\"version\":\"1.2.3\"}}'\n\
             while read -r request; do {answer}; done\n"
        );
        // WHY by a process of its own: what this one writes may be open in a child that another
        // test starts at this moment, and cannot be run as long as that is so.
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(folder.join("peer"))
            .stdin(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let mut input = writer.stdin.take().expect("the input was asked for");
        input.write_all(script.as_bytes()).expect("it reads");
        drop(input);
        assert!(writer.wait().expect("it ends").success(), "the temporary folder is writable");
        Self { folder }
    }

    fn start(&self, name: &str) -> Result<Peers, BenchError> {
        Peers::start_program(self.folder.join("peer"), &[name.to_owned()])
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_peer_greets_and_answers() {
    let stand_in = StandIn::new(
        "answers",
        r#"echo '{"ops":10,"ns":250,"peak_rss_kib":77,"bytes_per_actor":64}'"#,
    );
    let mut peers = stand_in.start("tokio").expect("it starts");
    assert_eq!(peers.version_of("tokio"), Some("1.2.3"));
    assert_eq!(peers.version_of("kameo"), None);
    let measured = peers.sample("tokio", "ring", &Params::default()).expect("it answers");
    assert_eq!(
        measured,
        Measured {
            ops: 10,
            ns: 250,
            peak_rss_kib: Some(77),
            growth_kib_per_minute: None,
            latency: None,
            joules: None
        }
    );
    assert_eq!(peers.idle_actor_bytes("tokio", &Params::default()).expect("it answers"), 64.0);
    let absent = peers.sample("kameo", "ring", &Params::default()).unwrap_err();
    assert_eq!(absent.to_string(), "peer kameo: is not running");
}

#[test]
fn requests_have_the_documented_shape() {
    let expected = r#"{"workload":"ring","params":{"actors":31,"hops":1000000,"workers":2}}"#;
    let check = format!(
        r#"if [ "$request" = '{expected}' ]; then echo '{{"ops":1,"ns":1}}'; else echo '{{"error":"unexpected"}}'; fi"#
    );
    let stand_in = StandIn::new("request", &check);
    let ring = crate::workloads::find("ring").expect("ring is a workload");
    let params = ring.defaults();
    let mut peers = stand_in.start("tokio").expect("it starts");
    let measured = peers.sample("tokio", "ring", &params).expect("the request is as expected");
    assert_eq!(measured.ops, 1);
}

#[test]
fn errors_name_the_peer() {
    for (test, answer, expected) in [
        ("error", r#"echo '{"error":"no such workload"}'"#, "peer tokio: no such workload"),
        ("nonsense", "echo hello", "peer tokio: answered \"hello\": "),
        ("death", "exit 3", "peer tokio: ended without an answer"),
    ] {
        let stand_in = StandIn::new(test, answer);
        let mut peers = stand_in.start("tokio").expect("it starts");
        let error = peers.sample("tokio", "ring", &Params::default()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
