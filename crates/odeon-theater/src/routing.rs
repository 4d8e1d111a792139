//! Links to other theaters, what is said on them, and the ways of messages.
//!
//! | question | file |
//! |---|---|
//! | what is another theater? which are known? | `peer.rs`, `peers.rs` |
//! | what does a link need of the theater at this end? | `owner.rs` |
//! | when do packets go? what goes behind all else? | `transmitting.rs`, `later.rs` |
//! | in which order is told what happens? | `in_order.rs` |
//! | what holds senders back? | `pressed.rs` (there), `held.rs` (here) |
//! | what is said, by which channel? | `control.rs`, `marks.rs`, `channel.rs` |
//! | what is asked for, what is refused? | `wanted.rs`, `migrated.rs` |
//! | where do messages for one actor go? | `way.rs` |
//! | which requests to move have gone there? | `asked.rs`, `asker.rs` |
//! | what goes with a message? | `companions.rs` |

pub(crate) mod asked;
pub(crate) mod asker;
pub(crate) mod channel;
pub(crate) mod companions;
pub(crate) mod control;
pub(crate) mod held;
pub(crate) mod in_order;
pub(crate) mod later;
pub(crate) mod marks;
pub(crate) mod migrated;
pub(crate) mod owner;
pub(crate) mod peer;
pub(crate) mod peers;
pub(crate) mod pressed;
pub(crate) mod to_tell;
pub(crate) mod transmitting;
pub(crate) mod wanted;
pub(crate) mod way;
