//! S32: settings at the ends of their ranges are an error that names them, or work.

use crate::support::authority::Authority;
use crate::support::place::cluster;
use crate::support::until;
use odeon_core::Theater;
use odeon_zenoh::{Tls, ZenohSettings, join};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

const MAX: Duration = Duration::MAX;
const LONG: Duration = Duration::from_secs(30);

/// What becomes of a theater that joins so: `Err` is the text of an error.
#[track_caller]
fn joins(what: &str, cluster: &str, settings: ZenohSettings) -> Result<(), String> {
    let (tell, told) = channel();
    let cluster = cluster.to_owned();
    // A name that nobody finds may take long to look for, and must not take for ever.
    thread::spawn(move || {
        let theater = Theater::builder().workers(1).build().unwrap();
        let joined = join(&theater, &cluster, &settings);
        let _ = tell.send(joined.map(drop).map_err(|error| error.to_string()));
    });
    let joined = told.recv_timeout(LONG);
    joined.unwrap_or_else(|error| panic!("{what}: it panics or hangs: {error}"))
}

#[track_caller]
fn is_refused(what: &str, settings: ZenohSettings, named: &str) {
    let refused = joins(what, &cluster(what), settings).expect_err(what);
    let beginning: String = refused.chars().take(200).collect();
    assert!(refused.contains(named), "{what}: {beginning}");
}

fn more(key: &str, value: impl Into<String>) -> ZenohSettings {
    ZenohSettings { more: vec![(key.into(), value.into())], ..Default::default() }
}

#[test]
fn s32_the_shortest_and_longest_times_are_refused_or_mean_what_they_say() {
    let times = |longest_cut, lease| ZenohSettings { longest_cut, lease, ..Default::default() };
    is_refused("no-cut", times(Duration::ZERO, None), "longest_cut");
    is_refused("no-lease", times(Duration::from_secs(1), Some(Duration::ZERO)), "lease");
    is_refused("short-lease", times(MAX, Some(LONG)), "lease");
    for (what, longest_cut, lease) in [
        ("a-moment", Duration::from_nanos(1), Some(LONG)),
        ("cut-for-ever", MAX, None),
        ("lease-for-ever", Duration::from_secs(1), Some(MAX)),
        ("all-for-ever", MAX, Some(MAX)),
        ("lease-of-all-ms", Duration::from_secs(1), Some(Duration::from_millis(u64::MAX))),
    ] {
        let cluster = cluster(what);
        let times = times(longest_cut, lease);
        let theater = Theater::builder().workers(1).build().unwrap();
        let (endpoint, here) = crate::support::endpoint::listening(|endpoint| {
            let listen = vec![endpoint.to_owned()];
            join(&theater, &cluster, &ZenohSettings { listen, ..times.clone() })
        });
        let there = ZenohSettings { connect: vec![endpoint], ..times };
        let there = join(&theater, &cluster, &there).unwrap();
        until(what, || here.members().len() == 1 && there.members().len() == 1);
    }
}

#[test]
fn s32_names_of_clusters_of_any_letters_are_taken_and_long_ones_refused() {
    for name in ["", "\0", "ä/*\u{202e}", &"n".repeat(64)] {
        assert_eq!(joins(name, name, ZenohSettings::default()), Ok(()));
    }
    let long = joins("long", &"n".repeat(65), ZenohSettings::default()).unwrap_err();
    assert!(long.contains("cluster has at most 64 bytes"), "{long}");
}

