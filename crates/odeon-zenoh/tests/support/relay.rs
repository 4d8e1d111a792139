//! A network between two theaters that has only TCP: its connections are delayed, silent for a
//! while, and cut.

use odeon_core::Random;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often its threads look whether anything has changed.
const LOOK: Duration = Duration::from_millis(10);

/// Carries what comes to where it listens to another endpoint, and back.
pub struct Relay {
    pub endpoint: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    connections: Mutex<Vec<TcpStream>>,
    /// Up to so many microseconds each piece of a connection's bytes is under way.
    delay_us: AtomicU64,
    is_silent: AtomicBool,
    ends: AtomicBool,
}

impl Relay {
    /// To a theater that listens at `endpoint`.
    pub fn to(endpoint: &str) -> Self {
        let target = endpoint.strip_prefix("tcp/").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("tcp/{}", listener.local_addr().unwrap());
        let shared: Arc<Shared> = Arc::default();
        let relays = shared.clone();
        thread::spawn(move || {
            for connection in listener.incoming() {
                if relays.ends.load(SeqCst) {
                    return;
                }
                // Who is not there any more, or cannot be reached, is no reason to end.
                if let (Ok(from), false) = (connection, relays.is_silent.load(SeqCst)) {
                    if let Ok(to) = TcpStream::connect(&target) {
                        carry_both_ways(&relays, &from, &to);
                    }
                }
            }
        });
        Self { endpoint, shared }
    }

    pub fn delay(&self, up_to: Duration) {
        self.shared.delay_us.store(up_to.as_micros() as u64, SeqCst);
    }

    /// Nothing gets through any more, and nobody is told; or it does again.
    pub fn silence(&self, is_silent: bool) {
        self.shared.is_silent.store(is_silent, SeqCst);
    }

    /// Ends all connections, with what is under way. Answers how many sides of such there were.
    pub fn cut(&self) -> usize {
        let connections = std::mem::take(&mut *self.shared.connections.lock().unwrap());
        // Of one that has ended already there is an error.
        connections.iter().filter(|side| side.shutdown(Shutdown::Both).is_ok()).count()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.ends.store(true, SeqCst);
        self.cut();
        // Wakes who listens; an error means that nobody does.
        let _ = TcpStream::connect(self.endpoint.strip_prefix("tcp/").unwrap());
    }
}

fn carry_both_ways(shared: &Arc<Shared>, one: &TcpStream, other: &TcpStream) {
    let copy = |stream: &TcpStream| stream.try_clone().unwrap();
    shared.connections.lock().unwrap().extend([copy(one), copy(other)]);
    for (from, to) in [(one, other), (other, one)] {
        let _ = from.set_read_timeout(Some(LOOK));
        let _ = to.set_nodelay(true);
        let (hand_over, under_way) = channel();
        let (takes, from) = (shared.clone(), copy(from));
        thread::spawn(move || take(&takes, from, &hand_over));
        let (gives, to) = (shared.clone(), copy(to));
        thread::spawn(move || give(&gives, to, &under_way));
    }
}

fn take(shared: &Shared, mut from: TcpStream, hand_over: &Sender<(Instant, Vec<u8>)>) {
    let mut random = Random::from_seed(u64::from(from.peer_addr().map_or(0, |peer| peer.port())));
    let mut bytes = vec![0; 1 << 16];
    while !shared.ends.load(SeqCst) {
        if shared.is_silent.load(SeqCst) {
            thread::sleep(LOOK);
            continue;
        }
        match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(length) => {
                let up_to = shared.delay_us.load(SeqCst) as usize;
                let delay = Duration::from_micros(random.below(up_to + 1) as u64);
                if hand_over.send((Instant::now() + delay, bytes[..length].to_vec())).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = from.shutdown(Shutdown::Both);
}

fn give(shared: &Shared, mut to: TcpStream, under_way: &Receiver<(Instant, Vec<u8>)>) {
    for (due, bytes) in under_way {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        while shared.is_silent.load(SeqCst) && !shared.ends.load(SeqCst) {
            thread::sleep(LOOK);
        }
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
