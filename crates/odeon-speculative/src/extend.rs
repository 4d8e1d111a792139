//! The one door for the sibling crates of Odeon, not for applications: the seam to transactions
//! that several theaters take part in, actors that move between theaters, actors that are made
//! around others, answers that are not given after all, outcomes that are held back, and how many
//! messages a shard handles at once, for who simulates that.

pub use crate::actor::context::{hold_on_to_reads, hold_outcome_by, reply_if, takes_part, within};
pub use crate::coordination::TransactionPart as Part;
pub use crate::coordination::{Abroad, Away, Begun, Decider, First, Here, TakenOver, go_abroad};
pub use crate::executor::engine::Surroundings;
pub use crate::processing::WrittenProcessing;
pub use crate::processing::pace::Pace;
pub use crate::spawn::occupant::Occupant;
