//! SQLite behind the packets of `examples/ledger-server`: one thread makes all transfers that wait
//! one transaction, and answers when that is on the disk. So the price of a sync is shared, as in
//! the log of a durable actor.

use crate::load::BALANCE;
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Books, Transfer, Verdict};
use odeon_example_ledger_server::packets::{LedgerRequest, write_books, write_verdict};
use odeon_example_run::runtime;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Requests of all connections that wait.
/// TUNE: guessed 2026-11: more than all windows together.
const WAITING: usize = 65_536;

/// Transfers of one transaction at most.
/// TUNE: guessed 2026-11: more than all windows together, so that it does not matter.
const TOGETHER: usize = 16_384;

const BUFFER: usize = 64 * 1024;

const SCHEMA: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA cache_size = -262144;
CREATE TABLE accounts (number INTEGER PRIMARY KEY, balance INTEGER NOT NULL, memo BLOB);
CREATE TABLE totals (transfers INTEGER NOT NULL);
INSERT INTO totals VALUES (0);
";

pub(super) fn version() -> String {
    format!("SQLite {}", rusqlite::version())
}

/// A request, and where the bytes of its answer go.
type Waiting = (LedgerRequest, UnboundedSender<Vec<u8>>);

/// The thread that has the file.
#[derive(Clone)]
pub(super) struct SqliteKeeper(SyncSender<Waiting>);

/// Makes a new ledger in a folder.
pub(super) fn begin(folder: &Path, accounts: u32) -> Result<SqliteKeeper, BenchError> {
    let mut file = Connection::open(folder.join("ledger.sqlite")).map_err(runtime)?;
    file.execute_batch(SCHEMA).map_err(runtime)?;
    fill(&mut file, accounts).map_err(runtime)?;
    let (ask, asked) = sync_channel(WAITING);
    thread::spawn(move || keep(file, &asked));
    Ok(SqliteKeeper(ask))
}

fn fill(file: &mut Connection, accounts: u32) -> rusqlite::Result<()> {
    let filling = file.transaction()?;
    let mut insert = filling.prepare("INSERT INTO accounts VALUES (?1, ?2, NULL)")?;
    (0..accounts)
        .try_for_each(|number| insert.execute(params![number, BALANCE as i64]).map(drop))?;
    drop(insert);
    filling.commit()
}

/// Answers what comes, until nobody asks, or the file fails: connections end then.
fn keep(mut file: Connection, asked: &Receiver<Waiting>) {
    file.set_prepared_statement_cache_capacity(16);
    while let Ok(first) = asked.recv() {
        let waiting = std::iter::once(first).chain(asked.try_iter()).take(TOGETHER);
        let Ok(answers) = answer(&mut file, waiting) else { return };
        for (to, bytes) in answers {
            // A client that has gone needs no answer.
            let _ = to.send(bytes);
        }
    }
}

/// Of each client in turn: where its bytes go, and which these are.
type Answers = Vec<(UnboundedSender<Vec<u8>>, Vec<u8>)>;

fn answer(
    file: &mut Connection,
    waiting: impl Iterator<Item = Waiting>,
) -> rusqlite::Result<Answers> {
    let together = file.transaction()?;
    let mut answers = Answers::new();
    let mut done = 0_i64;
    for (request, to) in waiting {
        let mut bytes = Vec::new();
        match request {
            LedgerRequest::Transfer(wanted) => {
                let verdict = transfer(&together, &wanted)?;
                done += i64::from(verdict == Verdict::Done);
                write_verdict(verdict, &mut bytes);
            }
            LedgerRequest::Audit => {
                let sum: i64 =
                    together
                        .query_row("SELECT sum(balance) FROM accounts", [], |row| row.get(0))?;
                let before: i64 =
                    together.query_row("SELECT transfers FROM totals", [], |row| row.get(0))?;
                let books = Books { sum: sum as u64, transfers: (before + done) as u64 };
                write_books(books, &mut bytes);
            }
            LedgerRequest::Look(_) => {}
        }
        match answers.last_mut() {
            Some((last, more)) if last.same_channel(&to) => more.append(&mut bytes),
            _ => answers.push((to, bytes)),
        }
    }
    together.execute("UPDATE totals SET transfers = transfers + ?1", [done])?;
    together.commit()?;
    Ok(answers)
}

fn transfer(file: &Connection, wanted: &Transfer) -> rusqlite::Result<Verdict> {
    let mut balance = file.prepare_cached("SELECT balance FROM accounts WHERE number = ?1")?;
    let mut of = |number: u32| balance.query_row([number], |row| row.get::<_, i64>(0)).optional();
    let (Some(from), Some(_)) = (of(wanted.from)?, of(wanted.to)?) else {
        return Ok(Verdict::NoAccount);
    };
    let amount = wanted.amount as i64;
    if from < amount {
        return Ok(Verdict::NotCovered);
    }
    file.prepare_cached("UPDATE accounts SET balance = balance - ?2, memo = ?3 WHERE number = ?1")?
        .execute(params![wanted.from, amount, &wanted.to_bytes()[16..]])?;
    file.prepare_cached("UPDATE accounts SET balance = balance + ?2 WHERE number = ?1")?
        .execute(params![wanted.to, amount])?;
    Ok(Verdict::Done)
}

impl SqliteKeeper {
    /// Serves whoever connects.
    pub(super) async fn serve(self, listener: TcpListener) {
        while let Ok((connection, _)) = listener.accept().await {
            let _ = connection.set_nodelay(true);
            tokio::spawn(self.clone().serve_one(connection));
        }
    }

    async fn serve_one(self, connection: TcpStream) {
        let (from, mut to) = connection.into_split();
        let (answer, mut answers) = unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(bytes) = answers.recv().await {
                if to.write_all(&bytes).await.is_err() {
                    return;
                }
            }
        });
        let mut from = BufReader::with_capacity(BUFFER, from);
        while let Ok(Some(request)) = LedgerRequest::read(&mut from).await {
            // It has room for all windows together.
            if self.0.try_send((request, answer.clone())).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::in_a_folder;
    use odeon_example_ledger::Memo;

    #[test]
    fn transfers_that_wait_are_one_transaction_and_answered_in_their_order() {
        let answered = in_a_folder(&std::env::temp_dir(), |folder| {
            let keeper = begin(folder, 3)?;
            let (answer, mut answers) = unbounded_channel();
            let transfer = |from, to, amount| {
                let memo = Memo::default();
                LedgerRequest::Transfer(Transfer { from, to, amount, memo })
            };
            let wanted = [transfer(0, 1, 5), transfer(0, 1, BALANCE), transfer(0, 3, 1)];
            for request in wanted.into_iter().chain([LedgerRequest::Audit]) {
                keeper.0.send((request, answer.clone())).expect("it listens");
            }
            drop((keeper, answer));
            let mut bytes = Vec::new();
            while let Some(more) = answers.blocking_recv() {
                bytes.extend(more);
            }
            Ok(bytes)
        });
        let mut expected = vec![0, 1, 2];
        write_books(Books { sum: 3 * BALANCE, transfers: 1 }, &mut expected);
        assert_eq!(answered.expect("it is kept"), expected);
    }
}
