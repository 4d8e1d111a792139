//! The protocol of Redis and Valkey (RESP 2): each transfer calls a script that the server has.

use super::wire::{Wire, refused, verdict_of};
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Transfer, Verdict};

/// Balances are integers in one hash, memos strings in another; a key has the number of transfers.
const SCRIPT: &str = "\
local from = redis.call('HGET', KEYS[1], ARGV[1])
local to = redis.call('HGET', KEYS[1], ARGV[2])
if not from or not to then return 2 end
if tonumber(from) < tonumber(ARGV[3]) then return 1 end
redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[3])
redis.call('HINCRBY', KEYS[1], ARGV[2], ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
redis.call('INCR', KEYS[3])
return 0";

/// Keys of the script.
pub(super) const BALANCES: &str = "balances";
const MEMOS: &str = "memos";
pub(super) const TRANSFERS: &str = "transfers";

#[derive(Default)]
pub(super) struct RespWire {
    /// What the server calls the script.
    script: Option<Vec<u8>>,
}

/// Adds a command.
pub(super) fn write_command(parts: &[&[u8]], to: &mut Vec<u8>) {
    to.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        to.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        to.extend_from_slice(part);
        to.extend_from_slice(b"\r\n");
    }
}

/// Takes the text of the next answer off the front, if it is whole.
pub(super) fn take_text<'f>(from: &mut &'f [u8]) -> Result<Option<&'f [u8]>, BenchError> {
    let Some((line, rest)) = take_line(from) else { return Ok(None) };
    let (kind, text) = line.split_first().ok_or_else(|| refused("nothing"))?;
    match kind {
        b':' | b'+' => {
            *from = rest;
            Ok(Some(text))
        }
        b'$' => {
            let length = std::str::from_utf8(text).ok().and_then(|text| text.parse::<usize>().ok());
            let length = length.ok_or_else(|| refused("that there is no such thing"))?;
            let Some(behind) = rest.get(length + 2..) else { return Ok(None) };
            *from = behind;
            Ok(Some(&rest[..length]))
        }
        _ => Err(refused(String::from_utf8_lossy(line))),
    }
}

fn take_line<'f>(from: &&'f [u8]) -> Option<(&'f [u8], &'f [u8])> {
    let end = from.windows(2).position(|two| two == b"\r\n")?;
    Some((&from[..end], &from[end + 2..]))
}

impl Wire for RespWire {
    fn greet(&mut self, to: &mut Vec<u8>) -> usize {
        write_command(&[b"SCRIPT", b"LOAD", SCRIPT.as_bytes()], to);
        1
    }

    fn ask(&mut self, transfer: &Transfer, to: &mut Vec<u8>) {
        let Transfer { from, to: other, amount, .. } = transfer;
        let [from, other] = [from, other].map(ToString::to_string);
        let (amount, bytes) = (amount.to_string(), transfer.to_bytes());
        write_command(
            &[
                b"EVALSHA",
                self.script.as_ref().expect("it was greeted"),
                b"3",
                BALANCES.as_bytes(),
                MEMOS.as_bytes(),
                TRANSFERS.as_bytes(),
                from.as_bytes(),
                other.as_bytes(),
                amount.as_bytes(),
                &bytes[16..],
            ],
            to,
        );
    }

    fn answer(&mut self, from: &mut &[u8]) -> Result<Option<Verdict>, BenchError> {
        let Some(text) = take_text(from)? else { return Ok(None) };
        if self.script.is_none() {
            self.script = Some(text.to_vec());
            return Ok(Some(Verdict::Done));
        }
        verdict_of(text).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_answers_are_as_the_protocol_says() {
        let mut bytes = Vec::new();
        write_command(&[b"GET", b"a b"], &mut bytes);
        assert_eq!(bytes, b"*2\r\n$3\r\nGET\r\n$3\r\na b\r\n");
        let mut wire = RespWire::default();
        assert_eq!(wire.greet(&mut Vec::new()), 1);
        let mut answers = &b"$3\r\nabc\r\n:0\r\n:1\r\n:2"[..];
        let mut next = || wire.answer(&mut answers).expect("known");
        assert_eq!(next(), Some(Verdict::Done));
        assert_eq!(next(), Some(Verdict::Done));
        assert_eq!(next(), Some(Verdict::NotCovered));
        assert_eq!(next(), None);
        assert_eq!(answers, b":2");
        assert!(wire.answer(&mut &b"-ERR no\r\n"[..]).is_err());
        assert_eq!(take_text(&mut &b"$3\r\nabc\r"[..]).expect("not whole"), None);
    }
}
