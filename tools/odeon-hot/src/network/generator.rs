//! The load: connections that each keep a window of unanswered transfers under way. One thread, so
//! that the same is left for each keeper.

use super::wire::{Wire, refused};
use crate::HotLoad;
use odeon_bench::error::BenchError;
use odeon_bench::latency::{Latency, nanoseconds};
use odeon_example_ledger::{Transfer, Verdict};
use odeon_example_run::runtime;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

/// Bytes that are read at once.
/// TUNE: guessed 2026-11: the answers of a window by the wordiest protocol.
const BUFFER: usize = 64 * 1024;

/// What came of a load.
pub(super) struct Generated {
    /// Transfers that were acknowledged.
    pub(super) done: u64,
    pub(super) elapsed: Duration,
    pub(super) latency: Latency,
}

/// Sends transfers of a load for so long, or until there are no more.
pub(super) fn generate<W: Wire + Default + 'static>(
    address: SocketAddr,
    load: &HotLoad,
    lasting: Duration,
) -> Result<Generated, BenchError> {
    let runtime_of_one = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let clients = load.of_clients()?;
    let all = async {
        let begin = Arc::new(Barrier::new(clients.len() + 1));
        let new_client = |wanted: Vec<Transfer>| {
            let (begin, window) = (begin.clone(), load.window);
            tokio::spawn(async move {
                let connection = Connection::open(address, W::default()).await;
                begin.wait().await;
                let (mut connection, mut took) = (connection?, Vec::with_capacity(wanted.len()));
                let transferring = connection.transfer(&wanted, window, &mut took);
                match tokio::time::timeout(lasting, transferring).await {
                    Ok(Err(error)) => Err(error),
                    Ok(Ok(())) | Err(_) => Ok(took),
                }
            })
        };
        let clients: Vec<_> = clients.into_iter().map(new_client).collect();
        begin.wait().await;
        let begun = Instant::now();
        let mut latencies = Vec::with_capacity(load.transfers as usize);
        for client in clients {
            latencies.append(&mut client.await.map_err(runtime)??);
        }
        let (elapsed, done) = (begun.elapsed(), latencies.len() as u64);
        let latency = Latency::of(latencies).ok_or_else(|| refused("nothing"))?;
        Ok(Generated { done, elapsed, latency })
    };
    runtime_of_one.map_err(runtime)?.block_on(all)
}

struct Connection<W> {
    stream: TcpStream,
    wire: W,
    to_send: Vec<u8>,
    received: Vec<u8>,
    /// Bytes of these that are answers which were taken.
    taken: usize,
}

fn failed(error: std::io::Error) -> BenchError {
    BenchError::Lost(format!("the keeper of the ledger: {error}"))
}

impl<W: Wire> Connection<W> {
    async fn open(address: SocketAddr, wire: W) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(address).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let received = Vec::with_capacity(BUFFER);
        let mut connection = Self { stream, wire, to_send: Vec::new(), received, taken: 0 };
        let mut answers = connection.wire.greet(&mut connection.to_send);
        connection.send().await?;
        while answers > 0 {
            match connection.take_answer()? {
                Some(_) => answers -= 1,
                None => connection.receive().await?,
            }
        }
        Ok(connection)
    }

    /// Makes transfers, and tells how long each took, while it is polled.
    async fn transfer(
        &mut self,
        wanted: &[Transfer],
        window: usize,
        took: &mut Vec<u32>,
    ) -> Result<(), BenchError> {
        let mut wanted = wanted.iter();
        let mut begun: VecDeque<Instant> = VecDeque::with_capacity(window);
        loop {
            let now = Instant::now();
            while begun.len() < window {
                let Some(transfer) = wanted.next() else { break };
                self.wire.ask(transfer, &mut self.to_send);
                begun.push_back(now);
            }
            if begun.is_empty() {
                return Ok(());
            }
            self.send().await?;
            self.receive().await?;
            let now = Instant::now();
            while let Some(verdict) = self.take_answer()? {
                if verdict != Verdict::Done {
                    return Err(refused(format!("{verdict:?}")));
                }
                let begun = begun.pop_front().ok_or_else(|| refused("more than it was asked"))?;
                took.push(nanoseconds(now - begun));
            }
        }
    }

    async fn send(&mut self) -> Result<(), BenchError> {
        self.stream.write_all(&self.to_send).await.map_err(failed)?;
        self.to_send.clear();
        Ok(())
    }

    /// Waits for more bytes.
    async fn receive(&mut self) -> Result<(), BenchError> {
        self.received.drain(..self.taken);
        self.taken = 0;
        self.received.reserve(BUFFER);
        match self.stream.read_buf(&mut self.received).await.map_err(failed)? {
            0 => Err(refused("nothing more")),
            _ => Ok(()),
        }
    }

    fn take_answer(&mut self) -> Result<Option<Verdict>, BenchError> {
        let mut rest = &self.received[self.taken..];
        let answer = self.wire.answer(&mut rest)?;
        self.taken = self.received.len() - rest.len();
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::BALANCE;
    use crate::network::packet_wire::PacketWire;
    use odeon::prelude::*;
    use odeon_example_ledger::{ToLedger, TransferLedger};
    use odeon_example_ledger_server::serve;
    use odeon_example_run::theater_with;
    use tokio::net::TcpListener;

    fn load() -> HotLoad {
        HotLoad { accounts: 100, clients: 3, window: 7, transfers: 1_000, ..HotLoad::default() }
    }

    #[test]
    fn all_transfers_are_made_or_as_many_as_there_is_time_for() {
        let executor = tokio::runtime::Runtime::new().expect("it starts");
        let listener = executor.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free one");
        let address = listener.local_addr().expect("it is bound");
        let theater = theater_with(1).expect("it starts");
        let ledger = TransferLedger::new(load().accounts, BALANCE);
        let ledger = theater.spawn_speculative(ledger, Processing::default()).actor_ref();
        executor.spawn(serve(listener, ledger.clone()));
        let generated = generate::<PacketWire>(address, &load(), Duration::from_secs(60));
        let generated = generated.expect("it is served");
        assert_eq!(generated.done, 1_000);
        let books = ledger.ask(ToLedger::Audit).wait().expect("it answers");
        assert_eq!(books.transfers, 1_000);

        let long = HotLoad { transfers: 1_000_000, ..load() };
        let generated = generate::<PacketWire>(address, &long, Duration::from_millis(50));
        let done = generated.expect("it is served").done;
        assert!((1..1_000_000).contains(&done), "{done}");
    }

    #[test]
    fn who_is_not_there_is_an_error() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free one");
        let address = free.local_addr().expect("it is bound");
        drop(free);
        let generated = generate::<PacketWire>(address, &load(), Duration::from_secs(1));
        assert!(matches!(generated.map(|all| all.done), Err(BenchError::Lost(_))));
    }
}
