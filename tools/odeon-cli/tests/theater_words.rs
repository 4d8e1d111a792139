//! What `odeon theater` says when something is wrong: what it is, on both sides, soon, and not
//! without end.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::theater::{Cluster, Running, output};

#[test]
fn a_port_that_is_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it has one").port();
    let (code, said, message) = output(&format!("theater --listen tcp/127.0.0.1:{port}"));
    assert_eq!((code, said.as_str()), (Some(1), ""), "{message}");
    let expected = format!("error: listening at tcp/127.0.0.1:{port}: port {port} is in use: ");
    assert!(message.starts_with(&expected) && !message.contains(".rs"), "{message}");
}

#[test]
fn a_file_of_certificates_that_is_not_there_is_named() {
    let files = "--tls-certificate no/certificate --tls-key no/key --connect tls/localhost:1";
    for line in ["theater", "theater ps"] {
        let line = format!("{line} --tls-authority no/authority {files}");
        let (code, _, message) = output(&line);
        assert_eq!(code, Some(2), "{message}");
        assert!(message.starts_with("error: --tls-authority: no/authority: "), "{message}");
    }
}

#[test]
fn theaters_of_two_clusters_say_so_of_each_other() {
    let Cluster { name, endpoint } = Cluster::new();
    let mut a = Running::start(&format!("theater --cluster {name}-a --listen {endpoint}"));
    let mut b = Running::start(&format!("theater --cluster {name}-b --connect {endpoint}"));
    let line =
        |of: &Running| format!("refused {}: the other theater belongs to another cluster\n", of.id);
    assert_eq!(a.says(), line(&b));
    assert_eq!(b.says(), line(&a));
    let asked = format!("theater ps --cluster {name}-c --connect {endpoint}");
    let (code, _, message) = output(&asked);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("(the other theater belongs to another cluster)"), "{message}");
}

#[test]
fn what_is_no_theater_is_said_and_a_flood_of_it_is_few_lines() {
    let cluster = Cluster::new();
    let mut a = cluster.first("a");
    let address = cluster.endpoint.trim_start_matches("tcp/");
    for number in 0..200_u32 {
        let mut stream = TcpStream::connect(address).expect("it listens");
        // It may be cut off already.
        let _ = stream.write_all(&[&[9, 0, 0xff][..], &number.to_le_bytes()].concat());
    }
    let said = a.says();
    assert!(said.starts_with("refused somebody who has connected: "), "{said}");
    assert!(!said.contains(".rs:"), "{said}");
    std::thread::sleep(Duration::from_millis(500));
    let (status, said, _) = a.end();
    assert!(status.success());
    assert!(said.lines().count() <= 10, "{said}");
}

/// Soon: as long as who asks looks for theaters, and a moment.
#[test]
fn nobody_waits_for_a_theater_that_stands_still() {
    let cluster = Cluster::new();
    let a = cluster.first("a");
    let b = cluster.another("b");
    let at_b = cluster.done("spawn --at b").trim().to_owned();
    let at_a = cluster.done("spawn --at a").trim().to_owned();
    let stopped = Command::new("kill").args(["-STOP", &b.child.id().to_string()]).status();
    assert!(stopped.expect("there is a program `kill`").success());
    // By the one that stands still, and by the other one.
    for line in [format!("move {at_b} --to a"), format!("move {at_a} --to b")] {
        let begun = Instant::now();
        let (code, said, message) = cluster.asks(&format!("{line} --within 2"));
        let took = begun.elapsed();
        assert!(code == Some(1) || code == Some(2), "{line}: {said}{message}");
        eprintln!("{line}: {took:?}: {message}");
        // Less than the 10 s for which it would wait for an answer.
        assert!(took < Duration::from_millis(9_500), "{line}: {took:?}: {message}");
    }
    drop((a, b));
}
