//! S32: with certificates, who has none of the same authority is not let in.

use odeon_core::Theater;
use odeon_theater::Network;
use odeon_zenoh::{Tls, ZenohSettings, join};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::support::authority::Authority;

const LONG: Duration = Duration::from_secs(30);

fn until(is_so: impl Fn() -> bool, patience: Duration) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn s32_who_shows_no_certificate_of_the_same_authority_is_not_let_in() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = vec![format!("tls/localhost:{port}")];
    let theater = Theater::builder().workers(1).build().unwrap();
    let place = |settings: ZenohSettings| -> Network { join(&theater, "safe", &settings).unwrap() };
    let first = place(ZenohSettings {
        listen: endpoint.clone(),
        tls: Some(ours.certify("first")),
        ..Default::default()
    });
    let stranger = place(ZenohSettings {
        connect: endpoint.clone(),
        tls: Some(theirs.certify("stranger")),
        ..Default::default()
    });
    // Trusts our authority, but has no certificate of it.
    let Tls { certificate, key, .. } = theirs.certify("impostor");
    let impostor = place(ZenohSettings {
        connect: endpoint.clone(),
        tls: Some(Tls { authority: ours.folder.join("authority.pem"), certificate, key }),
        ..Default::default()
    });
    let second = place(ZenohSettings {
        connect: endpoint,
        tls: Some(ours.certify("second")),
        ..Default::default()
    });
    assert!(until(|| !second.members().is_empty() && !first.members().is_empty(), LONG));
    // As long as the others took, which were the last to try.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(first.members().len(), 1);
    assert_eq!(first.members()[0].0, second.id());
    assert!(stranger.members().is_empty() && impostor.members().is_empty());
}

#[test]
fn s32_beside_certificates_no_way_is_opened_by_which_none_are_shown() {
    let ours = Authority::new("plain");
    let theater = Theater::builder().workers(1).build().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let plain = format!("tcp/127.0.0.1:{port}");
    let both = vec!["tls/localhost:0".to_owned(), plain.clone()];
    let tls = Some(ours.certify("first"));
    let settings = ZenohSettings { listen: both, tls, ..Default::default() };
    let refused = join(&theater, "safe", &settings).err().expect("anybody could come in by that");
    assert!(refused.to_string().contains(&plain), "{refused}");
    assert!(TcpListener::bind(("127.0.0.1", port)).is_ok(), "nobody listens there");
}
