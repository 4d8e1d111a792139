//! What is written is read, and nothing else is.

use super::*;
use crate::link::{Epoch, TheaterId};
use odeon_testkit::for_seeds;

/// SplitMix64: the link knows nothing of the core, nor of its randomness.
struct Random(u64);

impl Random {
    fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}

fn any_u64(random: &mut Random) -> u64 {
    random.next_u64() >> random.below(64)
}

fn any_epoch(random: &mut Random) -> Epoch {
    Epoch::from_number(random.next_u64() as u32 | 1).unwrap()
}

fn any_theater(random: &mut Random) -> TheaterId {
    TheaterId::from_bits(u128::from(random.next_u64()) << 64 | u128::from(random.next_u64()))
}

fn any_bytes(random: &mut Random, most: usize) -> Vec<u8> {
    (0..random.below(most + 1)).map(|_| random.next_u64() as u8).collect()
}

fn any_route(random: &mut Random) -> Route {
    let theaters = random.next_u64();
    Route { theaters, from: any_epoch(random), to: any_epoch(random) }
}

fn any_records(random: &mut Random) -> Vec<u8> {
    let mut records = Vec::new();
    for _ in 0..random.below(20) {
        let channel = any_u64(random);
        let bytes = any_bytes(random, 100);
        match random.below(4) {
            0 => put_signal(&mut records, PAUSE, channel),
            1 => put_signal(&mut records, RESUME, channel),
            2 if bytes.len() > 1 => {
                let middle = 1 + random.below(bytes.len() - 1);
                put_fragment(&mut records, channel, &bytes, 0, middle);
                put_fragment(&mut records, channel, &bytes, middle, bytes.len());
            }
            _ => put_whole(&mut records, channel, &bytes),
        }
    }
    if random.below(4) == 0 {
        put_leave(&mut records);
    }
    records
}

/// Any packet, and what it is to be read as is asserted at once.
fn any_packet(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let bitmap = any_bytes(random, acks::LARGEST_BITMAP);
    let acks = Acks {
        next: any_u64(random),
        credit: any_u64(random),
        newest: any_u64(random),
        early: &bitmap,
    };
    let route = any_route(random);
    match random.below(5) {
        0 => {
            let limits = Limits { largest_message: any_u64(random), ..Limits::default() };
            let cluster = "ö".repeat(random.below(33));
            let [to, from] = [any_theater(random), any_theater(random)];
            let seen = Some(any_epoch(random)).filter(|epoch| epoch.number() % 4 == 1);
            let hello =
                Hello { to, from, epoch: any_epoch(random), seen, cluster: &cluster, limits };
            write_hello(&mut bytes, &hello);
            assert_eq!(Packet::read(&bytes), Ok(Packet::Hello(hello)));
        }
        1 => {
            let [to, from] = [any_theater(random), any_theater(random)];
            let refusal = Refusal::OtherVersion { ours: 1, theirs: random.next_u64() as u8 };
            let packet = RefusalPacket::new(from, to, refusal);
            write_refusal(&mut bytes, &packet);
            assert_eq!(Packet::read(&bytes), Ok(Packet::Refusal(packet)));
        }
        2 => {
            let records = any_records(random);
            let (number, transmission) = (any_u64(random), any_u64(random));
            write_body(&mut bytes, route, &acks, number, transmission, &records);
            assert!(bytes.len() <= LARGEST_HEAD + records.len());
            let records = &records[..];
            let body = Packet::Body { route, acks, number, transmission, records };
            assert_eq!(Packet::read(&bytes), Ok(body));
        }
        3 => {
            write_acks(&mut bytes, route, &acks);
            assert_eq!(Packet::read(&bytes), Ok(Packet::Acks { route, acks }));
        }
        _ => {
            write_goodbye(&mut bytes, route);
            assert_eq!(Packet::read(&bytes), Ok(Packet::Goodbye { route }));
        }
    }
    bytes
}

#[test]
fn what_is_written_is_read() {
    for_seeds(2_000, |seed| {
        any_packet(&mut Random::from_seed(seed));
    });
}

#[test]
fn any_bytes_give_a_packet_or_an_error() {
    for_seeds(20_000, |seed| {
        let mut random = Random::from_seed(seed);
        let mut bytes = if random.below(4) == 0 {
            let mut bytes = any_bytes(&mut random, 300);
            bytes.splice(0..0, [MAGIC, FORMAT_VERSION, random.below(6) as u8]);
            bytes
        } else {
            any_packet(&mut random)
        };
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Ok(Packet::Body { records, .. }) = Packet::read(&bytes) {
            // What was found good can be read to its end.
            let mut good = Records::new(records);
            good.by_ref().for_each(drop);
            assert!(good.rest().is_empty());
        }
    });
}

#[test]
fn every_shortened_packet_is_an_error() {
    for_seeds(200, |seed| {
        let bytes = any_packet(&mut Random::from_seed(seed));
        for length in 0..bytes.len() {
            let read = Packet::read(&bytes[..length]);
            assert!(read.is_err(), "{length} of {}: {read:?}", bytes.len());
        }
    });
}

