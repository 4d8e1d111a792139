//! Runs the benchmark workloads on another actor runtime or transactional memory, named by the only
//! argument.
//!
//! Prints one line about itself, then answers each request line on standard input with one line on
//! standard output, until the input ends. What a request may hold is in `session.rs`.
//!
//! | File | What it holds |
//! |---|---|
//! | `session.rs` | one request in, one answer out |
//! | `params.rs` | each workload's parameters, their defaults and ranges |
//! | `peer.rs` | what a peer must bring |
//! | `tokio_tasks/`, `kameo_actors/`, `ractor_actors/` | the peers, one file for each workload |
//! | `transactions/` | the transactional memories, and what they share |
//! | `host.rs`, `end_signal.rs` | the runtime under the peers, and how a sample ends |
//! | `memory.rs` | what the operating system says about memory |
//! | the others | what the three implementations of one workload must have in common |

#![forbid(unsafe_code)]

mod balance_askers;
mod bank_transfers;
mod colour;
mod end_signal;
mod host;
mod kameo_actors;
mod list_requests;
mod memory;
mod params;
mod peer;
mod ractor_actors;
mod session;
mod sorted_list;
mod splitmix;
mod throughput;
mod tokio_tasks;
mod transactions;
mod work;
mod xorshift;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde::Serialize;

use peer::Peer;
use session::Session;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let chosen = match (arguments.next().as_deref(), arguments.next()) {
        (Some("tokio"), None) => Peer::Runtime(tokio_tasks::RUNTIME),
        (Some("kameo"), None) => Peer::Runtime(kameo_actors::RUNTIME),
        (Some("ractor"), None) => Peer::Runtime(ractor_actors::RUNTIME),
        (Some("stm"), None) => Peer::Memory(transactions::STM),
        (Some("fast-stm"), None) => Peer::Memory(transactions::FAST_STM),
        _ => {
            complain("usage: odeon-peers tokio|kameo|ractor|stm|fast-stm");
            return ExitCode::from(2);
        }
    };
    match serve(chosen) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody asks any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("odeon-peers: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// To the standard error; whether anybody reads it does not matter.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

/// What the program says about itself before the first request.
#[derive(Serialize)]
struct Greeting {
    r#impl: &'static str,
    version: &'static str,
    allocator: &'static str,
    rustc: &'static str,
}

fn serve(peer: Peer) -> io::Result<()> {
    let mut answers = io::stdout().lock();
    let greeting = Greeting {
        r#impl: peer.name(),
        version: peer.version(),
        allocator: "system",
        rustc: env!("ODEON_PEERS_RUSTC"),
    };
    write_line(&mut answers, &greeting)?;

    let mut session = Session::new(peer);
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if !line.trim_ascii().is_empty() {
            write_line(&mut answers, &session.answer(&line))?;
        }
    }
    Ok(())
}

fn write_line(answers: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *answers, line)?;
    answers.write_all(b"\n")?;
    answers.flush()
}
