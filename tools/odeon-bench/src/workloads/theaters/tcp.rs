//! A floor: a TCP connection with nothing above it.

use super::payload::{NUMBER as TOKEN, number_of};
use super::place::LIMIT;
use crate::error::BenchError;
use crate::theater::runtime;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// TUNE: ms, guessed 2026-11: how long an end may wait.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The far end: sends back what comes on its first connection, until that is closed or this is
/// dropped.
pub(super) struct Echo {
    pub(super) address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    pub(super) fn open() -> Result<Self, BenchError> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(runtime)?;
        let address = listener.local_addr().map_err(runtime)?;
        listener.set_nonblocking(true).map_err(runtime)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread = std::thread::spawn(move || {
            // An error shows at the other end, as the end of the connection does.
            let _ = accept(&listener, &over).and_then(|stream| send_back(stream, &over));
        });
        Ok(Self { address, is_over, thread: Some(thread) })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        // ORDERING: Relaxed, as nothing is read but the flag.
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, is_over: &AtomicBool) -> std::io::Result<TcpStream> {
    loop {
        match listener.accept() {
            Err(error) if waits(&error) && !over(is_over) => std::thread::sleep(BETWEEN_LOOKS),
            accepted => return accepted.map(|(stream, _)| stream),
        }
    }
}

fn send_back(mut stream: TcpStream, is_over: &AtomicBool) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(BETWEEN_LOOKS))?;
    let mut bytes = vec![0; 1 << 16];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(come) => stream.write_all(&bytes[..come])?,
            Err(error) if waits(&error) && !over(is_over) => {}
            Err(error) => return Err(error),
        }
    }
}

fn waits(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn over(flag: &AtomicBool) -> bool {
    // ORDERING: Relaxed, as in `drop`.
    flag.load(Ordering::Relaxed)
}

/// The near end.
pub(super) struct Caller(TcpStream);

impl Caller {
    pub(super) fn connect(address: &str) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(address).map_err(runtime)?;
        stream.set_nodelay(true).map_err(runtime)?;
        stream.set_read_timeout(Some(LIMIT)).map_err(runtime)?;
        Ok(Self(stream))
    }

    /// One token there and back.
    pub(super) fn round_trip(&mut self, token: u64) -> Result<(), BenchError> {
        let mut back = [0; TOKEN];
        self.0.write_all(&token.to_le_bytes()).map_err(runtime)?;
        self.0.read_exact(&mut back).map_err(runtime)?;
        let back = u64::from_le_bytes(back);
        let wrong = || BenchError::WrongResult(format!("{back} came back for {token}"));
        (back == token).then_some(()).ok_or_else(wrong)
    }

    /// So many tokens at once, each so often there and back; tokens that have come together go
    /// together.
    pub(super) fn round_trips(&mut self, tokens: usize, trips: u64) -> Result<(), BenchError> {
        let mut going: Vec<u8> = trips.to_le_bytes().repeat(tokens);
        let mut left = vec![0; 1 << 16];
        let (mut begun, mut missing) = (0, tokens as u64 * trips);
        while missing > 0 {
            self.0.write_all(&going).map_err(runtime)?;
            going.clear();
            let come = self.0.read(&mut left[begun..]).map_err(runtime)?;
            if come == 0 {
                return Err(BenchError::WrongResult("the connection ended".to_owned()));
            }
            let end = begun + come;
            let whole = end - end % TOKEN;
            for token in left[..whole].chunks_exact(TOKEN) {
                let trips = number_of(token).and_then(|trips| trips.checked_sub(1));
                let wrong = || BenchError::WrongResult("a token came back too often".to_owned());
                let trips = trips.ok_or_else(wrong)?;
                missing = missing.saturating_sub(1);
                if trips > 0 {
                    going.extend(trips.to_le_bytes());
                }
            }
            left.copy_within(whole..end, 0);
            begun = end - whole;
        }
        Ok(())
    }
}
