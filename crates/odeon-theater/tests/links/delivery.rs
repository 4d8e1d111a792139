//! Exactly once and in order, whatever the network does short of death.

use std::collections::BTreeMap;
use std::time::Duration;

use odeon_core::Random;
use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::pair::*;

/// All lengths, small ones more often.
pub(crate) fn length(random: &mut Random) -> usize {
    match random.below(10) {
        0..=5 => random.below(100),
        6..=7 => random.below(5_000),
        8 => random.below(40_000),
        _ => random.below(200_001),
    }
}

/// A message whose bytes say which one it is.
pub(crate) fn message(channel: u64, number: u64, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = [channel, number].into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.truncate(length);
    let mut filler = Random::from_seed(channel << 32 | number);
    bytes.extend((bytes.len()..length).map(|_| filler.next_u64() as u8));
    bytes
}

pub(crate) fn bad_conditions(random: &mut Random) -> Conditions {
    let share = |random: &mut Random, most| random.below(1000) as f64 / 1000.0 * most;
    let least = Duration::from_micros(random.below(20_000) as u64);
    Conditions {
        delay: (least, least + Duration::from_micros(random.below(30_000) as u64)),
        loss: share(random, 0.3),
        duplication: share(random, 0.3),
        reordering: share(random, 0.5),
        rate: (random.below(3) == 0).then(|| 1_000_000 + random.below(50_000_000) as u64),
        cut: false,
    }
}

type Pushed = BTreeMap<u64, Vec<Vec<u8>>>;

fn push_some(side: &mut Side, pushed: &mut Pushed, random: &mut Random) {
    for _ in 0..random.below(30) {
        let channel = random.below(5) as u64;
        let on = pushed.entry(channel).or_default();
        let message = message(channel, on.len() as u64, length(random));
        side.push(channel, &message);
        on.push(message);
    }
}

#[track_caller]
fn assert_all_arrived(heard: &Heard, pushed: &Pushed) {
    let arrived: usize = heard.messages.len();
    assert_eq!(arrived, pushed.values().map(Vec::len).sum::<usize>());
    for (&channel, messages) in pushed {
        assert!(heard.on(channel) == *messages, "channel {channel}");
    }
}

fn any_network(seed: u64) {
    let mut random = Random::from_seed(seed);
    // Small packets have many more bodies under way.
    let largest = [1024, 9_000, 65_000][random.below(3)];
    let config = LinkConfig {
        window: [2 * largest, 300_000, 4 << 20][random.below(3)].max(2 * largest),
        // What is tested here is delivery: nobody is to be taken for dead.
        dead_after: Duration::from_secs(60),
        ..LinkConfig::new("test", largest)
    };
    let mut pair = Pair::with(seed, config.clone(), config);
    let (mut from_a, mut from_b) = (Pushed::new(), Pushed::new());
    for _ in 0..random.below(20) + 1 {
        for (from, to) in [(A, B), (B, A)] {
            pair.network.set(from, to, bad_conditions(&mut random));
        }
        if random.below(4) == 0 {
            pair.network.cut(A, B);
        }
        push_some(&mut pair.a, &mut from_a, &mut random);
        push_some(&mut pair.b, &mut from_b, &mut random);
        pair.run_for(ms(random.below(300) as u64));
        pair.network.heal(A, B);
    }
    let total = |pushed: &Pushed| pushed.values().map(Vec::len).sum::<usize>();
    let (to_a, to_b) = (total(&from_b), total(&from_a));
    pair.run_until(|pair| {
        pair.a.heard.messages.len() >= to_a && pair.b.heard.messages.len() >= to_b
    });
    pair.run_for(Duration::from_secs(5));
    assert_all_arrived(&pair.a.heard, &from_b);
    assert_all_arrived(&pair.b.heard, &from_a);
    assert!(pair.a.heard.end().is_none() && pair.b.heard.end().is_none());
    assert_eq!((pair.a.link.queued(), pair.b.link.queued()), (0, 0));
    assert_eq!((pair.a.link.kept(), pair.b.link.kept()), (0, 0));
}

#[test]
fn every_message_arrives_once_and_in_the_order_of_its_channel() {
    for_seeds(60, any_network);
}

#[test]
fn a_third_of_all_packets_may_be_lost() {
    for_seeds(5, |seed| {
        let mut pair = Pair::linked(seed);
        let conditions = Conditions { loss: 0.3, delay: (ms(1), ms(2)), ..Conditions::GOOD };
        pair.network.set_everywhere(conditions);
        let mut pushed = Pushed::new();
        for number in 0..3_000_u64 {
            let message = message(number % 7, number / 7, 2_000);
            pair.a.push(number % 7, &message);
            pushed.entry(number % 7).or_default().push(message);
        }
        pair.run_until(|pair| pair.b.heard.messages.len() == 3_000);
        assert_all_arrived(&pair.b.heard, &pushed);
        assert!(pair.network.counts(A, B).lost > 0);
    });
}

