//! Who talks to whom, and who does not.

use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::delivery::bad_conditions;
use crate::pair::*;

#[test]
fn two_theaters_find_a_link_over_any_network() {
    for_seeds(200, |seed| {
        let mut random = odeon_core::Random::from_seed(seed);
        let patient = LinkConfig { dead_after: ms(60_000), ..config() };
        let mut pair = Pair::with(seed, patient.clone(), patient);
        pair.network.set(A, B, bad_conditions(&mut random));
        pair.network.set(B, A, bad_conditions(&mut random));
        pair.a.push(1, b"hello");
        pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
        pair.run_until(|pair| !pair.b.heard.messages.is_empty());
        assert_eq!(pair.a.heard.events[0], Event::Linked);
        assert_eq!(pair.b.heard.events[0], Event::Linked);
    });
}

#[test]
fn greetings_are_answered_at_once() {
    let mut of_a = Link::new(config(), A, B, Epoch::FIRST, ms(0));
    let mut of_b = Link::new(config(), B, A, Epoch::FIRST, ms(0));
    let mut heard = Heard::default();
    let mut packet = Vec::new();
    assert!(of_b.poll(ms(0), &mut packet, &mut heard), "is lost");
    assert!(of_a.poll(ms(0), &mut packet, &mut heard));
    of_b.receive(&packet, ms(1), &mut heard).unwrap();
    assert!(of_b.poll(ms(1), &mut packet, &mut heard));
    of_a.receive(&packet, ms(2), &mut heard).unwrap();
    assert!(of_a.is_linked());
    assert!(of_a.poll(ms(2), &mut packet, &mut heard), "is lost");
    assert!(!of_a.poll(ms(2), &mut packet, &mut heard));
    // b does not know that it is known, and greets again.
    assert_eq!(of_b.deadline(), Some(ms(41)));
    assert!(of_b.poll(ms(41), &mut packet, &mut heard));
    of_a.receive(&packet, ms(42), &mut heard).unwrap();
    assert!(of_a.poll(ms(42), &mut packet, &mut heard));
    of_b.receive(&packet, ms(43), &mut heard).unwrap();
    assert!(of_b.is_linked());
}

#[test]
fn theaters_of_two_clusters_refuse_each_other_and_say_so() {
    let mut pair = Pair::with(1, config(), LinkConfig::new("another", 65_000));
    pair.a.push(1, b"for nobody");
    pair.run_for(ms(100));
    let (end, undelivered) = pair.a.heard.end().unwrap();
    assert!(matches!(
        end,
        End::Refused(Refusal::OtherCluster) | End::RefusedByPeer(Refusal::OtherCluster)
    ));
    assert_eq!(undelivered, [Undelivered { channel: 1, message: b"for nobody".to_vec() }]);
    assert!(pair.b.heard.end().is_some() && pair.b.heard.messages.is_empty());
}

#[test]
fn a_refused_theater_is_told_even_if_the_first_answer_is_lost() {
    let mut pair = Pair::with(1, config(), LinkConfig::new("another", 65_000));
    // Only b hears a, at first.
    pair.network.set(B, A, Conditions { loss: 1.0, ..Conditions::GOOD });
    pair.run_for(ms(200));
    assert_eq!(pair.b.heard.end().unwrap().0, End::Refused(Refusal::OtherCluster));
    assert!(pair.a.heard.end().is_none());
    pair.network.set_everywhere(Conditions::GOOD);
    pair.run_for(ms(300));
    assert_eq!(pair.a.heard.end().unwrap().0, End::RefusedByPeer(Refusal::OtherCluster));
}

#[test]
fn another_version_is_refused_with_both_versions() {
    let mut of_a = Link::new(config(), A, B, Epoch::FIRST, ms(0));
    let mut of_b = Link::new(config(), B, A, Epoch::FIRST, ms(0));
    let (mut at_a, mut at_b) = (Heard::default(), Heard::default());
    let mut packet = Vec::new();
    assert!(of_a.poll(ms(0), &mut packet, &mut at_a));
    // As of a theater that is three versions ahead, with a layout that nobody here knows.
    packet.truncate(3);
    packet[1] += 3;
    packet.extend_from_slice(b"the future");
    of_b.receive(&packet, ms(1), &mut at_b).unwrap();
    let (ours, theirs) = (FORMAT_VERSION, FORMAT_VERSION + 3);
    let refusal = Refusal::OtherVersion { ours, theirs };
    assert_eq!(at_b.end().unwrap().0, End::Refused(refusal));
    assert!(
        refusal.to_string().contains("speaks version 5 of the packet format, this one version 2")
    );

    assert!(of_b.poll(ms(1), &mut packet, &mut at_b));
    of_a.receive(&packet, ms(2), &mut at_a).unwrap();
    let told = Refusal::OtherVersion { ours: theirs, theirs: ours };
    assert_eq!(at_a.end().unwrap().0, End::RefusedByPeer(told));
}

#[test]
fn an_existing_link_is_not_disturbed_by_another_version_or_cluster() {
    let mut pair = Pair::linked(1);
    let mut stranger = Link::new(LinkConfig::new("else", 65_000), A, B, Epoch::FIRST, ms(0));
    let mut packet = Vec::new();
    assert!(stranger.poll(ms(0), &mut packet, &mut Heard::default()));
    assert!(pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).is_err());
    packet[1] += 1;
    let error = pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).unwrap_err();
    assert_eq!(
        error,
        PacketError::OtherVersion { ours: FORMAT_VERSION, theirs: FORMAT_VERSION + 1, hello: true }
    );
    assert!(pair.b.link.is_linked());
}

#[test]
fn packets_for_another_theater_or_another_link_are_told_apart() {
    let c = TheaterId::from_bits(0xCCCC_0003);
    let mut packet = Vec::new();
    let mut heard = Heard::default();
    let mut pair = Pair::linked(1);
    pair.a.push(1, b"for b");
    assert!(pair.a.link.poll(pair.now, &mut packet, &mut heard));
    let mut of_c = Link::new(config(), c, A, Epoch::FIRST, ms(0));
    assert_eq!(of_c.receive(&packet, ms(0), &mut heard), Err(PacketError::OtherTheater));
    let mut later = Link::new(config(), B, A, Epoch::FIRST.next().next(), ms(0));
    assert_eq!(later.receive(&packet, ms(0), &mut heard), Err(PacketError::OtherEpoch));
    assert!(heard.messages.is_empty());
    pair.b.link.receive(&packet, pair.now, &mut pair.b.heard).unwrap();
    assert_eq!(pair.b.heard.on(1), [b"for b"]);
}
