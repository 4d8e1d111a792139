//! Large messages, and small ones beside them.

use odeon_theater::*;

use crate::delivery::message;
use crate::pair::*;

#[test]
fn a_small_message_passes_a_large_one_of_another_channel() {
    let mut pair = Pair::linked(1);
    let slow = Conditions { delay: (ms(2), ms(2)), rate: Some(50_000_000), ..Conditions::GOOD };
    pair.network.set_everywhere(slow);
    let large = message(1, 0, 20_000_000);
    pair.a.push(1, &large);
    // Well into it: half a window is under way.
    pair.run_until(|pair| pair.a.packets > 100);
    for number in 0..3_u64 {
        let sent = pair.a.packets;
        pair.a.push(2, &number.to_le_bytes());
        pair.run_until(|pair| pair.b.heard.on(2).len() as u64 == number + 1);
        // What was under way before it, and what could follow meanwhile; of 340 packets of the
        // large one.
        let half_a_window_in_packets = (2 << 20) / 60_000;
        assert!(
            pair.a.packets - sent <= half_a_window_in_packets + 4,
            "{} packets",
            pair.a.packets - sent
        );
    }
    assert!(pair.b.heard.on(1).is_empty(), "the large one is still under way");
    pair.run_until(|pair| !pair.b.heard.on(1).is_empty());
    assert!(pair.b.heard.on(1) == [large]);
}

#[test]
fn later_messages_of_its_channel_wait_for_a_large_one_and_earlier_ones_go_before() {
    let mut pair = Pair::new(1);
    let large = message(1, 0, 1_000_000);
    for _ in 0..3 {
        pair.a.push(1, b"before");
        pair.a.push(1, &large);
        pair.a.push(1, b"after");
        pair.a.push(2, b"beside");
    }
    pair.run_until(|pair| pair.b.heard.messages.len() == 12);
    let expected: Vec<&[u8]> = [&b"before"[..], &large, b"after"].repeat(3);
    assert!(pair.b.heard.on(1) == expected);
    let beside = pair.b.heard.messages.iter().rposition(|(channel, _)| *channel == 2).unwrap();
    assert!(beside < 6, "the small ones of another channel were there early, not at {beside}");
}

#[test]
fn large_messages_of_different_channels_take_turns() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { rate: Some(100_000_000), ..Conditions::GOOD });
    pair.a.push(1, &message(1, 0, 10_000_000));
    pair.a.push(2, &message(2, 0, 1_000_000));
    pair.run_until(|pair| !pair.b.heard.messages.is_empty());
    assert_eq!(pair.b.heard.messages[0].0, 2, "the shorter one is complete first");
}

#[test]
fn a_large_message_may_be_given_away() {
    let mut pair = Pair::linked(1);
    let large = message(1, 0, 300_000);
    pair.a.link.push_owned(1, large.clone()).unwrap();
    pair.a.link.push_owned(1, b"small".to_vec()).unwrap();
    pair.run_until(|pair| pair.b.heard.messages.len() == 2);
    assert!(pair.b.heard.on(1) == [&large[..], b"small"]);
}

#[test]
fn no_more_large_messages_begin_than_the_other_side_puts_together() {
    let narrow = LinkConfig { largest_message: 200_000, assembly: 500_000, ..config() };
    let mut pair = Pair::with(1, config(), narrow);
    // The limits of b are not known yet, and one message is above them.
    pair.a.push(100, &message(100, 0, 200_001));
    for channel in 0..50 {
        pair.a.push(channel, &message(channel, 0, 150_000 + channel as usize));
    }
    pair.run_until(|pair| pair.b.heard.messages.len() == 50);
    assert!(pair.b.heard.end().is_none());
    let Event::TooLarge(returned) = &pair.a.heard.events[1] else { panic!("not returned") };
    assert_eq!((returned.channel, returned.message.len()), (100, 200_001));
    assert_eq!(pair.a.link.push(1, &vec![0; 200_001]), Err(PushError::TooLarge { limit: 200_000 }));
}

#[test]
fn small_messages_do_not_starve_a_large_one() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { rate: Some(100_000_000), ..Conditions::GOOD });
    let small = [7; 1_000];
    (0..1_000).for_each(|_| pair.a.push(2, &small));
    pair.a.push(1, &message(1, 0, 100_000));
    (0..9_000).for_each(|_| pair.a.push(2, &small));
    pair.run_until(|pair| !pair.b.heard.on(1).is_empty());
    // It waits for those before it, and takes turns with those behind.
    let before = pair.b.heard.on(2).len();
    assert!((1_000..1_500).contains(&before), "{before}");
}
