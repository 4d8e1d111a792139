//! The protocol of Postgres: each transfer executes a prepared statement and is a transaction.

use super::wire::{Wire, refused, verdict_of};
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Transfer, Verdict};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;

/// The user, and the database.
pub(super) const NAME: &str = "postgres";

/// Both rows are locked in the order of their numbers: so no two transfers wait for each other.
pub(super) const SCHEMA: &str = "
CREATE TABLE accounts (number int PRIMARY KEY, balance bigint NOT NULL, memo bytea)
    WITH (fillfactor = 50);
CREATE FUNCTION transfer(giver int, getter int, amount bigint, kept bytea) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    covered boolean;
    locked int := 0;
    each record;
BEGIN
    FOR each IN SELECT number, balance FROM accounts WHERE number IN (giver, getter)
        ORDER BY number FOR UPDATE
    LOOP
        locked := locked + 1;
        IF each.number = giver THEN covered := each.balance >= amount; END IF;
    END LOOP;
    IF locked < 1 OR (locked < 2 AND giver <> getter) THEN RETURN '2'; END IF;
    IF NOT covered THEN RETURN '1'; END IF;
    UPDATE accounts SET balance = balance - amount, memo = kept WHERE number = giver;
    UPDATE accounts SET balance = balance + amount WHERE number = getter;
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
