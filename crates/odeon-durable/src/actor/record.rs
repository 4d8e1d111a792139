//! What the epochs and snapshots of an actor's log begin with; `docs/log-format.md` has every byte.

/// Of an epoch: `1`, and the number of the first commit; a record for each commit follows. Of a
/// snapshot: `2`, and the number of the last commit that is in it; chunks of changes follow. Of
/// both in a log of transactions: `3`, and how many runs of commits follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    CommitsFrom(u64),
    StateAfter(u64),
    Runs(u64),
}

const COMMITS: u8 = 1;
const STATE: u8 = 2;
const RUNS: u8 = 3;

/// Bytes of a head.
const HEAD: usize = 9;

impl Head {
    pub(super) fn to_bytes(self) -> [u8; HEAD] {
        let (kind, number) = match self {
            Self::CommitsFrom(number) => (COMMITS, number),
            Self::StateAfter(number) => (STATE, number),
            Self::Runs(number) => (RUNS, number),
        };
        let mut bytes = [kind; HEAD];
        bytes[1..].copy_from_slice(&number.to_le_bytes());
        bytes
    }

    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (&kind, number) = bytes.split_first()?;
        let number = u64::from_le_bytes(number.try_into().ok()?);
        match kind {
            COMMITS => Some(Self::CommitsFrom(number)),
            STATE => Some(Self::StateAfter(number)),
            RUNS => Some(Self::Runs(number)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_were_written_and_nothing_else_is() {
        for head in [Head::CommitsFrom(1), Head::StateAfter(u64::MAX), Head::Runs(2)] {
            assert_eq!(Head::of(&head.to_bytes()), Some(head));
        }
        for bytes in [&b""[..], b"\x01", b"\x04\0\0\0\0\0\0\0\0", b"\x01\0\0\0\0\0\0\0\0\0"] {
            assert_eq!(Head::of(bytes), None);
        }
    }
}
