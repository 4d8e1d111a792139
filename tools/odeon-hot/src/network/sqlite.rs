//! SQLite behind the packets of `examples/ledger-server`: one thread makes all transfers that wait
//! one transaction, and answers when that is on the disk. So the price of a sync is shared, as in
//! the log of a durable actor.

use crate::load::BALANCE;
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Books, Transfer, Verdict};
use odeon_example_ledger_server::packets::{LedgerRequest, write_books, write_verdict};
use odeon_example_run::runtime;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Transfers of one transaction at most.
/// TUNE: guessed 2026-11: more than all windows together, so that it does not matter.
const TOGETHER: usize = 16_384;

const BUFFER: usize = 64 * 1024;

/// TUNE: pages until a checkpoint, measured 2026-11 on ext4: a commit of 8,192 transfers takes 12
/// ms with 20,000, and 20 to 35 ms with the 1,000 that SQLite begins with.
const SETTINGS: &str = "
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -262144;
PRAGMA wal_autocheckpoint = 20000;
";

const SCHEMA: &str = "
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
pub(super) struct SqliteKeeper(Sender<Waiting>);

/// Opens the ledger of a folder, or makes a new one there.
pub(super) fn begin(folder: &Path, accounts: u32) -> Result<SqliteKeeper, BenchError> {
    let path = folder.join("ledger.sqlite");
    let is_new = !path.exists();
    let mut file = Connection::open(path).map_err(runtime)?;
    file.execute_batch(SETTINGS).map_err(runtime)?;
    if is_new {
        fill(&mut file, accounts).map_err(runtime)?;
    }
    let (ask, asked) = channel();
    thread::spawn(move || keep(file, &asked));
    Ok(SqliteKeeper(ask))
}

fn fill(file: &mut Connection, accounts: u32) -> rusqlite::Result<()> {
    file.execute_batch(SCHEMA)?;
    let filling = file.transaction()?;
    let mut insert = filling.prepare("INSERT INTO accounts VALUES (?1, ?2, zeroblob(48))")?;
    (0..accounts)
        .try_for_each(|number| insert.execute(params![number, BALANCE as i64]).map(drop))?;
    drop(insert);
    filling.commit()
}

/// Answers what comes, until nobody asks, or the file fails: connections end then.
fn keep(mut file: Connection, asked: &Receiver<Waiting>) {
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
    let mut transferring = Transferring::prepare(&together)?;
    let mut answers = Answers::new();
    let mut done = 0_i64;
    for (request, to) in waiting {
        let mut bytes = Vec::new();
        match request {
            LedgerRequest::Transfer(wanted) => {
                let verdict = transferring.transfer(&wanted)?;
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
    drop(transferring);
    together.execute("UPDATE totals SET transfers = transfers + ?1", [done])?;
    together.commit()?;
    Ok(answers)
}

/// What a transfer does, prepared.
struct Transferring<'f> {
    look: CachedStatement<'f>,
    get: CachedStatement<'f>,
    give: CachedStatement<'f>,
}

impl<'f> Transferring<'f> {
    fn prepare(file: &'f Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            look: file.prepare_cached("SELECT balance FROM accounts WHERE number = ?1")?,
            get: file
                .prepare_cached("UPDATE accounts SET balance = balance + ?2 WHERE number = ?1")?,
            give: file.prepare_cached(
                "UPDATE accounts SET balance = balance - ?2, memo = ?3 WHERE number = ?1",
            )?,
        })
    }

    fn transfer(&mut self, wanted: &Transfer) -> rusqlite::Result<Verdict> {
        let amount = wanted.amount as i64;
        let balance = self.look.query_row([wanted.from], |row| row.get::<_, i64>(0)).optional()?;
        match balance {
            None => return Ok(Verdict::NoAccount),
            Some(balance) if balance < amount => return Ok(Verdict::NotCovered),
            Some(_) => {}
        }
        if self.get.execute(params![wanted.to, amount])? == 0 {
            return Ok(Verdict::NoAccount);
        }
        self.give.execute(params![wanted.from, amount, &wanted.to_bytes()[16..]])?;
        Ok(Verdict::Done)
    }
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
            if self.0.send((request, answer.clone())).is_err() {
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
