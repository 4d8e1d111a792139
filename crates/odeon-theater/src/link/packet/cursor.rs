//! Numbers and pieces of a packet, one after the other.
//!
//! A varint has seven bits of the number in each byte, the lowest first; the highest bit says that
//! more follow.

use super::PacketError;

/// What is still to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, PacketError> {
        let (&first, rest) = self.rest.split_first().ok_or(PacketError::Truncated)?;
        self.rest = rest;
        Ok(first)
    }

    #[inline]
    pub(crate) fn take(&mut self, length: u64) -> Result<&'a [u8], PacketError> {
        // As u64, since a length that a packet names may be beyond any usize.
        if length > self.rest.len() as u64 {
            return Err(PacketError::Truncated);
        }
        let (taken, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, PacketError> {
        match self.rest.first() {
            Some(&first) if first < 0x80 => {
                self.rest = &self.rest[1..];
                Ok(u64::from(first))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, PacketError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PacketError::Malformed("a number beyond 64 bits"))
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], PacketError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(PacketError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }
}

#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