#[test]
fn fields_of_a_newer_hello_are_passed_over() {
    let mut random = Random::from_seed(1);
    let hello = Hello {
        to: any_theater(&mut random),
        from: any_theater(&mut random),
        epoch: Epoch::FIRST,
        seen: None,
        cluster: "shop",
        limits: Limits { largest_message: 7, assembly: 8, window: 9 },
    };
    let mut bytes = Vec::new();
    write_hello(&mut bytes, &hello);
    let fields = bytes.iter().rposition(|&byte| byte == b'p').unwrap() + 1;
    assert_eq!(usize::from(bytes[fields]), bytes.len() - fields - 1);
    bytes[fields] += 5;
    // Field 100 with three bytes; and what a newer version may put behind all fields.
    bytes.extend_from_slice(&[100, 3, b'n', b'e', b'w', b'!', b'!']);
    assert_eq!(Packet::read(&bytes), Ok(Packet::Hello(hello)));
    bytes.truncate(fields + 1 + 9 + 4);
    assert_eq!(Packet::read(&bytes), Err(PacketError::Truncated));
}

#[test]
fn another_version_is_told_apart_from_other_bytes() {
    let refused = PacketError::OtherVersion { ours: FORMAT_VERSION, theirs: 9, hello: true };
    assert_eq!(Packet::read(&[MAGIC, 9, HELLO]), Err(refused));
    assert_eq!(refused.to_string(), "version 9 of the packet format, spoken here is version 2");
    assert_eq!(Packet::read(b"GET / HTTP/1.1"), Err(PacketError::Foreign));
    assert_eq!(Packet::read(&[]), Err(PacketError::Truncated));
}

#[test]
fn a_refusal_is_read_in_any_version_and_with_more_behind_it() {
    let [to, from] = [TheaterId::from_bits(1), TheaterId::from_bits(2)];
    let packet = RefusalPacket::new(from, to, Refusal::OtherVersion { ours: 1, theirs: 4 });
    let mut bytes = Vec::new();
    write_refusal(&mut bytes, &packet);
    bytes[1] = 4;
    bytes.extend_from_slice(b"and more");
    assert_eq!(Packet::read(&bytes), Ok(Packet::Refusal(packet)));
    assert_eq!(packet.refusal(), Refusal::OtherVersion { ours: 4, theirs: 1 });
}

#[test]
fn numbers_beyond_64_bits_are_refused() {
    let mut longest = vec![0xFF; 9];
    longest.push(1);
    assert_eq!(Cursor::new(&longest).varint(), Ok(u64::MAX));
    longest[9] = 2;
    assert!(Cursor::new(&longest).varint().is_err());
    assert!(Cursor::new(&[0x80; 11]).varint().is_err());
    assert_eq!(Cursor::new(&[0x80]).varint(), Err(PacketError::Truncated));
    for_seeds(500, |seed| {
        let value = any_u64(&mut Random::from_seed(seed));
        let mut bytes = Vec::new();
        put_varint(&mut bytes, value);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!((cursor.varint(), cursor.is_empty()), (Ok(value), true));
    });
}

/// What a packet says to whom who has no link to its sender: with and without the secret.
#[test]
fn greetings_are_taken_from_those_who_know_the_secret() {
    let [me, from] = [TheaterId::from_bits(1), TheaterId::from_bits(2)];
    let secret = Secret::new("the secret of this cluster").unwrap();
    let other = Secret::new("the secret of another one").unwrap();
    let hello = |secret: Option<&Secret>, version: u8| {
        let mut packet = Vec::new();
        if secret.is_some() {
            Secret::begin(&mut packet);
        }
        let begin = packet.len();
        let limits = Limits::default();
        let (epoch, seen) = (Epoch::FIRST, None);
        write_hello(&mut packet, &Hello { to: me, from, epoch, seen, cluster: "test", limits });
        packet[begin + 1] = version;
        if let Some(secret) = secret {
            secret.seal(from, me, 1, &mut packet);
        }
        packet
    };
    for (mine, theirs) in [(Some(&secret), Some(&secret)), (None, None)] {
        let greeting = |version| Greeting::of(&hello(theirs, version), mine, me, from);
        assert!(matches!(greeting(FORMAT_VERSION), Greeting::Good));
        let Greeting::Refused(_, answer) = greeting(9) else { panic!("it is of another version") };
        let opened = mine.map_or(&answer[..], |secret| secret.open(me, from, &answer).unwrap().1);
        let Ok(Packet::Refusal(refusal)) = Packet::read(opened) else { panic!("it says why") };
        assert_eq!(refusal.refusal(), Refusal::OtherVersion { ours: 9, theirs: FORMAT_VERSION });
    }
    for (mine, theirs) in
        [(Some(&secret), None), (None, Some(&secret)), (Some(&secret), Some(&other))]
    {
        let greeting = |version| Greeting::of(&hello(theirs, version), mine, me, from);
        assert!(matches!(greeting(FORMAT_VERSION), Greeting::Foreign));
        assert!(matches!(greeting(9), Greeting::None), "a stranger is told nothing");
    }
}
