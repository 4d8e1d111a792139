//! Where a test listens.

use std::fmt::Debug;
use std::net::TcpListener;

/// How often a port is tried: somebody else may take it before it is used.
const TRIALS: usize = 20;

/// A port of the loopback interface that nobody uses at this moment.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Has `open` listen at a free port. Answers where, and what it has opened.
#[track_caller]
pub fn listening<T, E: Debug>(open: impl Fn(&str) -> Result<T, E>) -> (String, T) {
    let mut last = None;
    for _ in 0..TRIALS {
        let endpoint = format!("tcp/127.0.0.1:{}", free_port());
        match open(&endpoint) {
            Ok(opened) => return (endpoint, opened),
            Err(error) => last = Some(error),
        }
    }
    panic!("nobody can listen: {last:?}");
}
