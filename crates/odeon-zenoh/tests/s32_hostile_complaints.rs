//! S32: who hears of connections that come to nothing may panic, come back into networks, leave
//! them, and wait.

use odeon_core::Theater;
use odeon_theater::Network;
use odeon_zenoh::{Complaint, ZenohSettings, hear_complaints, join};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

static HEARD: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicUsize = AtomicUsize::new(0);
static PLACE: Mutex<Option<(Theater, Network)>> = Mutex::new(None);

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Panics with what panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        resume_unwind(Box::new("hostile"));
    }
}

fn hostile(complaint: &Complaint) {
    match HEARD.fetch_add(1, SeqCst) {
        0 => resume_unwind(Box::new(Bomb)),
        1 => {
            let place = PLACE.lock().unwrap();
            let (theater, network) = place.as_ref().unwrap();
            assert_eq!(network.overview().theater, network.id());
            assert!(network.members().is_empty() && network.refused().is_empty());
            assert!(!hear_complaints(|_| {}), "one can be heard by");
            // A session is opened and closed.
            drop(join(theater, "another", &ZenohSettings::default()).unwrap());
        }
        2 => {
            let (_theater, network) = PLACE.lock().unwrap().take().unwrap();
            network.leave(Duration::from_millis(10));
        }
        // Waits for what comes meanwhile.
        3 => until("others are let in meanwhile", || PLACE.lock().unwrap().is_some()),
        _ => panic!("{complaint}"),
    }
    DONE.fetch_add(1, SeqCst);
}

fn endpoint() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("127.0.0.1:{port}")
}

/// Listens there, and has who speaks no Zenoh connect, so that there is something to complain of,
/// another one each time.
fn place(endpoint: &str) -> (Theater, Network) {
    let theater = Theater::builder().workers(1).build().unwrap();
    let settings = ZenohSettings { listen: vec![format!("tcp/{endpoint}")], ..Default::default() };
    let network = join(&theater, "hostile", &settings).unwrap();
    (theater, network)
}

fn rubbish(endpoint: &str, bytes: &[u8]) {
    let mut stream = TcpStream::connect(endpoint).unwrap();
    // Who is not understood may have been cut off already.
    let _ = stream.write_all(bytes);
}

#[test]
fn s32_who_hears_complaints_may_do_anything() {
    let at = endpoint();
    *PLACE.lock().unwrap() = Some(place(&at));
    assert!(hear_complaints(|complaint| hostile(&complaint)));
    // A panic, a visit, and the end of what is complained of.
    let kinds: [&[u8]; 3] = [b"GET / HTTP/1.1\r\n\r\n", &[3, 0, 1, 2, 3], &[200, 0, 7, 7, 7]];
    let mut done = 0;
    for (number, bytes) in kinds.into_iter().enumerate() {
        until("the one before is done", || DONE.load(SeqCst) == done);
        let begun = Instant::now();
        while HEARD.load(SeqCst) == number {
            rubbish(&at, bytes);
            thread::sleep(Duration::from_millis(20));
            assert!(begun.elapsed() < LONG, "complaint {number} does not come");
        }
        done += usize::from(number > 0);
    }
    until("it has left", || DONE.load(SeqCst) == 2);
    let begun = Instant::now();
    until("the network is gone", || TcpStream::connect(&at).is_err());
    assert!(begun.elapsed() < Duration::from_secs(7));
    // One that waits.
    let at = endpoint();
    let (theater, first) = place(&at);
    let other =
        ZenohSettings { connect: vec![format!("tcp/{}", endpoint())], ..Default::default() };
    let nobody = join(&theater, "hostile", &other).unwrap();
    until("the fourth is heard", || HEARD.load(SeqCst) == 4);
    let meets = ZenohSettings { connect: vec![format!("tcp/{at}")], ..Default::default() };
    let second = join(&theater, "hostile", &meets).unwrap();
    until("they meet, whoever waits", || first.members().len() == 1 && second.members().len() == 1);
    drop(nobody);
    *PLACE.lock().unwrap() = Some((theater, first));
    until("it is done", || DONE.load(SeqCst) == 3);
}
