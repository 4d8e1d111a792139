//! The load: connections that each keep a window of unanswered transfers under way. One thread, so
//! that the same is left for each keeper.

use super::wire::{Wire, refused};
use crate::{HotLoad, StopFlag};
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

/// How long answers may take that are still missing when the time is over.
/// TUNE: s, guessed 2026-11: thousands of transfers, one after another, each with a sync.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came of a load.
pub(super) struct Generated {
    /// Transfers that were acknowledged.
    pub(super) done: u64,
    /// Of these, a second: what was acknowledged later than in time does not count.
    pub(super) per_second: f64,
    pub(super) latency: Latency,
}

/// Sends transfers of a load for so long, or until there are no more, and waits for all answers:
/// the slowest ones count too, and nobody has to guess what the keeper has done.
pub(super) fn generate<W: Wire + Default + 'static>(
    address: SocketAddr,
    load: &HotLoad,
    lasting: Duration,
    stop: &StopFlag,
) -> Result<Generated, BenchError> {
    let runtime_of_one = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let clients = load.of_clients()?;
    let all = async {
        let begin = Arc::new(Barrier::new(clients.len() + 1));
        let new_client = |wanted: Vec<Transfer>| {
            let (begin, window, stop) = (begin.clone(), load.window, stop.clone());
            tokio::spawn(async move {
                let connection = Connection::open(address, W::default()).await;
                begin.wait().await;
                let until = Instant::now() + lasting;
                connection?.transfer(&wanted, window, until, &stop).await
            })
        };
        let clients: Vec<_> = clients.into_iter().map(new_client).collect();
        begin.wait().await;
        let begun = Instant::now();
        let mut latencies = Vec::with_capacity(load.transfers as usize);
        let mut in_time = 0;
        for client in clients {
            let mut made = client.await.map_err(runtime)??;
            latencies.append(&mut made.latencies);
            in_time += made.in_time;
        }
        let elapsed = begun.elapsed().min(lasting);
        let done = latencies.len() as u64;
        let latency = Latency::of(latencies).ok_or_else(|| refused("nothing"))?;
        Ok(Generated { done, per_second: in_time as f64 / elapsed.as_secs_f64(), latency })
    };
    let limit = lasting + PATIENCE;
    let runtime_of_one = runtime_of_one.map_err(runtime)?;
    runtime_of_one.block_on(async {
        let unfinished = |_| BenchError::Unfinished { limit };
        tokio::time::timeout(limit, all).await.map_err(unfinished)?
    })
}

/// What came of one connection.
struct Made {
    /// Of all answers.
    latencies: Vec<u32>,
    /// Answers that came before the time was over.
    in_time: u64,
}

