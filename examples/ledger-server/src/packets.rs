//! What is on the wire: packets of a known length behind a byte that says which one it is. Numbers
//! have the lowest byte first.
//!
//! | request | has | is answered by |
//! |---|---|---|
//! | 1: transfer | 64 bytes ([`Transfer::to_bytes`]) | 1 byte: 0 done, 1 not covered, 2 no such account |
//! | 2: look | the account: 4 bytes | 57 bytes: 0 or 1, whether it exists; balance, client, number: 8 bytes each; 32 bytes of text |
//! | 3: audit | nothing | 16 bytes: the sum of all balances, the number of transfers |
//!
//! Answers come in the order of their requests, and have no byte in front: who has asked knows
//! what comes. A client may send many requests before it reads the first answer. Where an answer
//! cannot be given the connection ends.

use odeon_example_ledger::{AccountState, Books, Transfer, Verdict};
use tokio::io::{AsyncRead, AsyncReadExt};

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerRequest {
    /// Make this transfer.
    Transfer(Transfer),
    /// What has this account?
    Look(u32),
    /// What have all together?
    Audit,
}

const TRANSFER: u8 = 1;
const LOOK: u8 = 2;
const AUDIT: u8 = 3;

impl LedgerRequest {
    /// Adds its packet.
    pub fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Transfer(transfer) => {
                to.push(TRANSFER);
                to.extend_from_slice(&transfer.to_bytes());
            }
            Self::Look(account) => {
                to.push(LOOK);
                to.extend_from_slice(&account.to_le_bytes());
            }
            Self::Audit => to.push(AUDIT),
        }
    }

    /// The next one; nothing if no more come.
    ///
    /// # Errors
    /// If the connection ends within a packet, or there is no such packet.
    pub async fn read(from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Option<Self>> {
        let mut kind = [0];
        if from.read(&mut kind).await? == 0 {
            return Ok(None);
        }
        let request = match kind[0] {
            TRANSFER => {
                let mut bytes = [0; Transfer::BYTES];
                from.read_exact(&mut bytes).await?;
                Self::Transfer(Transfer::from_bytes(&bytes))
            }
            LOOK => Self::Look(from.read_u32_le().await?),
            AUDIT => Self::Audit,
            other => {
                let problem = format!("there is no packet {other}");
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
            }
        };
        Ok(Some(request))
    }
}

/// Adds the answer to a transfer.
pub fn write_verdict(verdict: Verdict, to: &mut Vec<u8>) {
    to.push(match verdict {
        Verdict::Done => 0,
        Verdict::NotCovered => 1,
        Verdict::NoAccount => 2,
    });
}

/// The verdict that this byte is.
pub fn verdict_of(byte: u8) -> Option<Verdict> {
    match byte {
        0 => Some(Verdict::Done),
        1 => Some(Verdict::NotCovered),
        2 => Some(Verdict::NoAccount),
        _ => None,
    }
}

/// Adds the answer to a look at an account.
pub fn write_state(state: Option<AccountState>, to: &mut Vec<u8>) {
    to.push(u8::from(state.is_some()));
    let AccountState { balance, memo } = state.unwrap_or_default();
    for number in [balance, memo.client, memo.number] {
        to.extend_from_slice(&number.to_le_bytes());
    }
    to.extend_from_slice(&memo.text);
}

/// Adds the answer to an audit.
pub fn write_books(books: Books, to: &mut Vec<u8>) {
    to.extend_from_slice(&books.sum.to_le_bytes());
    to.extend_from_slice(&books.transfers.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use odeon_example_ledger::Memo;

    fn read_all(mut bytes: &[u8]) -> std::io::Result<Vec<LedgerRequest>> {
        let mut requests = Vec::new();
        while let Some(request) =
            LedgerRequest::read(&mut bytes).now_or_never().expect("all is there")?
        {
            requests.push(request);
        }
        Ok(requests)
    }

    #[test]
    fn requests_are_read_as_they_were_written_and_nothing_else_is() {
        let memo = Memo { client: 1, number: 2, text: [3; 32] };
        let transfer = Transfer { from: 4, to: 5, amount: 6, memo };
        let requests =
            [LedgerRequest::Transfer(transfer), LedgerRequest::Look(7), LedgerRequest::Audit];
        let mut bytes = Vec::new();
        requests.iter().for_each(|request| request.write(&mut bytes));
        assert_eq!(bytes.len(), 65 + 5 + 1);
        assert_eq!(read_all(&bytes).expect("they are whole"), requests);
        assert!(read_all(&bytes[..64]).is_err() && read_all(&bytes[..67]).is_err());
        let none = read_all(&[9]).expect_err("there is no such packet").to_string();
        assert_eq!(none, "there is no packet 9");
    }

    #[test]
    fn answers_have_their_lengths() {
        let mut bytes = Vec::new();
        for verdict in [Verdict::Done, Verdict::NotCovered, Verdict::NoAccount] {
            write_verdict(verdict, &mut bytes);
            assert_eq!(verdict_of(*bytes.last().expect("it was written")), Some(verdict));
        }
        assert!(bytes.len() == 3 && verdict_of(3).is_none());
        write_state(Some(AccountState { balance: 258, memo: Memo::default() }), &mut bytes);
        assert_eq!((bytes.len(), &bytes[3..6]), (3 + 57, &[1, 2, 1][..]));
        write_books(Books { sum: 1, transfers: 2 }, &mut bytes);
        assert_eq!((bytes.len(), bytes[68]), (60 + 16, 2));
    }
}
