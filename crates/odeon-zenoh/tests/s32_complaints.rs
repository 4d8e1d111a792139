//! S32: who connects and is no theater, or shows no certificate of the authority, is told of on
//! both sides, and not without end.

#[path = "support/authority.rs"]
#[allow(unreachable_pub, reason = "other programs of tests share it")]
mod authority;

use authority::Authority;
use odeon_core::Theater;
use odeon_theater::Network;
use odeon_zenoh::{Complaint, Tls, ZenohSettings, hear_complaints, join};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

static HEARD: Mutex<Vec<Complaint>> = Mutex::new(Vec::new());

fn heard() -> Vec<Complaint> {
    HEARD.lock().unwrap().clone()
}

#[track_caller]
fn hears(what: &str, is_it: impl Fn(&Complaint) -> bool) {
    let begun = Instant::now();
    while !heard().iter().any(&is_it) {
        assert!(begun.elapsed() < LONG, "{what} is not told of: {:?}", heard());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn endpoint(protocol: &str) -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("{protocol}:{port}")
}

/// One test: the ten that are told in a minute are those of the process.
#[test]
fn s32_connections_that_come_to_nothing_are_told_of_on_both_sides() {
    assert!(hear_complaints(|complaint| {
        eprintln!("heard: {complaint}");
        HEARD.lock().unwrap().push(complaint);
    }));
    let theater = Theater::builder().workers(1).build().unwrap();
    let place = |settings: ZenohSettings| -> Network { join(&theater, "safe", &settings).unwrap() };
    let listening = |endpoint: &String| vec![endpoint.clone()];

    // Who has met others as it should is no complaint.
    let plain = endpoint("tcp/127.0.0.1");
    let first = place(ZenohSettings { listen: listening(&plain), ..Default::default() });
    let second = place(ZenohSettings { connect: listening(&plain), ..Default::default() });
    let begun = Instant::now();
    while first.members().is_empty() || second.members().is_empty() {
        assert!(begun.elapsed() < LONG, "they do not meet");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(heard(), []);

    let (ours, theirs) = (Authority::new("complaints-ours"), Authority::new("complaints-theirs"));
    let safe = endpoint("tls/localhost");
    let _safe = place(ZenohSettings {
        listen: listening(&safe),
        tls: Some(ours.certify("first")),
        ..Default::default()
    });
    let tls = Some(theirs.certify("stranger"));
    let stranger = ZenohSettings { connect: listening(&safe), tls, ..Default::default() };
    let stranger = place(stranger);
    let is_by_safe = |complaint: &Complaint| matches!(complaint, Complaint::NotLetInBy { endpoint, .. } if *endpoint == safe);
    hears("the authority that the stranger does not know", is_by_safe);
    let is_certificate = |complaint: &Complaint| matches!(complaint, Complaint::NotLetIn(why) if why.contains("certificate"));
    hears("the stranger", is_certificate);
    drop(stranger);

    HEARD.lock().unwrap().clear();
    let Tls { certificate, key, .. } = theirs.certify("impostor");
    let tls = Some(Tls { authority: ours.folder.join("authority.pem"), certificate, key });
    let impostor = ZenohSettings { connect: listening(&safe), tls, ..Default::default() };
    let impostor = place(impostor);
    hears("the impostor", is_certificate);
    hears("that the impostor is not let in", is_by_safe);
    drop(impostor);

    HEARD.lock().unwrap().clear();
    let rubbish = |bytes: &[u8]| {
        let address = plain.trim_start_matches("tcp/");
        let mut stream = TcpStream::connect(address).unwrap();
        // Who is not understood may have been cut off already.
        let _ = stream.write_all(bytes);
    };
    rubbish(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    hears("rubbish", |complaint| matches!(complaint, Complaint::NotLetIn(_)));
    (0..300_u32).for_each(|number| rubbish(&[&[3, 0][..], &number.to_le_bytes()].concat()));
    std::thread::sleep(Duration::from_millis(500));
    assert!(heard().len() <= 10, "{} are told", heard().len());
}