struct Connection<W> {
    stream: TcpStream,
    wire: W,
    to_send: Vec<u8>,
    /// Bytes of these that were sent.
    sent: usize,
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
        let mut connection =
            Self { stream, wire, to_send: Vec::new(), sent: 0, received, taken: 0 };
        let mut answers = connection.wire.greet(&mut connection.to_send);
        while answers > 0 {
            match connection.take_answer()? {
                Some(_) => answers -= 1,
                None => connection.exchange().await?,
            }
        }
        Ok(connection)
    }

    async fn transfer(
        &mut self,
        wanted: &[Transfer],
        window: usize,
        until: Instant,
        stop: &StopFlag,
    ) -> Result<Made, BenchError> {
        let mut wanted = wanted.iter();
        let mut begun: VecDeque<Instant> = VecDeque::with_capacity(window);
        let mut made = Made { latencies: Vec::with_capacity(wanted.len()), in_time: 0 };
        loop {
            let now = Instant::now();
            while begun.len() < window && now < until {
                let Some(transfer) = wanted.next() else { break };
                self.wire.ask(transfer, &mut self.to_send);
                begun.push_back(now);
            }
            if begun.is_empty() {
                return Ok(made);
            }
            self.exchange().await?;
            stop.check()?;
            let now = Instant::now();
            while let Some(verdict) = self.take_answer()? {
                if verdict != Verdict::Done {
                    return Err(refused(format!("{verdict:?}")));
                }
                let begun = begun.pop_front().ok_or_else(|| refused("more than it was asked"))?;
                made.latencies.push(nanoseconds(now - begun));
                made.in_time += u64::from(now <= until);
            }
        }
    }

    /// Sends what is to be sent until something has come. WHY both at once: a keeper whose answers
    /// nobody reads may read nothing either.
    async fn exchange(&mut self) -> Result<(), BenchError> {
        self.received.drain(..self.taken);
        self.taken = 0;
        self.received.reserve(BUFFER);
        let (mut from, mut to) = self.stream.split();
        loop {
            let to_send = &self.to_send[self.sent..];
            tokio::select! {
                biased;
                written = to.write(to_send), if !to_send.is_empty() => {
                    self.sent += written.map_err(failed)?;
                    if self.sent == self.to_send.len() {
                        self.to_send.clear();
                        self.sent = 0;
                    }
                }
                read = from.read_buf(&mut self.received) => {
                    return match read.map_err(failed)? {
                        0 => Err(refused("nothing more")),
                        _ => Ok(()),
                    };
                }
            }
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

    fn generated(
        address: SocketAddr,
        load: &HotLoad,
        lasting: Duration,
    ) -> Result<Generated, BenchError> {
        generate::<PacketWire>(address, load, lasting, &StopFlag::default())
    }

    /// Bytes of an answer.
    const WORDS: usize = 100;

    #[derive(Default)]
    struct Wordy(PacketWire);

    impl Wire for Wordy {
        fn greet(&mut self, to: &mut Vec<u8>) -> usize {
            self.0.greet(to)
        }

        fn ask(&mut self, transfer: &Transfer, to: &mut Vec<u8>) {
            self.0.ask(transfer, to);
        }

        fn answer(&mut self, from: &mut &[u8]) -> Result<Option<Verdict>, BenchError> {
            let Some((_, rest)) = from.split_at_checked(WORDS) else { return Ok(None) };
            *from = rest;
            Ok(Some(Verdict::Done))
        }
    }

    /// Answers more than a connection buffers, and reads nothing before that is taken.
    #[test]
    fn a_keeper_that_waits_for_its_answers_to_be_read_is_not_waited_for() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free one");
        let address = listener.local_addr().expect("it is bound");
        let (clients, window) = (1, 100_000);
        let many = HotLoad { clients, window, transfers: 200_000, ..load() };
        std::thread::spawn(move || {
            use std::io::{Read, Write};
            let (mut connection, _) = listener.accept().expect("somebody comes");
            let mut bytes = vec![0; 65 * 1000];
            while connection.read_exact(&mut bytes).is_ok() {
                connection.write_all(&[0; 1000 * WORDS]).expect("it is read");
            }
        });
        let lasting = Duration::from_secs(60);
        let all = generate::<Wordy>(address, &many, lasting, &StopFlag::default());
        assert_eq!(all.expect("it is served").done, 200_000);
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
        let all = generated(address, &load(), Duration::from_secs(60)).expect("it is served");
        assert!(all.done == 1_000 && all.per_second > 0.0);
        let made = || ledger.ask(ToLedger::Audit).wait().expect("it answers").transfers;
        assert_eq!(made(), 1_000);

        let long = HotLoad { transfers: 100_000, ..load() };
        let done = generated(address, &long, Duration::from_millis(50)).expect("it is served").done;
        assert!((1..100_000).contains(&done), "{done}");
        assert_eq!(made(), 1_000 + done, "all that was sent is answered");

        let stop = StopFlag::default();
        stop.raise();
        let stopped = generate::<PacketWire>(address, &long, Duration::from_secs(60), &stop);
        assert_eq!(
            stopped.map(|all| all.done).expect_err("it is told to").to_string(),
            "interrupted"
        );
    }

    #[test]
    fn who_is_not_there_is_an_error() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free one");
        let address = free.local_addr().expect("it is bound");
        drop(free);
        let generated = generated(address, &load(), Duration::from_secs(1));
        assert!(matches!(generated.map(|all| all.done), Err(BenchError::Lost(_))));
    }
}
