//! What a link costs: messages pushed, carried in packets, received, on one thread and without a
//! network.
//!
//! `cargo run --release -p odeon-theater --example link_speed -- [messages] [bytes]`

use std::hint::black_box;
use std::time::{Duration, Instant};

use odeon_theater::{Epoch, Event, Link, LinkConfig, Sink, TheaterId};

#[derive(Default)]
struct Count {
    messages: usize,
    bytes: usize,
}

impl Sink for Count {
    fn message(&mut self, channel: u64, message: &[u8]) {
        black_box((channel, message));
        self.messages += 1;
        self.bytes += message.len();
    }
    fn event(&mut self, _: Event) {}
}

/// Carries packets until there are none. Returns how many there were.
fn carry(
    a: &mut Link,
    b: &mut Link,
    now: Duration,
    packet: &mut Vec<u8>,
    heard: &mut Count,
) -> usize {
    let mut packets = 0;
    loop {
        let before = packets;
        while a.poll(now, packet, heard) {
            packets += 1;
            b.receive(packet, now, heard).expect("a link takes what the other end sends");
            // An acknowledgement now and then, as over a network.
            while b.poll(now, packet, heard) {
                packets += 1;
                a.receive(packet, now, heard).expect("a link takes what the other end sends");
            }
        }
        if packets == before {
            return packets;
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let messages: usize = arguments.next().unwrap_or(10_000_000);
    let bytes: usize = arguments.next().unwrap_or(8);
    let (a, b) = (TheaterId::from_bits(1), TheaterId::from_bits(2));
    let config = LinkConfig::new("speed", 65_000);
    let mut now = Duration::ZERO;
    let mut at_a = Link::new(config.clone(), a, b, Epoch::FIRST, now);
    let mut at_b = Link::new(config, b, a, Epoch::FIRST, now);
    let (mut packet, mut heard) = (Vec::new(), Count::default());
    while !(at_a.is_linked() && at_b.is_linked()) {
        while at_b.poll(now, &mut packet, &mut heard) {
            at_a.receive(&packet, now, &mut heard).expect("both speak the same version");
        }
        carry(&mut at_a, &mut at_b, now, &mut packet, &mut heard);
        now += Duration::from_millis(1);
    }

    let message = vec![7; bytes];
    let begin = Instant::now();
    let mut packets = 0;
    for number in 0..messages {
        at_a.push(number as u64 % 100, &message).expect("the link lives");
        if at_a.queued() >= 1 << 20 {
            now += Duration::from_micros(50);
            packets += carry(&mut at_a, &mut at_b, now, &mut packet, &mut heard);
        }
    }
    packets += carry(&mut at_a, &mut at_b, now, &mut packet, &mut heard);
    let time = begin.elapsed();
    assert_eq!(heard.messages, messages);
    let nanoseconds = time.as_nanos() as f64 / messages as f64;
    println!(
        "{messages} messages of {bytes} bytes in {packets} packets: {nanoseconds:.1} ns each, {:.1} million a second, {:.0} MB/s",
        1e3 / nanoseconds,
        heard.bytes as f64 / time.as_secs_f64() / 1e6
    );
}
