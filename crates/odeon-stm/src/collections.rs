//! Collections of transactional variables: they are read and written within transactions, together with
//! any other variables, and read within snapshots.
//!
//! | collection | what does not conflict |
//! |---|---|
//! | [`TList`] | changes at different places of one sorted list |
//! | [`TMap`] | changes of different keys |
//! | [`TQueue`] | a push and a pop, unless at most one element is left |
//! | [`TVec`] | changes of different places; reads of a place and pushes behind it |
//! //!
//! References that operations answer live as long as the attempt: also those to elements that this or
//! another transaction removes meanwhile. Elements are not moved out, because snapshots may be at them.
//!
//! Whatever is removed writes `None` into its own links. So an attempt that stands on it is in conflict,
//! and what is removed never keeps its former neighbours alive.

mod list;
mod map;
mod queue;
mod vec;

pub use list::TList;
pub use map::TMap;
pub use queue::TQueue;
pub use vec::TVec;
