//! Collections to and from the formats of `serde`, with the feature of that name.
//!
//! A collection is written as of one moment, in a snapshot of its own; writers go on meanwhile. It is read
//! without a transaction. So neither works within a transaction or snapshot: serialising there panics, as
//! beginning any other snapshot does, also if a collection is an element of another one.
#![cfg(feature = "serde")]

use crate::abort::Rollback;
use crate::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use crate::snapshot::run::snapshot;
use crate::transaction::Snapshot;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

/// Runs `write` in a snapshot; one that has expired is an error of the format.
fn as_of_now<'env, R, E: Error>(
    write: impl for<'t> FnOnce(&mut Snapshot<'t, 'env>) -> Result<Result<R, E>, Rollback>,
) -> Result<R, E> {
    snapshot(write).map_err(E::custom)?
}

/// Sequences: the length first, because some formats want to know it, then the elements.
macro_rules! sequence {
    ([$($parameter:tt)*] $collection:ty, $element:ty, ($($more:tt)*)) => {
        impl<$($parameter)*> Serialize for $collection {
            fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                as_of_now(|view| {
                    let len = self.fold(view, 0, |len, _| len + 1)?;
                    let mut sequence = match serializer.serialize_seq(Some(len)) {
                        Ok(sequence) => sequence,
                        Err(error) => return Ok(Err(error)),
                    };
                    let written = self.fold(view, Ok(()), |written, element| {
                        written.and_then(|()| sequence.serialize_element(element))
                    })?;
                    Ok(written.and_then(|()| sequence.end()))
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
                as_of_now(|view| {
                    let mut map = match serializer.serialize_map(Some(self.len(view)?)) {
                        Ok(map) => map,
                        Err(error) => return Ok(Err(error)),
                    };
                    let written = self.fold(view, Ok(()), |written, key, value| {
                        written.and_then(|()| map.serialize_entry(key, value))
                    })?;
                    Ok(written.and_then(|()| map.end()))
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