#[test]
fn what_is_pushed_during_a_cut_arrives_after_it() {
    let mut pair = Pair::linked(1);
    pair.a.push(1, b"before");
    pair.network.cut(A, B);
    pair.a.push(1, b"meanwhile");
    pair.run_for(ms(1_700));
    assert!(pair.b.heard.messages.is_empty());
    assert!(matches!(pair.a.heard.events[..], [Event::Linked, Event::Suspected(_)]));
    pair.network.heal(A, B);
    pair.run_for(ms(600));
    assert_eq!(pair.b.heard.on(1), [&b"before"[..], b"meanwhile"]);
    assert_eq!(pair.a.heard.events.last(), Some(&Event::Cleared));
}

#[test]
fn a_cut_network_is_not_flooded_with_what_it_does_not_carry() {
    let mut pair = Pair::linked(1);
    for round in 1..=20 {
        pair.a.push(1, b"measured");
        pair.run_until(|pair| pair.b.heard.messages.len() == round);
        pair.run_for(ms(10));
    }
    pair.network.cut(A, B);
    (0..1_000).for_each(|_| pair.a.push(1, &[7; 10_000]));
    pair.run_for(Duration::ZERO);
    let window = pair.a.packets;
    pair.run_for(ms(1_700));
    // Two each time, at 20, 60, 140, 300, 620, 1120 and 1620 ms; signs of life go with them.
    let again = pair.a.packets - window;
    assert!((8..=20).contains(&again), "{again} packets");
}

#[test]
fn a_lost_packet_is_sent_again_before_time_runs_out_if_later_ones_arrive() {
    let mut pair = Pair::linked(1);
    let slow = Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD };
    pair.network.set_everywhere(slow);
    // Time runs out after half a second at most; with nothing measured yet, after that.
    pair.network.set(A, B, Conditions { loss: 1.0, ..slow });
    pair.a.push(1, b"lost");
    let begin = pair.now;
    pair.run_for(Duration::ZERO);
    pair.network.set(A, B, slow);
    for _ in 0..4 {
        pair.a.push(1, b"later");
        pair.run_for(ms(1));
    }
    pair.run_until(|pair| pair.b.heard.messages.len() == 5);
    assert!(pair.now - begin < ms(15), "{:?}", pair.now - begin);
}

/// PROTOCOL 6.
#[test]
fn small_messages_wait_for_those_under_way_and_go_together() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.run_for(ms(10));
    let (begin, of_a) = (pair.now, pair.a.packets);
    for _ in 0..100 {
        pair.a.push(1, b"one of many");
        pair.run_for(Duration::ZERO);
    }
    assert_eq!(pair.a.packets - of_a, 4);
    pair.run_until(|pair| pair.b.heard.messages.len() == 100);
    assert_eq!((pair.a.packets - of_a, pair.now - begin), (5, ms(3)));
}

/// PROTOCOL 6.
#[test]
fn who_cannot_be_reached_hears_of_the_next_message_once_it_can() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { loss: 1.0, ..Conditions::GOOD });
    for _ in 0..1_000 {
        pair.a.push(1, b"unheard");
        pair.run_for(ms(1));
    }
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.a.push(1, b"heard of");
    let of_b = pair.b.packets;
    pair.run_for(ms(3));
    assert!(pair.b.packets > of_b, "it answers");
}

#[test]
fn acknowledgements_travel_with_messages_and_not_alone() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.run_for(ms(10));
    let (of_a, of_b) = (pair.a.packets, pair.b.packets);
    for round in 1..=100 {
        pair.a.push(1, b"ping");
        pair.run_until(|pair| pair.b.heard.messages.len() == round);
        pair.b.push(1, b"pong");
        pair.run_until(|pair| pair.a.heard.messages.len() == round);
    }
    assert_eq!((pair.a.packets - of_a, pair.b.packets - of_b), (100, 100));
}

#[test]
fn one_way_traffic_is_acknowledged_every_second_packet() {
    let mut pair = Pair::linked(1);
    pair.run_for(ms(10));
    let of_b = pair.b.packets;
    for _ in 0..100 {
        pair.a.push(1, b"one of many");
        pair.run_for(Duration::ZERO);
    }
    assert_eq!(pair.b.packets - of_b, 50);
}
