//! What a transport keeps for theaters that come and go.

use super::*;
use odeon_sync::Mutex;
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// Hears packets, and otherwise nothing.
#[derive(Default)]
struct Hears(Mutex<Vec<(TheaterId, Vec<u8>)>>);

impl Listener for Hears {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        self.0.lock().unwrap().push((from, packet.to_vec()));
    }
    fn appeared(&self, _: TheaterId) {}
    fn vanished(&self, _: TheaterId) {}
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn nothing_is_kept_for_theaters_that_have_gone() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = vec![format!("tcp/127.0.0.1:{port}")];
    let cluster = format!("gone-{}", std::process::id());
    let open = |settings: &ZenohSettings, number: u128| {
        let (me, hears) = (TheaterId::from_bits(number), Arc::new(Hears::default()));
        (ZenohTransport::open(settings, &cluster, me, hears.clone()).unwrap(), hears)
    };
    let here = TheaterId::from_bits(1);
    let listens = ZenohSettings { listen: endpoint.clone(), ..Default::default() };
    let (at_home, _) = open(&listens, 1);
    let connects = ZenohSettings { connect: endpoint, ..Default::default() };
    for number in 2..5 {
        let (guest, heard) = open(&connects, number);
        let there = TheaterId::from_bits(number);
        until("it is there", || matches!(at_home.others.way(there), Way::NotYet));
        // The first ones may be sent before Zenoh knows who listens.
        until("packets come", || {
            at_home.send(there, vec![7]);
            !heard.0.lock().unwrap().is_empty()
        });
        assert_eq!(heard.0.lock().unwrap()[0], (here, vec![7]));
        assert!(matches!(at_home.others.way(there), Way::Publisher(_)));
        guest.close();
        until("it has gone", || matches!(at_home.others.way(there), Way::Absent));
        at_home.send(there, vec![8]);
        assert_eq!(at_home.others.kept(), 0);
    }
}

#[test]
fn a_secret_that_nothing_would_be_sealed_by_is_refused() {
    let secret = odeon_theater::Secret::new("the secret of this cluster").ok();
    let settings = ZenohSettings { secret, ..ZenohSettings::default() };
    assert!(settings.secret.is_some());
    let (me, hears) = (TheaterId::from_bits(1), Arc::new(Hears::default()));
    let refused = ZenohTransport::open(&settings, "sealed", me, hears).expect_err("it is refused");
    assert_eq!(
        refused.to_string(),
        "the setting secret: a link has it: LinkConfig::secret, with Network::join"
    );
}

#[test]
fn zenoh_takes_no_message_that_no_packet_needs() {
    let limit = |settings: ZenohSettings| -> usize {
        let config = settings.to_config().unwrap();
        config.get_json("transport/link/rx/max_message_size").unwrap().parse().unwrap()
    };
    let usual = limit(ZenohSettings::default());
    assert!((2 * LARGEST_PACKET..=1 << 20).contains(&usual), "{usual}");
    let said = ("transport/link/rx/max_message_size".to_owned(), "70000".to_owned());
    assert_eq!(limit(ZenohSettings { more: vec![said], ..Default::default() }), 70_000);
}
