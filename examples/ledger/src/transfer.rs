//! What clients want.

use serde::{Deserialize, Serialize};

/// An amount that goes from one account to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// The account that gives.
    pub from: u32,
    /// The one that gets. It may be the same.
    pub to: u32,
    /// What it gets.
    pub amount: u64,
    /// What the ledger keeps with it.
    pub memo: Memo,
}

/// Whose transfer it is. An account keeps that of the last transfer it has given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Memo {
    /// Who has asked for it.
    pub client: u64,
    /// Which of theirs it is.
    pub number: u64,
    /// Whatever they like.
    pub text: [u8; 32],
}

/// What has become of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is done.
    Done,
    /// The account that was to give has less. Nothing has changed.
    NotCovered,
    /// There is no such account. Nothing has changed.
    NoAccount,
}

impl Transfer {
    /// Bytes of a transfer in a packet.
    pub const BYTES: usize = 64;

    /// All of it: numbers with the lowest byte first, in the order of the fields.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.from.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.to.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.amount.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.memo.client.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.memo.number.to_le_bytes());
        bytes[32..].copy_from_slice(&self.memo.text);
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) was called on.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let four =
            |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("four of them"));
        let eight =
            |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("eight of them"));
        let text = *bytes.last_chunk().expect("half of them");
        let memo = Memo { client: eight(16), number: eight(24), text };
        Self { from: four(0), to: four(4), amount: eight(8), memo }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_is_64_bytes_from_which_it_can_be_made_again() {
        let memo = Memo { client: 3 << 40, number: 4, text: std::array::from_fn(|at| at as u8) };
        let transfer = Transfer { from: 1, to: 2 << 20, amount: 5 << 50, memo };
        assert_eq!(Transfer::from_bytes(&transfer.to_bytes()), transfer);
        assert_eq!(size_of::<Transfer>(), Transfer::BYTES);
    }
}
