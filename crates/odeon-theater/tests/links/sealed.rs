//! Links of clusters that have a secret: who does not know it is heard by nobody, and a byte that
//! is changed on the way is found out.

use std::collections::BTreeSet;

use odeon_core::Random;
use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::delivery::{length, message};
use crate::pair::*;

fn sealed(secret: &str) -> LinkConfig {
    LinkConfig { secret: Some(Secret::new(secret).unwrap()), ..LinkConfig::new("test", 20_000) }
}

const OURS: &str = "the secret of this cluster";

#[test]
fn changed_packets_change_nothing() {
    for_seeds(40, |seed| {
        let mut random = Random::from_seed(seed);
        let mut pair = Pair::with(seed, sealed(OURS), sealed(OURS));
        let (mut pushed, mut packet) = (BTreeSet::new(), Vec::new());
        for round in 0..12 {
            for number in 0..random.below(8) as u64 {
                let message = message(round, number, 16 + length(&mut random));
                pair.a.push(round % 4, &message);
                pushed.insert(message);
            }
            while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
                assert!(packet.len() <= 20_000);
                let mut spoilt = packet.clone();
                let at = random.below(spoilt.len());
                match random.below(4) {
                    0 => spoilt.truncate(at),
                    1 => spoilt.insert(at, random.next_u64() as u8),
                    2 => spoilt.push(0),
                    _ => spoilt[at] ^= 1 << random.below(8),
                }
                if spoilt != packet {
                    let taken = pair.b.link.receive(&spoilt, pair.now, &mut pair.b.heard);
                    assert_eq!(taken, Err(PacketError::Sealing));
                }
                pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).unwrap();
            }
            while pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard) {
                pair.a.link.receive(&packet, pair.now, &mut pair.a.heard).unwrap();
            }
            pair.now += ms(100);
        }
        pair.run_for(ms(2_000));
        let arrived = pair.b.heard.messages.iter().map(|(_, message)| message.clone());
        assert_eq!(arrived.collect::<BTreeSet<_>>(), pushed);
        assert_eq!(pair.b.heard.messages.len(), pushed.len());
    });
}

#[test]
fn there_is_no_link_without_the_same_secret() {
    let open = LinkConfig::new("test", 20_000);
    for theirs in [sealed("another secret than ours"), open] {
        let mut pair = Pair::with(1, sealed(OURS), theirs);
        pair.b.push(1, b"let me in");
        pair.run_for(ms(1_500));
        for side in [&pair.a, &pair.b] {
            assert!(!side.link.is_linked() && side.heard.messages.is_empty());
            assert!(!side.rejected.is_empty());
            assert!(side.rejected.iter().all(|why| *why == PacketError::Sealing));
        }
    }
}

#[test]
fn a_packet_is_for_one_direction_between_two() {
    let mut pair = Pair::with(1, sealed(OURS), sealed(OURS));
    let mut packet = Vec::new();
    assert!(pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard));
    let reflected = pair.a.link.receive(&packet, pair.now, &mut pair.a.heard);
    assert_eq!(reflected, Err(PacketError::Sealing));
    let mut other = Link::new(sealed(OURS), TheaterId::from_bits(3), A, Epoch::FIRST, pair.now);
    assert_eq!(other.receive(&packet, pair.now, &mut pair.b.heard), Err(PacketError::Sealing));
}

#[test]
fn packets_that_are_sent_again_are_no_sign_of_life() {
    let mut pair = Pair::with(1, sealed(OURS), sealed(OURS));
    let (mut packet, mut recorded) = (Vec::new(), Vec::new());
    for round in 0..20_u8 {
        pair.a.push(1, &[round]);
        pair.b.push(1, &[round]);
        while pair.a.link.poll(pair.now, &mut packet, &mut pair.a.heard) {
            pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).unwrap();
            recorded.push(packet.clone());
        }
        while pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard) {
            pair.a.link.receive(&packet, pair.now, &mut pair.a.heard).unwrap();
        }
        pair.now += ms(100);
    }
    assert!(pair.b.link.is_linked() && pair.b.heard.end().is_none());
    // From here on only what somebody has recorded comes from there.
    for _ in 0..30 {
        for packet in &recorded {
            let _ = pair.b.link.receive(packet, pair.now, &mut pair.b.heard);
        }
        while pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard) {}
        pair.now += ms(100);
    }
    assert_eq!(pair.b.heard.end().map(|(end, _)| end), Some(End::Silent));
    assert_eq!(pair.b.heard.messages.len(), 20, "each once");
}
