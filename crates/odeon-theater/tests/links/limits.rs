//! Memory stays bounded whatever the other side does.

use odeon_theater::*;

use crate::pair::*;

#[test]
fn a_peer_that_never_acknowledges_gets_a_window_and_no_more() {
    let mut pair = Pair::linked(1);
    for _ in 0..3_000 {
        pair.a.push(1, &[7; 10_000]);
    }
    pair.network.set(B, A, Conditions { cut: true, ..Conditions::GOOD });
    let mut packet = Vec::new();
    let mut bytes = 0;
    while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
        bytes += packet.len();
    }
    assert!((3 << 20..(4 << 20) + 100_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_receiver_with_a_small_window_is_not_sent_more() {
    let narrow = LinkConfig { window: 200_000, ..config() };
    let mut pair = Pair::with(1, config(), narrow);
    pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
    (0..1_000).for_each(|_| pair.a.push(1, &[7; 10_000]));
    let mut packet = Vec::new();
    let mut bytes = 0;
    while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
        bytes += packet.len();
    }
    assert!(bytes <= 205_000, "{bytes}");
}

#[test]
fn a_large_message_leaves_half_of_a_small_window_free() {
    let narrow = LinkConfig { window: 260_000, ..config() };
    let mut pair = Pair::with(1, config(), narrow);
    pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
    pair.a.push(1, &[7; 1_000_000]);
    let (mut packet, mut bytes) = (Vec::new(), 0);
    while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
        bytes += packet.len();
    }
    assert!(bytes <= 131_000, "{bytes}");
}

#[test]
fn what_comes_early_is_kept_within_the_window() {
    // a takes b's window for larger than it is.
    let narrow = LinkConfig { window: 150_000, ..config() };
    let mut of_b = Link::new(narrow, B, A, Epoch::FIRST, ms(0));
    let mut of_a = Link::new(config(), A, B, Epoch::FIRST, ms(0));
    let (mut at_a, mut at_b) = (Heard::default(), Heard::default());
    let mut twin = Link::new(config(), B, A, Epoch::FIRST, ms(0));
    let mut packet = Vec::new();
    while !of_a.is_linked() || !of_b.is_linked() {
        // What b says comes from a twin with the usual window.
        while twin.poll(ms(0), &mut packet, &mut Heard::default()) {
            of_a.receive(&packet, ms(0), &mut at_a).unwrap();
        }
        while of_b.poll(ms(0), &mut packet, &mut at_b) {}
        while of_a.poll(ms(0), &mut packet, &mut at_a) {
            twin.receive(&packet, ms(0), &mut Heard::default()).unwrap();
            of_b.receive(&packet, ms(0), &mut at_b).unwrap();
        }
    }
    (0..300).for_each(|_| of_a.push(1, &[7; 10_000]).unwrap());
    let mut missing = None;
    while of_a.poll(ms(0), &mut packet, &mut at_a) {
        if missing.is_none() {
            missing = Some(packet.clone());
            continue;
        }
        of_b.receive(&packet, ms(0), &mut at_b).unwrap();
        assert!(of_b.kept() <= 150_000, "{}", of_b.kept());
    }
    assert!(at_b.messages.is_empty() && of_b.kept() > 100_000);
    of_b.receive(&missing.unwrap(), ms(0), &mut at_b).unwrap();
    assert!(at_b.messages.len() > 12 && of_b.kept() == 0);
}

#[test]
fn a_message_in_part_takes_the_memory_of_what_has_come() {
    let mut pair = Pair::linked(1);
    pair.a.push(1, &vec![7; 100_000_000]);
    let mut packet = Vec::new();
    for _ in 0..3 {
        assert!(pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard));
        pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).unwrap();
    }
    assert!(pair.b.link.kept() < 400_000, "{}", pair.b.link.kept());
}

#[test]
fn a_packet_above_what_may_be_under_way_is_dropped() {
    let narrow = LinkConfig { window: 150_000, ..config() };
    let mut pair = Pair::with(1, narrow, config());
    pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
    let begins = head(&mut pair);
    for (bytes, is_taken) in [(149_000, true), (151_000, false), (2_000_000, false)] {
        // One message, of which the length says that it is all there.
        let head = (bytes - 5) << 2;
        let mut records = Vec::from([0, 7, 14].map(|shift| (head >> shift & 0x7F) as u8 | 0x80));
        records.push((head >> 21) as u8);
        records.push(9);
        records.resize(bytes, 7);
        let packet = lie(&begins, &[0, 0, 0, 0], Some((0, &records)));
        let taken = pair.a.link.receive(&packet, pair.now, &mut pair.a.heard);
        assert_eq!(taken.is_ok(), is_taken, "{bytes}: {taken:?}");
        assert_eq!(pair.a.heard.on(9).len(), 1, "{bytes}");
        assert!(is_taken || matches!(taken, Err(PacketError::TooLarge { .. })), "{taken:?}");
    }
    assert_eq!((pair.a.heard.end(), pair.a.link.kept()), (None, 0));
}

