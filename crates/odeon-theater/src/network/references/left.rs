//! What leaves a theater with a value that is written for another one.

use odeon_core::wire::Address;

/// See the module.
#[derive(Clone, Copy)]
pub(in crate::network) enum Left {
    /// A reference to this actor of this theater.
    Reference(u64),
    /// A reference to an actor of a third theater.
    Grant(Address, u64),
    Question(u64),
}
