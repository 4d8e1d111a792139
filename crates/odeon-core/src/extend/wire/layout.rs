//! Fingerprints of layouts: whether two programs mean the same by a type of one name.
//!
//! Postcard writes values without saying what they are, so a type that has changed under the same
//! name would be read as something else. What serde knows of a type is what its `Deserialize` asks
//! for. So it is run with a reader that has no bytes, notes what is asked for ([`tracer`]), and
//! answers with something made up, again and again until all variants of all enums have been seen.
//! What has been noted is a graph, since types may contain themselves ([`shapes`]); its hash is the
//! fingerprint. What a reference or a reply is for is no part of its bytes, and belongs to it all
//! the same: those say so themselves ([`refers`]).
//!
//! What counts: the names that serde knows of structs, enums, fields and variants, their order, the
//! types of fields. What does not: where a type is defined, what is left out by `skip`, what a
//! value means. A `Deserialize` that refuses what is made up hides what it would have asked for
//! behind that.
//!
//! | question | file |
//! |---|---|
//! | what does a type ask for? | `layout/tracer.rs` |
//! | what is that type, and what is still to be seen of it? | `layout/shapes.rs` |
//! | what are references made of that are read and lead to nobody? | `layout/nowhere.rs` |

mod nowhere;
mod shapes;
#[cfg(test)]
mod tests;
mod tracer;

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use odeon_sync::contained::quietly;
use serde::de::DeserializeOwned;

use self::nowhere::Nowhere;
use self::shapes::Root;
use super::passage;

/// One fingerprint for each type.
static KNOWN: RwLock<Option<HashMap<TypeId, u64>>> = RwLock::new(None);

/// The fingerprint of a type's layout: equal in two programs in which values of this type are
/// written in the same way. It is found out once, by the type's `Deserialize`, which is run with
/// made-up values.
///
/// ```
/// use odeon_core::wire::layout_of;
/// use serde::Deserialize;
///
/// # mod before {
/// # use serde::Deserialize;
/// #[derive(Deserialize)]
/// struct Deposit { account: u32, amount: u64 }
/// # pub fn layout() -> u64 { odeon_core::wire::layout_of::<Deposit>() }
/// # }
/// # mod after {
/// # use serde::Deserialize;
/// // In a newer program:
/// #[derive(Deserialize)]
/// struct Deposit { amount: u64, account: u32 }
/// # pub fn layout() -> u64 { odeon_core::wire::layout_of::<Deposit>() }
/// # }
/// # #[derive(Deserialize)]
/// # struct Deposit { account: u32, amount: u64 }
/// # let (before, after) = (before::layout(), after::layout());
/// assert_ne!(before, after);
/// # assert_eq!(before, layout_of::<Deposit>());
/// ```
pub fn layout_of<T: DeserializeOwned + 'static>() -> u64 {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(&layout) = known.as_ref().and_then(|known| known.get(&TypeId::of::<T>())) {
        return layout;
    }
    drop(known);
    // Without the lock: it is the user's code. Whoever else does it at the same time comes to the
    // same.
    let layout = passage::during(&Nowhere, || shapes::layout_of(Root::of::<T>()));
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().insert(TypeId::of::<T>(), layout);
    layout
}

/// In a `Deserialize` of this crate: what has been read is not what it is made of, but leads to
/// somebody who takes values of this type.
pub(super) fn refers<T: DeserializeOwned + 'static>(what: &'static str) {
    shapes::note_reference(what, Root::of::<T>());
}

/// The fingerprints of a mobile actor's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layouts {
    /// That of what is written of its state, and what the type is called.
    pub state: (u64, &'static str),
    /// The same of its messages.
    pub messages: (u64, &'static str),
}

impl Layouts {
    /// Of an actor with this state, for these messages.
    pub fn of<S: DeserializeOwned + 'static, M: DeserializeOwned + 'static>() -> Self {
        Self {
            state: (layout_of::<S>(), type_name::<S>()),
            messages: (layout_of::<M>(), type_name::<M>()),
        }
    }
}

impl Root {
    fn of<T: DeserializeOwned + 'static>() -> Self {
        let trace = || {
            // What it makes of the values is dropped here as well.
            quietly(|| T::deserialize(tracer::Tracer).map(drop)).is_some_and(|read| read.is_ok())
        };
        Self { of: TypeId::of::<T>(), trace }
    }
}
