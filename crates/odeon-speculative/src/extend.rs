//! The one door for the sibling crates of Odeon: the seam to transactions that several theaters take part in, not for applications.

pub use crate::coordination::TransactionPart as Part;
pub use crate::coordination::{Abroad, Away, Begun, Decider, First, Here, go_abroad};
