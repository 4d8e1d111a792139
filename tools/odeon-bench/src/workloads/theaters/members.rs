//! Who takes part in a run beside the driving process.

use super::place::{JoinedTheater, LIMIT};
use super::seat::{Role, Seat, Working};
use super::{MEMBER, MEMBERS, THREADS};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::theater::runtime;
use odeon::prelude::*;
use odeon_example_run::child_process::ChildProcess;
use std::fmt::Display;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// How often a run is set up anew, with other ports: somebody may take a port between its choice
/// and its use.
const ATTEMPTS: usize = 3;

/// TUNE: ms, guessed 2026-11: rare enough not to count, often enough for who waits.
const BETWEEN_CHECKS: Duration = Duration::from_millis(100);

/// The members of a run, which end when this is dropped.
pub(super) struct Members {
    members: Vec<HostedMember>,
    /// Of the driving process, which takes part as number 0.
    pub(super) seat: Seat,
}

enum HostedMember {
    Process(ChildProcess),
    Thread(#[expect(dead_code, reason = "is there to be dropped")] Working),
}

/// Starts `count` members of a role, which all reach each other and the driving process, and has
/// `join` let the latter take part. What `join` answers stands last, so that it is dropped before
/// the members.
pub(super) fn gather<T>(
    params: &Params,
    role: Role,
    count: usize,
    join: impl Fn(&Seat, &[String]) -> Result<T, BenchError>,
) -> Result<(Members, T), BenchError> {
    let mut attempts = 1;
    loop {
        let gathered = Members::start(params, role, count).and_then(|(members, addresses)| {
            let joined = join(&members.seat, &addresses)?;
            Ok((members, joined))
        });
        match gathered {
            Err(BenchError::Runtime(_)) if attempts < ATTEMPTS => attempts += 1,
            gathered => return gathered,
        }
    }
}

impl Members {
    fn start(params: &Params, role: Role, count: usize) -> Result<(Self, Vec<String>), BenchError> {
        let cluster = new_cluster();
        let ports = free_ports(count).map_err(runtime)?;
        let endpoints: Vec<_> = ports.iter().map(|port| format!("tcp/127.0.0.1:{port}")).collect();
        let seats = (0..count).map(|index| Seat {
            role,
            number: index as u64 + 1,
            cluster: cluster.clone(),
            listen: vec![endpoints[index].clone()],
            connect: endpoints[..index].to_vec(),
        });
        let mut members = Vec::new();
        let mut addresses = Vec::new();
        for seat in seats {
            // One after another, as each connects to those before it.
            let (member, address) = if params.word(MEMBERS.name) == THREADS {
                let working = seat.take()?;
                let address = working.address.clone();
                (HostedMember::Thread(working), address)
            } else {
                let name = format!("member {}", seat.number);
                let mut process = ChildProcess::start(name, MEMBER, &seat)?;
                let address = process.ready()?;
                (HostedMember::Process(process), address)
            };
            members.push(member);
            addresses.push(address);
        }
        let seat = Seat { role, number: 0, cluster, listen: Vec::new(), connect: endpoints };
        Ok((Self { members, seat }, addresses))
    }

    /// An error if one has ended.
    pub(super) fn check(&mut self) -> Result<(), BenchError> {
        self.members.iter_mut().try_for_each(|member| match member {
            HostedMember::Process(process) => process.check(),
            HostedMember::Thread(_) => Ok(()),
        })
    }

    /// What is sent to the driving thread; an error once a member has ended, or after too long a
    /// time.
    pub(super) fn receive<T>(&mut self, told: &Receiver<T>) -> Result<T, BenchError> {
        let begun = Instant::now();
        loop {
            match told.recv_timeout(BETWEEN_CHECKS) {
                Ok(what) => return Ok(what),
                Err(_) if begun.elapsed() > LIMIT => {
                    return Err(BenchError::Unfinished { limit: LIMIT });
                }
                Err(_) => self.check()?,
            }
        }
    }

    /// The answer of a member.
    pub(super) fn answer<T: Send + 'static>(&mut self, ask: Ask<T>) -> Result<T, BenchError> {
        ask.wait_timeout(LIMIT).map_err(|error| self.cause(error))
    }

    /// Why something failed: because a member has ended, if one has.
    pub(super) fn cause(&mut self, error: impl Display) -> BenchError {
        self.check().err().unwrap_or_else(|| runtime(error))
    }
}

/// Starts theaters, joins them with one of the driving process, and waits until all know each
/// other.
pub(super) fn theaters(
    params: &Params,
    count: usize,
) -> Result<(Members, JoinedTheater), BenchError> {
    let workers = params.count("workers");
    let (mut members, place) = gather(params, Role::Theater { workers }, count, |seat, _| {
        JoinedTheater::open(seat, workers)
    })?;
    place.meet(count, || members.check())?;
    Ok((members, place))
}

/// No other run has it.
fn new_cluster() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    // ORDERING: Relaxed, as only the numbers have to differ.
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("bench-{}-{run}", std::process::id())
}

/// Ports that nobody uses at this moment.
fn free_ports(count: usize) -> std::io::Result<Vec<u16>> {
    let bind = |_| TcpListener::bind("127.0.0.1:0");
    // All are held until the last is found, so that they differ.
    let held: Vec<TcpListener> = (0..count).map(bind).collect::<Result<_, _>>()?;
    held.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}
