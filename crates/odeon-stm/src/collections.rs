//! Collections of transactional variables: they are read and written within transactions, together with
//! any other variables, and read within snapshots.
//!
//! | collection | what does not conflict |
//! |---|---|
//! | [`TList`] | changes at different places of one sorted list |
//! | [`TMap`], [`TSet`] | changes of different keys |
//! | [`TQueue`] | a push and a pop, unless at most one element is left |
//! | [`TVec`] | changes of different places; reads of a place and pushes behind it |
//! | [`TOrdMap`] | changes of different keys that are no neighbours |
//!
//! References that operations answer live as long as the attempt: also those to elements that this or
//! another transaction removes meanwhile. Elements are not moved out, because snapshots may be at them.
//!
//! Whatever is removed writes `None` into its own links. So an attempt that stands on it is in conflict,
//! and what is removed never keeps its former neighbours alive.
//!
//! The feature `serde` writes and reads all of them in the formats of that crate, also within each other.

mod counted;
mod hashing;
mod list;
mod map;
mod ord_map;
mod queue;
mod serde;
mod set;
mod vec;

pub use hashing::{QuickHasher, QuickState};
pub use list::{ListIter, TList};
pub use map::TMap;
pub use ord_map::TOrdMap;
pub use queue::TQueue;
pub use set::TSet;
pub use vec::TVec;
