//! The network does what its conditions say, no less, and the same again.

use super::*;
use odeon_testkit::for_seeds;

const A: TheaterId = TheaterId::from_bits(1);
const B: TheaterId = TheaterId::from_bits(2);

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Listener for Log {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        let line = format!("{:x}: {}", from.bits(), String::from_utf8_lossy(packet));
        self.0.lock().unwrap().push(line);
    }
    fn appeared(&self, theater: TheaterId) {
        self.0.lock().unwrap().push(format!("+{:x}", theater.bits()));
    }
    fn vanished(&self, theater: TheaterId) {
        self.0.lock().unwrap().push(format!("-{:x}", theater.bits()));
    }
}

fn two(seed: u64) -> (InMemoryNetwork, InMemoryTransport, Arc<Log>) {
    let network = InMemoryNetwork::with_largest_packet(seed, 100);
    let at_b = Arc::new(Log::default());
    let from_a = network.join(A, Arc::new(Log::default()));
    network.join(B, at_b.clone());
    network.step(ms(0));
    at_b.take();
    (network, from_a, at_b)
}

fn send_numbers(from: &InMemoryTransport, count: usize) {
    (0..count).for_each(|n| from.send(B, n.to_string().into_bytes()));
}

/// Sends a thousand packets under `conditions`: what has arrived, and the counts.
fn thousand(seed: u64, conditions: Conditions) -> (Vec<String>, Counts) {
    let (network, from_a, at_b) = two(seed);
    network.set(A, B, conditions);
    send_numbers(&from_a, 1000);
    network.step(ms(100_000));
    (at_b.take(), network.counts(A, B))
}

fn in_order() -> Vec<String> {
    (0..1000).map(|n| format!("1: {n}")).collect()
}

#[test]
fn a_good_network_loses_and_changes_nothing() {
    let (arrived, counts) = thousand(1, Conditions::GOOD);
    assert_eq!(arrived, in_order());
    let (sent, bytes, delivered) = (1000, 10 + 180 + 2700, 1000);
    assert_eq!(counts, Counts { sent, bytes, delivered, ..Counts::default() });
}

#[test]
fn delay_alone_changes_no_order() {
    for_seeds(20, |seed| {
        let delayed = Conditions { delay: (ms(1), ms(50)), ..Conditions::GOOD };
        assert_eq!(thousand(seed, delayed).0, in_order());
    });
}

#[test]
fn all_that_was_sent_is_accounted_for() {
    for_seeds(20, |seed| {
        let conditions =
            Conditions { loss: 0.3, duplication: 0.2, reordering: 0.5, ..Conditions::GOOD };
        let (arrived, counts) = thousand(seed, conditions);
        assert_eq!(counts.sent, counts.lost + counts.delivered - counts.doubled);
        assert_eq!(arrived.len() as u64, counts.delivered);
        assert!((200..400).contains(&counts.lost), "{counts:?}");
        assert!((70..220).contains(&counts.doubled), "{counts:?}");
        let mut sorted = arrived.clone();
        sorted.sort_by_key(|line| line[3..].parse::<u32>().unwrap());
        assert_ne!(arrived, sorted, "some were overtaken");
        assert_eq!((arrived, counts), thousand(seed, conditions), "the same again");
    });
}

#[test]
fn a_rate_lets_packets_through_one_after_the_other() {
    let (network, from_a, at_b) = two(1);
    network.set(A, B, Conditions { rate: Some(10_000), ..Conditions::GOOD });
    (0..5).for_each(|_| from_a.send(B, vec![b'x'; 100]));
    network.step(ms(35));
    assert_eq!(at_b.take().len(), 3);
    assert_eq!(network.next_event(), Some(ms(40)));
    network.step(ms(50));
    assert_eq!(at_b.take().len(), 2);
}

#[test]
fn a_cut_stops_what_is_under_way_and_what_is_sent() {
    let (network, from_a, at_b) = two(1);
    network.set(A, B, Conditions { delay: (ms(5), ms(5)), ..Conditions::GOOD });
    send_numbers(&from_a, 2);
    network.cut(A, B);
    send_numbers(&from_a, 3);
    network.step(ms(10));
    assert_eq!((at_b.take().len(), network.counts(A, B).cut), (0, 5));
    network.heal(A, B);
    send_numbers(&from_a, 1);
    network.step(ms(20));
    assert_eq!(at_b.take(), ["1: 0"]);
}

#[test]
fn theaters_come_go_and_crash() {
    let (network, from_a, at_b) = two(1);
    let c = TheaterId::from_bits(3);
    let at_c = Arc::new(Log::default());
    let from_c = network.join(c, at_c.clone());
    network.step(ms(1));
    assert_eq!((at_b.take(), at_c.take()), (vec!["+3".to_owned()], vec!["+1".into(), "+2".into()]));
    from_c.send(B, b"last words".to_vec());
    network.remove(c);
    from_c.send(B, b"from the grave".to_vec());
    network.step(ms(2));
    assert_eq!(at_b.take(), ["3: last words", "-3"]);
    network.crash(B);
    send_numbers(&from_a, 1);
    network.step(ms(3));
    assert_eq!((network.counts(A, B).missed, at_b.take().len()), (1, 0));
    assert_eq!(network.all_counts().sent, 2);
}

#[test]
fn too_large_packets_are_dropped_and_counted() {
    let (network, from_a, at_b) = two(1);
    from_a.send(B, vec![0; from_a.largest_packet() + 1]);
    from_a.send(B, vec![b'x'; from_a.largest_packet()]);
    network.step(ms(1));
    assert_eq!((at_b.take().len(), network.counts(A, B).too_large), (1, 1));
}
