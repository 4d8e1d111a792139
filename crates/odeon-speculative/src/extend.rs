//! The one door for the sibling crates of Odeon, not for applications: the seam to transactions
//! that several theaters take part in, and actors that move between theaters.

pub use crate::coordination::TransactionPart as Part;
pub use crate::coordination::{Abroad, Away, Begun, Decider, First, Here, TakenOver, go_abroad};
pub use crate::executor::engine::Surroundings;
pub use crate::processing::WrittenProcessing;
pub use crate::spawn::occupant::Occupant;
