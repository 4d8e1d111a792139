//! Clients that send packets.

use crate::packets::{LedgerRequest, write_books, write_state, write_verdict};
use futures_util::FutureExt;
use odeon::{ActorRef, Ask, AskError};
use odeon_example_ledger::{AccountState, Books, ToLedger, Verdict};
use std::io::Result;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Requests of one connection that are not answered, beyond which no more are read.
/// TUNE: guessed 2026-11: more than a disk leaves unanswered at a million transfers a second that
/// some clients share.
const UNANSWERED: usize = 8192;

/// Bytes that are read or written at once.
/// TUNE: guessed 2026-11: about a thousand transfers.
const BUFFER: usize = 64 * 1024;

/// How long nobody else is let in after somebody could not be.
/// TUNE: guessed 2026-11: short for who waits, long beside what it costs to try in vain.
const AFTER_REFUSAL: Duration = Duration::from_millis(50);

/// Serves whoever connects, until the task ends that this is in.
pub async fn serve(listener: TcpListener, ledger: ActorRef<ToLedger>) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                // An error means that it has gone again.
                let _ = connection.set_nodelay(true);
                tokio::spawn(serve_one(connection, ledger.clone()));
            }
            // It has gone again, or there are more than the system permits: some will go.
            Err(_) => tokio::time::sleep(AFTER_REFUSAL).await,
        }
    }
}

/// What is to be answered, in the order of the requests.
enum Answer {
    Transfer(Ask<Verdict>),
    Look(Ask<Option<AccountState>>),
    Audit(Ask<Books>),
}

async fn serve_one(connection: TcpStream, ledger: ActorRef<ToLedger>) {
    let (from, to) = connection.into_split();
    let (begun, answers) = channel(UNANSWERED);
    let answering = tokio::spawn(answer(answers, to));
    // Either way the client sees that the connection ends, behind what was answered.
    let _ = ask(from, &ledger, begun).await;
    let _ = answering.await;
}

/// Asks the ledger what the client asks, until that says nothing more, or takes no answers.
async fn ask(
    from: OwnedReadHalf,
    ledger: &ActorRef<ToLedger>,
    begun: Sender<Answer>,
) -> Result<()> {
    let mut from = BufReader::with_capacity(BUFFER, from);
    while let Some(request) = LedgerRequest::read(&mut from).await? {
        let answer = match request {
            LedgerRequest::Transfer(transfer) => {
                Answer::Transfer(ledger.ask(|done| ToLedger::Transfer(transfer, done)))
            }
            LedgerRequest::Look(account) => {
                Answer::Look(ledger.ask(|found| ToLedger::Look(account, found)))
            }
            LedgerRequest::Audit => Answer::Audit(ledger.ask(ToLedger::Audit)),
        };
        if begun.send(answer).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Writes what the ledger has answered; ends at the first question that fails.
async fn answer(mut answers: Receiver<Answer>, mut to: OwnedWriteHalf) -> Result<()> {
    let mut bytes = Vec::with_capacity(BUFFER);
    loop {
        // What is answered goes out before there is anything to wait for.
        let next = match answers.try_recv() {
            Ok(next) => next,
            Err(_) => {
                write_out(&mut bytes, &mut to).await?;
                let Some(next) = answers.recv().await else { return Ok(()) };
                next
            }
        };
        let answered = match next {
            Answer::Transfer(ask) => {
                let verdict = answered(ask, &mut bytes, &mut to).await?;
                verdict.map(|verdict| write_verdict(verdict, &mut bytes))
            }
            Answer::Look(ask) => {
                let state = answered(ask, &mut bytes, &mut to).await?;
                state.map(|state| write_state(state, &mut bytes))
            }
            Answer::Audit(ask) => {
                let books = answered(ask, &mut bytes, &mut to).await?;
                books.map(|books| write_books(books, &mut bytes))
            }
        };
        if answered.is_err() {
            write_out(&mut bytes, &mut to).await?;
            return to.shutdown().await;
        }
        if bytes.len() >= BUFFER {
            write_out(&mut bytes, &mut to).await?;
        }
    }
}

async fn answered<T: Send + 'static>(
    mut ask: Ask<T>,
    bytes: &mut Vec<u8>,
    to: &mut OwnedWriteHalf,
) -> Result<std::result::Result<T, AskError>> {
    if let Some(answered) = (&mut ask).now_or_never() {
        return Ok(answered);
    }
    write_out(bytes, to).await?;
    Ok(ask.await)
}

async fn write_out(bytes: &mut Vec<u8>, to: &mut OwnedWriteHalf) -> Result<()> {
    let written = to.write_all(bytes).await;
    bytes.clear();
    written
}
