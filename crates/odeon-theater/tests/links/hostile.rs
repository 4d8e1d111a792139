//! Bytes from anybody: no panic, no memory beyond the limits, no message from nowhere.
//!
//! Packets carry no checksum: whoever may write on the network may say anything, so what comes off
//! it is protected by TLS. What is found out without: other theaters, other links, other versions,
//! packets cut short, lengths that do not fit, acknowledgements of what was never sent. What is
//! not: changed bytes of a message, its channel, the number of its body.

use std::collections::BTreeSet;

use odeon_core::Random;
use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::delivery::{length, message};
use crate::pair::*;

fn change(packet: &mut Vec<u8>, from: usize, random: &mut Random) {
    for _ in 0..random.below(3) + 1 {
        let at =
            from.min(packet.len() - 1) + random.below(packet.len().saturating_sub(from).max(1));
        match random.below(4) {
            0 => packet[at] = random.next_u64() as u8,
            1 => packet[at] ^= 1 << random.below(8),
            2 => packet.truncate(at.max(1)),
            _ => packet.insert(at, random.next_u64() as u8),
        }
    }
}

/// Real traffic from `a` to `b`, of which `spoil` makes packets that `b` gets, too.
fn traffic(
    seed: u64,
    mut spoil: impl FnMut(&mut Vec<u8>, &mut Random),
) -> (Pair, BTreeSet<Vec<u8>>) {
    let narrow = LinkConfig {
        largest_message: 300_000,
        assembly: 600_000,
        window: 200_000,
        ..LinkConfig::new("test", 20_000)
    };
    let mut random = Random::from_seed(seed);
    let mut pair = Pair::with(seed, narrow.clone(), narrow);
    let mut pushed = BTreeSet::new();
    let mut packet = Vec::new();
    for round in 0..12 {
        for number in 0..random.below(8) as u64 {
            let message = message(round, number, 16 + length(&mut random));
            if pair.a.link.push(round % 4, &message).is_ok() {
                pushed.insert(message);
            }
        }
        while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
            let mut spoilt = packet.clone();
            spoil(&mut spoilt, &mut random);
            let _ = pair.b.link.receive(&spoilt, pair.now, &mut pair.b.heard);
            assert!(pair.b.link.kept() <= 200_000 + 2 * 600_000);
            if random.below(3) > 0 {
                let _ = pair.b.link.receive(&packet, pair.now, &mut pair.b.heard);
            }
        }
        while pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard) {
            let mut spoilt = packet.clone();
            spoil(&mut spoilt, &mut random);
            let _ = pair.a.link.receive(&spoilt, pair.now, &mut pair.a.heard);
            let _ = pair.a.link.receive(&packet, pair.now, &mut pair.a.heard);
        }
        pair.now += ms(random.below(200) as u64);
    }
    (pair, pushed)
}

#[test]
fn changed_packets_break_nothing() {
    for_seeds(400, |seed| {
        traffic(seed, |packet, random| change(packet, 0, random));
    });
}

#[test]
fn other_links_and_versions_and_shortened_packets_are_found_out() {
    for_seeds(200, |seed| {
        let (mut pair, pushed) = traffic(seed, |packet, random| match random.below(3) {
            // Magic, version, digest of the theaters, both epochs. (A greeting of another version
            // is refused, and a greeting with another epoch is another link.)
            0 if packet[2] != 1 => {
                packet[[0, 1, 3, 10, 14, 18][random.below(6)]] ^= 1 << random.below(8);
            }
            _ => packet.truncate(random.below(packet.len())),
        });
        pair.run_until(|pair| pair.b.heard.messages.len() >= pushed.len());
        pair.run_for(ms(1_000));
        assert_eq!(pair.b.heard.messages.len(), pushed.len());
        assert!(pair.b.heard.messages.iter().all(|(_, message)| pushed.contains(message)));
        assert!(pair.a.link.is_linked() && pair.b.link.is_linked());
    });
}

#[test]
fn random_bytes_in_the_shape_of_packets_break_nothing() {
    for_seeds(400, |seed| {
        let mut random = Random::from_seed(seed);
        let mut pair = Pair::linked(seed);
        pair.a.push(1, b"a real packet");
        let mut real = Vec::new();
        assert!(pair.a.link.poll(pair.now, &mut real, &mut pair.a.heard));
        for _ in 0..100 {
            let mut packet = real.clone();
            // The route is right: this is what whoever has joined the cluster can do.
            packet.truncate(3 + 16);
            packet[2] = random.below(6) as u8;
            packet.extend(
                (0..random.below(60)).map(|_| (random.next_u64() >> random.below(64)) as u8),
            );
            let _ = pair.b.link.receive(&packet, pair.now, &mut pair.b.heard);
            assert!(pair.b.link.kept() <= 100_000);
            let mut answer = Vec::new();
            while pair.b.link.poll(pair.now, &mut answer, &mut pair.b.heard) {}
            if pair.b.link.has_ended() {
                return;
            }
        }
    });
}

#[test]
fn acknowledgements_of_what_was_never_sent_are_refused() {
    let mut pair = Pair::linked(1);
    pair.a.push(1, b"hello");
    let mut packet = Vec::new();
    assert!(pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard));
    // From b's end: a packet with acknowledgements alone, of body 5.
    pair.b.push(1, b"hello");
    assert!(pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard));
    packet.truncate(3 + 16);
    packet[2] = 4;
    packet.extend_from_slice(&[5, 100, 1, 0]);
    let taken = pair.a.link.receive(&packet, pair.now, &mut pair.a.heard);
    assert_eq!(taken, Err(PacketError::NeverSent));
}
