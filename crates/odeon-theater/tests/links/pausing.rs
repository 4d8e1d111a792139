//! Channels that the receiver holds back, and the pressure on who pushes.

use odeon_core::Random;
use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::delivery::{bad_conditions, length, message};
use crate::pair::*;

#[test]
fn a_paused_channel_stands_and_the_others_go_on() {
    let mut pair = Pair::linked(1);
    pair.b.link.pause(1);
    pair.run_for(ms(50));
    for number in 0..100_u64 {
        pair.a.push(1, &number.to_le_bytes());
        pair.a.push(2, &number.to_le_bytes());
    }
    pair.a.push(1, &vec![1; 500_000]);
    pair.run_for(ms(500));
    assert_eq!((pair.b.heard.on(1).len(), pair.b.heard.on(2).len()), (0, 100));
    assert!(pair.a.link.queued() >= 500_800);
    pair.b.link.resume(1);
    pair.run_until(|pair| pair.b.heard.on(1).len() == 101);
    assert_eq!(pair.a.link.queued(), 0);
}

#[test]
fn what_is_queued_when_a_pause_arrives_is_held_back_too() {
    let config = LinkConfig { window: 130_000, ..config() };
    let mut pair = Pair::with(1, config.clone(), config);
    pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    for number in 0..100_000_u64 {
        pair.a.push(number % 2, &number.to_le_bytes());
    }
    pair.b.link.pause(1);
    pair.run_until(|pair| pair.b.heard.on(0).len() == 50_000);
    let overshoot = pair.b.heard.on(1).len();
    assert!(overshoot * 10 <= 2 * 130_000, "{overshoot} messages");
    pair.b.link.resume(1);
    pair.run_until(|pair| pair.b.heard.on(1).len() == 50_000);
    let expected: Vec<[u8; 8]> = (0..50_000_u64).map(|n| (2 * n + 1).to_le_bytes()).collect();
    assert!(pair.b.heard.on(1) == expected);
}

#[test]
fn pauses_at_any_time_change_no_order_and_lose_nothing() {
    for_seeds(60, |seed| {
        let mut random = Random::from_seed(seed);
        let largest = [1024, 20_000][random.below(2)];
        let config = LinkConfig {
            window: 2 * largest + random.below(100_000),
            dead_after: ms(60_000),
            ..LinkConfig::new("test", largest)
        };
        let mut pair = Pair::with(seed, config.clone(), config);
        let mut pushed = [const { Vec::new() }; 4];
        for _ in 0..20 {
            pair.network.set(A, B, bad_conditions(&mut random));
            for _ in 0..random.below(100) {
                let channel = random.below(4);
                let number = pushed[channel].len() as u64;
                let message = message(channel as u64, number, length(&mut random));
                pair.a.push(channel as u64, &message);
                pushed[channel].push(message);
            }
            for _ in 0..random.below(4) {
                let channel = random.below(4) as u64;
                if random.below(2) == 0 {
                    pair.b.link.pause(channel);
                } else {
                    pair.b.link.resume(channel);
                }
            }
            pair.run_for(ms(random.below(100) as u64));
        }
        (0..4).for_each(|channel| pair.b.link.resume(channel));
        let total = pushed.iter().map(Vec::len).sum::<usize>();
        pair.run_until(|pair| pair.b.heard.messages.len() >= total);
        for (channel, messages) in pushed.iter().enumerate() {
            assert!(pair.b.heard.on(channel as u64) == *messages, "channel {channel}");
        }
    });
}

#[test]
fn who_pushes_too_much_is_pressed_until_half_is_sent() {
    let mut pair = Pair::linked(1);
    let mark = config().pressed_at;
    while !pair.a.link.is_pressed() {
        assert!(pair.a.link.queued() < mark);
        pair.a.push(1, &[7; 10_000]);
    }
    let mut relieved_at = None;
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.run_until(|pair| {
        if pair.a.heard.events.contains(&Event::Relieved) {
            relieved_at.get_or_insert(pair.a.link.queued());
        }
        pair.a.link.queued() == 0
    });
    assert!(relieved_at.unwrap() <= mark / 2);
    assert!(!pair.a.link.is_pressed());
    assert_eq!(pair.a.heard.events, [Event::Linked, Event::Relieved]);
}

#[test]
fn what_a_paused_channel_holds_presses_those_of_the_channel_alone() {
    let mark = 1_000_000;
    let config = LinkConfig { window: 130_000, pressed_at: mark, ..config() };
    let mut pair = Pair::with(1, config.clone(), config);
    pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    while pair.a.link.queued() < 2 * mark {
        pair.a.push(1, &[7; 10_000]);
    }
    assert!(pair.a.link.is_pressed() && !pair.a.link.is_channel_pressed(1));
    pair.b.link.pause(1);
    // Nothing else is sent by which that would be found out.
    pair.run_until(|pair| !pair.a.link.is_pressed());
    assert!(pair.a.link.queued() > mark && pair.a.link.is_channel_pressed(1));
    assert_eq!(pair.a.heard.events, [Event::Linked, Event::Relieved]);
    pair.b.link.resume(1);
    pair.run_until(|pair| pair.a.link.queued() == 0);
    assert!(!pair.a.link.is_channel_pressed(1));
    assert!(pair.a.heard.events.contains(&Event::ChannelRelieved(1)));
}