#[test]
fn s32_endpoints_that_are_none_are_an_error() {
    let long = format!("tcp/{}:1", "n".repeat(1 << 20));
    let endpoints = [
        "",
        "tcp",
        "tcp/",
        "/",
        "\0",
        "tcp/127.0.0.1:99999",
        "tcp/\u{200b}:1",
        "no/127.0.0.1:1",
        &long,
    ];
    for (number, endpoint) in endpoints.into_iter().enumerate() {
        let (what, endpoints) = (number.to_string(), vec![endpoint.to_owned()]);
        let listen = ZenohSettings { listen: endpoints.clone(), ..Default::default() };
        is_refused(&format!("listen-{what}"), listen, "");
        // Nobody may be there yet: it is tried again and again, or an error.
        let connect = ZenohSettings { connect: endpoints, ..Default::default() };
        let _ = joins("connect", &cluster(&format!("connect-{what}")), connect);
    }
    let many = vec!["tcp/127.0.0.1:0".to_owned(); 300];
    let listen = ZenohSettings { listen: many, ..Default::default() };
    assert_eq!(joins("many", &cluster("many"), listen), Ok(()));
}

#[test]
fn s32_more_settings_than_there_are_are_an_error_or_taken() {
    let long = "n".repeat(1 << 20);
    let deep = |what: &str| what.repeat(1 << 20);
    let nested = format!("{}{}", deep("["), deep("]"));
    for (number, (key, value)) in [
        ("", ""),
        ("/", "1"),
        ("//", "1"),
        ("mode", ""),
        ("mode/", "1"),
        ("mode/a/b", "1"),
        ("\0", "\0"),
        (&*long, "1"),
        ("mode", &*long),
        (&*deep("a/"), "1"),
        ("listen/endpoints", &*nested),
        ("listen/endpoints", &*deep("[")),
        ("metadata", &*deep("{a:")),
        ("transport/link/tx/keep_alive", "0"),
        ("transport/link/tx/keep_alive", "-1"),
        ("transport/link/tx/lease", "null"),
    ]
    .into_iter()
    .enumerate()
    {
        is_refused(&format!("more-{number}"), more(key, value), "");
    }
    for (number, (key, value)) in [
        ("metadata", "{ a: '[[[[[[{{{' }"),
        ("transport/unicast/max_sessions", "0"),
        ("transport/link/tx/batch_size", "0"),
        ("transport/link/rx/buffer_size", "0"),
        ("transport/link/rx/max_message_size", "0"),
        ("transport/link/tx/queue/size/real_time", "1"),
        ("connect/retry", "{ period_init_ms: 0, period_max_ms: 0, period_increase_factor: 0 }"),
        ("scouting/delay", "0"),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = joins(key, &cluster(&format!("taken-{number}")), more(key, value));
    }
}

#[test]
fn s32_certificates_are_found_in_folders_of_any_name() {
    let theirs = Authority::new("strange \u{200b}\u{301}'\"\\ folder");
    let tls = |name| ZenohSettings { tls: Some(theirs.certify(name)), ..Default::default() };
    let (theater, cluster) = (Theater::builder().workers(1).build().unwrap(), cluster("strange"));
    let (endpoint, here) = crate::support::endpoint::listening(|endpoint| {
        let listen = vec![endpoint.replace("tcp/127.0.0.1", "tls/localhost")];
        join(&theater, &cluster, &ZenohSettings { listen, ..tls("first") })
    });
    let connect = vec![endpoint.replace("tcp/127.0.0.1", "tls/localhost")];
    let there = ZenohSettings { connect, ..tls("second") };
    let there = join(&theater, &cluster, &there).unwrap();
    until("they meet", || here.members().len() == 1 && there.members().len() == 1);
}

#[cfg(unix)]
#[test]
fn s32_a_path_that_zenoh_cannot_be_told_is_an_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let ours = Authority::new("not-utf-8");
    let right = ours.certify("right");
    let certificate = ours.folder.join(OsStr::from_bytes(b"certificate-\xff.pem"));
    std::fs::copy(&right.certificate, &certificate).unwrap();
    let tls = Some(Tls { certificate, ..right });
    is_refused("not-utf-8", ZenohSettings { tls, ..Default::default() }, "UTF-8");
}

#[test]
fn s32_theaters_join_and_leave_within_a_runtime_of_one_thread() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let theater = Theater::builder().workers(1).build().unwrap();
        let network = join(&theater, &cluster("one-thread"), &ZenohSettings::default()).unwrap();
        assert!(network.members().is_empty());
    });
}
