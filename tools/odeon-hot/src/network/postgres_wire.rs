//! The protocol of Postgres: each transfer executes a prepared statement and is a transaction.

use super::wire::{Wire, refused, verdict_of};
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Transfer, Verdict};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;

/// The user, and the database.
pub(super) const NAME: &str = "postgres";

/// The row with the smaller number is changed first: so no two transfers wait for each other. What
/// proves impossible behind that is undone by hand, as an exception costs a transaction of its own.
pub(super) const SCHEMA: &str = "
CREATE TABLE accounts (number int PRIMARY KEY, balance bigint NOT NULL, given int NOT NULL,
    memo bytea) WITH (fillfactor = 50);
CREATE FUNCTION transfer(giver int, getter int, amount bigint, kept bytea) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF getter < giver THEN
        UPDATE accounts SET balance = balance + amount WHERE number = getter;
        IF NOT FOUND THEN RETURN '2'; END IF;
    END IF;
    UPDATE accounts SET balance = balance - amount, given = given + 1, memo = kept
        WHERE number = giver AND balance >= amount;
    IF NOT FOUND THEN
        IF getter < giver THEN
            UPDATE accounts SET balance = balance - amount WHERE number = getter;
        END IF;
        IF EXISTS (SELECT FROM accounts WHERE number = giver) THEN RETURN '1'; END IF;
        RETURN '2';
    END IF;
    IF getter >= giver THEN
        UPDATE accounts SET balance = balance + amount WHERE number = getter;
        IF NOT FOUND THEN
            UPDATE accounts SET balance = balance + amount, given = given - 1
                WHERE number = giver;
            RETURN '2';
        END IF;
    END IF;
    RETURN '0';
END $$;
";

const STATEMENT: &str = "SELECT transfer($1, $2, $3, $4)";

/// Kinds of messages from the server.
const ERROR: u8 = b'E';
const ROW: u8 = b'D';
const READY: u8 = b'Z';

/// Bytes of a message in front of its content: its kind, its length without that.
const HEAD: usize = 5;

#[derive(Default)]
pub(super) struct PostgresWire {
    /// What the row of this answer says, which ends later.
    verdict: Option<Verdict>,
}

fn said<T>(written: Result<T, impl std::fmt::Debug>) -> T {
    written.expect("names have no zeros, and messages are short")
}

impl Wire for PostgresWire {
    fn greet(&mut self, to: &mut Vec<u8>) -> usize {
        let mut bytes = Default::default();
        said(frontend::startup_message([("user", NAME), ("database", NAME)], &mut bytes));
        said(frontend::parse("t", STATEMENT, [], &mut bytes));
        frontend::sync(&mut bytes);
        to.extend_from_slice(&bytes);
        2
    }

    fn ask(&mut self, transfer: &Transfer, to: &mut Vec<u8>) {
        let Transfer { from, to: other, amount, .. } = transfer;
        let bytes = transfer.to_bytes();
        let values =
            [&from.to_be_bytes()[..], &other.to_be_bytes(), &amount.to_be_bytes(), &bytes[16..]];
        let write = |value: &[u8], buffer: &mut bytes::BytesMut| {
            buffer.extend_from_slice(value);
            Ok(IsNull::No)
        };
        let mut message = bytes::BytesMut::with_capacity(192);
        said(frontend::bind("", "t", [1], values, write, [0], &mut message).map_err(drop));
        said(frontend::execute("", 1, &mut message));
        frontend::sync(&mut message);
        to.extend_from_slice(&message);
    }

    fn answer(&mut self, from: &mut &[u8]) -> Result<Option<Verdict>, BenchError> {
        while let Some((head, behind)) = from.split_at_checked(HEAD) {
            let length = u32::from_be_bytes(*head.last_chunk().expect("four of them"));
            let content = (length as usize).saturating_sub(4);
            let Some((content, rest)) = behind.split_at_checked(content) else { break };
            *from = rest;
            match head[0] {
                ERROR => return Err(refused(String::from_utf8_lossy(content))),
                // One column, of one byte, is at the end.
                ROW => self.verdict = Some(verdict_of(content.last_chunk::<1>().unwrap_or(&[0]))?),
                READY => return Ok(Some(self.verdict.take().unwrap_or(Verdict::Done))),
                _ => {}
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_row_and_the_end_of_its_transaction() {
        let message = |kind: u8, content: &[u8]| {
            [&[kind][..], &(content.len() as u32 + 4).to_be_bytes(), content].concat()
        };
        let row = message(ROW, b"\0\x01\0\0\0\x011");
        let all = [message(b'2', b""), row, message(b'C', b"SELECT 1\0"), message(READY, b"I")];
        let (all, mut wire) = (all.concat(), PostgresWire::default());
        let mut begun = &all[..all.len() - 1];
        assert_eq!(wire.answer(&mut begun).expect("known"), None);
        let mut rest = &all[all.len() - 6..];
        assert_eq!(begun.len(), 5, "the end of the transaction is not whole");
        assert_eq!(wire.answer(&mut rest).expect("known"), Some(Verdict::NotCovered));
        assert!(rest.is_empty());
        assert!(wire.answer(&mut &message(ERROR, b"SFATAL\0")[..]).is_err());
    }
}
