//! Variables and collections to and from the formats of `serde`, with the feature of that name.
//!
//! A collection is written as of one moment, in a snapshot of its own; writers go on meanwhile.
//! Collections and variables within its elements are written in the same snapshot, so as of the
//! same moment. They are read without a transaction.
//!
//! Serialising within a transaction or snapshot of the user panics, as beginning any other snapshot
//! there does.
#![cfg(feature = "serde")]

use crate::attempt::Attempt;
use crate::attempt::scoped::ScopedSnapshot;
use crate::attempt::snapshot::run::snapshot;
use crate::attempt::transaction::{Snapshot, View};
use crate::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::ptr::NonNull;

thread_local! {
    /// The snapshot of the serialisation that this thread is in, lent to what is serialised within
    /// it.
    static LENT: Cell<Option<NonNull<Attempt>>> = const { Cell::new(None) };
}

/// Takes back what was lent, also after a panic.
struct TakeBack;

impl Drop for TakeBack {
    fn drop(&mut self) {
        LENT.set(None);
    }
}

/// Gives back to [`LENT`] what was taken from there, also after a panic.
struct GiveBack(NonNull<Attempt>);

impl Drop for GiveBack {
    fn drop(&mut self) {
        // What was read meanwhile is not borrowed for as long as the snapshot runs: it may be gone
        // before the end, at which that looks where it was stopped.
        // SAFETY: as in `as_of_one_moment`, whose borrow is over.
        if let Some(stopped) = &mut unsafe { self.0.as_mut() }.stopped {
            stopped.cell = None;
        }
        LENT.set(Some(self.0));
    }
}

/// Runs `write` in the snapshot that is lent, or in a new one; one that has expired is an error of
/// the format.
fn as_of_one_moment<'env, R, E: Error>(
    write: impl for<'t> FnOnce(&mut ScopedSnapshot<'t, 'env>) -> Result<Result<R, E>, Rollback>,
) -> Result<R, E> {
    let Some(mut lent) = LENT.take() else { return snapshot(write).map_err(E::custom)? };
    let _give_back = GiveBack(lent);
    // SAFETY: `lend` keeps the attempt borrowed until it takes it back, and it is used here alone:
    // nobody else finds it in `LENT` before it is given back.
    let view = ScopedSnapshot::of(unsafe { lent.as_mut() });
    write(view).map_err(E::custom)?
}

/// Runs `serialise`, which may read in the snapshot of `view`.
fn lend<R>(view: &mut Snapshot<'_>, serialise: impl FnOnce() -> R) -> R {
    let _take_back = TakeBack;
    LENT.set(Some(NonNull::from(view.attempt().0)));
    serialise()
}

impl<T: Serialize + Send + Sync + 'static> Serialize for TVar<T> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        as_of_one_moment(|view| {
            let value = self.read(view)?;
            Ok(lend(view, || value.serialize(serializer)))
        })
    }
}

impl<'de, T: Deserialize<'de> + Send + Sync + 'static> Deserialize<'de> for TVar<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

/// Sequences: the elements are gathered first, because some formats want to know how many there
/// are, and because the snapshot is lent while they are written.
macro_rules! sequence {
    ([$($parameter:tt)*] $collection:ty, $element:ty, ($($more:tt)*)) => {
        impl<$($parameter)*> Serialize for $collection {
            fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                as_of_one_moment(|view| {
                    let elements = self.fold(view, Vec::new(), |mut elements, element| {
                        elements.push(element);
                        elements
                    })?;
                    Ok(lend(view, || {
                        let mut sequence = serializer.serialize_seq(Some(elements.len()))?;
                        for element in elements {
                            sequence.serialize_element(element)?;
                        }
                        sequence.end()
                    }))
                })
            }
        }
        sequence!(from $($more)*, $collection, $element);
    };
    (from [$($parameter:tt)*], $collection:ty, $element:ty) => {
        impl<'de, $($parameter)*> Deserialize<'de> for $collection {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Vec::<$element>::deserialize(deserializer)?.into_iter().collect())
            }
        }
    };
}

sequence!([T: Serialize + Send + Sync + 'static] TQueue<T>, T, ([T: Deserialize<'de> + Send + Sync + 'static]));
sequence!([T: Serialize + Send + Sync + 'static] TVec<T>, T, ([T: Deserialize<'de> + Send + Sync + 'static]));
sequence!([K: Serialize + Send + Sync + 'static] TList<K>, K, ([K: Deserialize<'de> + Ord + Send + Sync + 'static]));
sequence!(
    [K: Serialize + Send + Sync + 'static, S] TSet<K, S>, K,
    ([K: Deserialize<'de> + Hash + Eq + Send + Sync + 'static, S: BuildHasher + Default])
);

/// Maps, likewise.
macro_rules! map {
    ([$($parameter:tt)*] $map:ty, $std:ty, [$($more:tt)*]) => {
        impl<$($parameter)*> Serialize for $map {
            fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                as_of_one_moment(|view| {
                    let entries = self.entries(view)?;
                    Ok(lend(view, || {
                        let mut map = serializer.serialize_map(Some(entries.len()))?;
                        for (key, value) in entries {
                            map.serialize_entry(key, value)?;
                        }
                        map.end()
                    }))
                })
            }
        }
        impl<'de, $($more)*> Deserialize<'de> for $map {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(<$std>::deserialize(deserializer)?.into_iter().collect())
            }
        }
    };
}

map!(
    [K: Serialize + Send + Sync + 'static, V: Serialize + Send + Sync + 'static, S] TMap<K, V, S>,
    HashMap<K, V>,
    [K: Deserialize<'de> + Hash + Eq + Send + Sync + 'static,
     V: Deserialize<'de> + Send + Sync + 'static, S: BuildHasher + Default]
);
map!(
    [K: Serialize + Send + Sync + 'static, V: Serialize + Send + Sync + 'static] TOrdMap<K, V>,
    BTreeMap<K, V>,
    [K: Deserialize<'de> + Ord + Send + Sync + 'static, V: Deserialize<'de> + Send + Sync + 'static]
);
