//! S31: how theaters find each other by Zenoh.

use crate::support;
use crate::support::endpoint::listening;
use crate::support::place::{Place, cluster, count};
use crate::support::says::Say;
use crate::support::skipped::skipped;
use odeon_theater::LinkConfig;
use odeon_zenoh::bare::Bare;
use odeon_zenoh::{LARGEST_PACKET, ZenohSettings};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

/// Joins two theaters by these settings, and has them talk.
#[track_caller]
fn find_each_other(test: &str, settings: &ZenohSettings) {
    let config = LinkConfig::new(cluster(test), LARGEST_PACKET);
    let places = [0, 1].map(|_| Place::join(settings, config.clone()).unwrap());
    for (here, there) in [(&places[0], &places[1]), (&places[1], &places[0])] {
        assert_eq!(here.meets(1), there.network.id());
        there.network.publish("hears", &there.speaks());
        let hears = here.find(there.network.id(), "hears");
        (0..1_000).for_each(|number| hears.send(Say::Number(number)).unwrap());
        assert_eq!(count(&hears), 1_000);
    }
}

/// Whether what is sent to a group on the loopback interface comes back.
fn has_multicast(group: Ipv4Addr) -> std::io::Result<()> {
    let hears = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    hears.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST)?;
    hears.set_read_timeout(Some(Duration::from_secs(1)))?;
    let says = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    says.send_to(b"odeon", (group, hears.local_addr()?.port()))?;
    hears.recv(&mut [0; 8]).map(drop)
}

#[test]
fn s31_theaters_find_each_other_by_multicast() {
    let group = Ipv4Addr::new(224, 0, 0, 224);
    if let Err(error) = has_multicast(group) {
        let reason = format!("no multicast on the loopback interface: {error}");
        return skipped("s31_theaters_find_each_other_by_multicast", &reason);
    }
    // A port that no other test listens to.
    let port = support::endpoint::free_port();
    let settings = ZenohSettings {
        listen: vec!["tcp/127.0.0.1:0".into()],
        discover: true,
        more: vec![
            ("scouting/multicast/interface".into(), "\"lo\"".into()),
            ("scouting/multicast/address".into(), format!("\"{group}:{port}\"")),
        ],
        ..Default::default()
    };
    find_each_other("multicast", &settings);
}

/// Somebody who is no theater.
#[track_caller]
fn third_party(mode: &str) -> (String, Bare) {
    listening(|endpoint| {
        let more = vec![("mode".into(), format!("{mode:?}"))];
        Bare::open(&ZenohSettings { listen: vec![endpoint.into()], more, ..Default::default() })
    })
}

/// Routers, and peers that are none, tell theaters of each other.
#[test]
fn s31_theaters_find_each_other_by_a_third_party_and_connect() {
    for mode in ["peer", "router"] {
        let (endpoint, _third) = third_party(mode);
        let settings = ZenohSettings {
            listen: vec!["tcp/127.0.0.1:0".into()],
            connect: vec![endpoint],
            ..Default::default()
        };
        find_each_other(mode, &settings);
    }
}

#[test]
fn s31_theaters_that_nobody_can_connect_to_talk_by_a_router() {
    let (endpoint, _router) = third_party("router");
    let more = vec![("mode".into(), "\"client\"".into())];
    let settings = ZenohSettings { connect: vec![endpoint], more, ..Default::default() };
    find_each_other("client", &settings);
}
