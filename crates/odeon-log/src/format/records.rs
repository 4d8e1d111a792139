//! The records of an epoch: each with its length before it.

/// Bytes of the length of a record.
pub(crate) const LENGTH: usize = 4;

/// The records of one epoch, in the order in which they were appended.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    left: u32,
}

impl<'a> Records<'a> {
    /// Nothing if the payload does not have so many, or more than them.
    pub(crate) fn parse(payload: &'a [u8], count: u32) -> Option<Self> {
        let records = Self { rest: payload, left: count };
        let mut walked = records.clone();
        // No `count`: the payload may be too short for it.
        while walked.left > 0 {
            walked.split_first()?;
        }
        walked.rest.is_empty().then_some(records)
    }

    fn split_first(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.rest.split_first_chunk::<LENGTH>()?;
        let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.rest = rest;
        self.left -= 1;
        Some(record)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 { None } else { self.split_first() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Records<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_records_as_were_written_and_nothing_behind_them() {
        let payload = b"\x03\0\0\0one\0\0\0\0\x05\0\0\0three";
        let records = Records::parse(payload, 3).unwrap();
        assert_eq!(records.len(), 3);
        assert!(records.eq([&b"one"[..], b"", b"three"]));
        assert!(Records::parse(payload, 2).is_none() && Records::parse(payload, 4).is_none());
        assert!(Records::parse(&payload[..payload.len() - 1], 3).is_none());
        assert!(Records::parse(b"", 0).is_some() && Records::parse(&[0xFF; 8], 1).is_none());
    }
}
