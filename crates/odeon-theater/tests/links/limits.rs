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
