//! What is in a body: messages, pieces of large ones, and signals from link to link.
//!
//! A record begins with a number: its kind in the lowest two bits, above them the length of its
//! bytes, or, of a signal, which one it is. Then comes the channel (not of `LEAVE`), of a first
//! fragment the length of the whole message, and the bytes.

use super::{Cursor, PacketError, put_varint};

const WHOLE: u64 = 0;
const FIRST: u64 = 1;
const MORE: u64 = 2;
const SIGNAL: u64 = 3;

pub(crate) const PAUSE: u64 = 0;
pub(crate) const RESUME: u64 = 1;
const LEAVE: u64 = 2;

/// How many bytes a record takes at most beside those of its message.
pub(crate) const RECORD_HEAD: usize = 10 + 10 + 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// A message.
    Whole { channel: u64, bytes: &'a [u8] },
    /// The beginning of a message of `total` bytes.
    First { channel: u64, total: u64, bytes: &'a [u8] },
    /// What follows of the message that has begun on this channel.
    More { channel: u64, bytes: &'a [u8] },
    /// Nothing more of this channel, please.
    Pause { channel: u64 },
    /// What was held back may come.
    Resume { channel: u64 },
    /// Nothing follows: the sender leaves.
    Leave,
}

/// The records of a body, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Records<'a> {
    rest: Cursor<'a>,
}

impl<'a> Records<'a> {
    /// Whether `bytes` are records from end to end.
    pub(crate) fn check(bytes: &'a [u8]) -> Result<(), PacketError> {
        let mut rest = Cursor::new(bytes);
        while !rest.is_empty() {
            read(&mut rest)?;
        }
        Ok(())
    }

    /// Of bytes that [`check`](Self::check) has found good, or that were written here.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: Cursor::new(bytes) }
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.rest()
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        read(&mut self.rest).ok()
    }
}

#[inline]
fn read<'a>(from: &mut Cursor<'a>) -> Result<Record<'a>, PacketError> {
    let head = from.varint()?;
    let length = head >> 2;
    if head & 3 == WHOLE {
        let channel = from.varint()?;
        return Ok(Record::Whole { channel, bytes: from.take(length)? });
    }
    read_other(from, head & 3, length)
}

fn read_other<'a>(
    from: &mut Cursor<'a>,
    kind: u64,
    length: u64,
) -> Result<Record<'a>, PacketError> {
    if kind == SIGNAL {
        return Ok(match length {
            PAUSE => Record::Pause { channel: from.varint()? },
            RESUME => Record::Resume { channel: from.varint()? },
            LEAVE => Record::Leave,
            _ => return Err(PacketError::Malformed("unknown signal")),
        });
    }
    if length == 0 {
        return Err(PacketError::Malformed("a fragment of nothing"));
    }
    let channel = from.varint()?;
    if kind == FIRST {
        let total = from.varint()?;
        return Ok(Record::First { channel, total, bytes: from.take(length)? });
    }
    Ok(Record::More { channel, bytes: from.take(length)? })
}

#[inline]
pub(crate) fn put_whole(out: &mut Vec<u8>, channel: u64, message: &[u8]) {
    put_varint(out, (message.len() as u64) << 2 | WHOLE);
    put_varint(out, channel);
    out.extend_from_slice(message);
}

/// The piece of `message` from `begin` to `end`.
pub(crate) fn put_fragment(
    out: &mut Vec<u8>,
    channel: u64,
    message: &[u8],
    begin: usize,
    end: usize,
) {
    let kind = if begin == 0 { FIRST } else { MORE };
    put_varint(out, ((end - begin) as u64) << 2 | kind);
    put_varint(out, channel);
    if begin == 0 {
        put_varint(out, message.len() as u64);
    }
    out.extend_from_slice(&message[begin..end]);
}

/// [`PAUSE`] or [`RESUME`].
pub(crate) fn put_signal(out: &mut Vec<u8>, signal: u64, channel: u64) {
    put_varint(out, signal << 2 | SIGNAL);
    put_varint(out, channel);
}

pub(crate) fn put_leave(out: &mut Vec<u8>) {
    put_varint(out, LEAVE << 2 | SIGNAL);
}