#[test]
fn a_long_packet_is_not_looked_through_for_its_seal() {
    let secret = Some(Secret::new("the secret of this cluster").unwrap());
    let sealed = LinkConfig { secret, ..config() };
    let mut link = Link::new(sealed, A, B, Epoch::FIRST, ms(0));
    let taken = link.receive(&vec![6; 64 << 20], ms(0), &mut Heard::default());
    assert!(matches!(taken, Err(PacketError::TooLarge { .. })), "{taken:?}");
}

/// How a packet of `b` to `a` begins.
fn head(pair: &mut Pair) -> Vec<u8> {
    let mut packet = Vec::new();
    pair.b.push(1, b"any");
    assert!(pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard));
    packet.truncate(3 + 16);
    packet
}

/// A packet with these acknowledgements and records instead of its own: what only a peer that lies
/// can send.
fn lie(head: &[u8], acks: &[u8], body: Option<(u8, &[u8])>) -> Vec<u8> {
    let mut packet = head.to_vec();
    packet[2] = if body.is_some() { 3 } else { 4 };
    packet.extend_from_slice(acks);
    if let Some((number, records)) = body {
        packet.extend_from_slice(&[number, number + 1]);
        let length = records.len();
        packet.extend_from_slice(&[
            length as u8 | 0x80,
            (length >> 7) as u8 | 0x80,
            (length >> 14) as u8 & 0x7F,
        ]);
        packet.extend_from_slice(records);
    }
    packet
}

#[test]
fn whoever_lies_about_credit_gets_no_more_than_a_window() {
    let mut pair = Pair::linked(1);
    let unlimited = [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0];
    let packet = lie(&head(&mut pair), &unlimited, None);
    pair.a.link.receive(&packet, pair.now, &mut pair.a.heard).unwrap();
    (0..3_000).for_each(|_| pair.a.push(1, &[7; 10_000]));
    let (mut packet, mut bytes) = (Vec::new(), 0);
    while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
        bytes += packet.len();
    }
    assert!(bytes < (4 << 20) + 100_000, "{bytes}");
}

#[test]
fn whoever_pauses_more_channels_than_there_may_be_is_cut_off() {
    let mut pair = Pair::linked(1);
    let mut channel = 1_u32 << 21;
    let head = head(&mut pair);
    for number in 0.. {
        // Four bytes of a varint each, behind the one that says pause.
        let records: Vec<u8> = (0..10_000)
            .flat_map(|_| {
                channel += 1;
                let bits = |shift: u32| (channel >> shift & 0x7F) as u8;
                [3, bits(0) | 0x80, bits(7) | 0x80, bits(14) | 0x80, bits(21)]
            })
            .collect();
        let packet = lie(&head, &[0, 0, 0, 0], Some((number, &records)));
        pair.a.link.receive(&packet, pair.now, &mut pair.a.heard).unwrap();
        if let Some((end, _)) = pair.a.heard.end() {
            assert_eq!((end, number), (End::Violation(Violation::TooManyPauses), 6));
            return;
        }
    }
}

#[test]
fn whoever_announces_more_than_is_allowed_is_cut_off_and_told() {
    let mut pair = Pair::linked(1);
    // The first of a message of 2^35 bytes.
    let first = [1 << 2 | 1, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 1, b'x'];
    let packet = lie(&head(&mut pair), &[0, 0, 0, 0], Some((0, &first)));
    pair.a.link.receive(&packet, pair.now, &mut pair.a.heard).unwrap();
    assert_eq!(pair.a.heard.end().unwrap().0, End::Violation(Violation::TooLarge));
    pair.run_for(ms(10));
    assert_eq!(pair.b.heard.end().unwrap().0, End::GivenUp);
}

#[test]
fn settings_that_cannot_work_are_named() {
    assert_eq!(config().validate(), Ok(()));
    let narrow = LinkConfig { window: 100_000, ..config() };
    assert_eq!(narrow.validate(), Err("window is at least twice largest_packet"));
    let long = LinkConfig { cluster: "x".repeat(65), ..config() };
    assert_eq!(long.validate(), Err("cluster has at most 64 bytes"));
    let hasty = LinkConfig { suspect_after: ms(250), ..config() };
    assert_eq!(hasty.validate(), Err("heartbeat is below suspect_after"));
}

#[test]
#[should_panic(expected = "settings of a link: largest_packet is at least 1,024")]
fn a_link_with_such_settings_is_not_made() {
    Link::new(LinkConfig::new("test", 100), A, B, Epoch::FIRST, ms(0));
}

#[test]
fn a_receiver_that_grants_no_more_gets_one_body_at_a_time() {
    let mut pair = Pair::linked(1);
    (0..3_000).for_each(|_| pair.a.push(1, &[7; 10_000]));
    let mut bodies = 0_u8;
    let mut packet = Vec::new();
    while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
        bodies += 1;
    }
    assert!(bodies > 50);
    for _ in 0..3 {
        // All has arrived, and still the first credit.
        let packet_of_b = lie(&head(&mut pair), &[bodies, 0, bodies, 0], None);
        pair.a.link.receive(&packet_of_b, pair.now, &mut pair.a.heard).unwrap();
        assert!(pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard));
        assert!(!pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard));
        bodies += 1;
    }
}
