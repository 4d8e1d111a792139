//! Collections can be logged: their operations tell what they do ([`Told`](crate::attempt::told)).

use crate::attempt::journal::keyed::{KeyedChange, KeyedCodec, decode_nothing, encode_nothing};
use crate::attempt::journal::sequence::{SequenceChange, SequenceCodec};
use crate::attempt::journal::{ApplyError, Encoded, Journal, Journaled};
use crate::attempt::transaction::{Snapshot, Tx};
use crate::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use crate::words::abort::Rollback;
use std::hash::{BuildHasher, Hash};

/// Whether there was what a change is of.
fn there(was_there: bool) -> Result<(), ApplyError> {
    if was_there { Ok(()) } else { Err(ApplyError::NoChange) }
}

/// Tells the changes that make a collection anew, one after the other.
struct ChangeTeller<'a> {
    change: &'a mut dyn FnMut(&[u8]),
    bytes: Vec<u8>,
}

impl<'a> ChangeTeller<'a> {
    fn new(change: &'a mut dyn FnMut(&[u8])) -> Self {
        Self { change, bytes: Vec::new() }
    }

    fn tell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.clear();
        write(&mut self.bytes);
        (self.change)(&self.bytes);
    }
}

macro_rules! map {
    ([$($parameter:tt)*] $map:ty) => {
        impl<$($parameter)*> Journaled for $map {
            fn enroll(&self, name: &[u32], journal: &mut Journal) {
                journal.enroll_collection(self, name, Self::CODEC);
            }

            fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
                match KeyedChange::of(change, V::decode)? {
                    KeyedChange::Clear => Ok(self.clear(tx)?),
                    KeyedChange::Put(key, value) => Ok(self.put(tx, key, value).map(drop)?),
                    KeyedChange::<K, V>::Remove(key) => there(self.remove(tx, &key)?.is_some()),
                }
            }

            fn tell<'t>(
                &'t self,
                view: &mut Snapshot<'t>,
                change: &mut dyn FnMut(&[u8]),
            ) -> Result<(), Rollback> {
                let mut teller = ChangeTeller::new(change);
                teller.tell(|to| Self::CODEC.clear(to));
                self.fold(view, (), |(), key, value| {
                    teller.tell(|to| Self::CODEC.put(key, value, to));
                })
            }
        }

        impl<$($parameter)*> WithCodec for $map {
            type Codec = KeyedCodec<K, V>;
            const CODEC: &'static Self::Codec =
                const { &KeyedCodec { key: K::encode, value: V::encode } };
        }
    };
}

/// A collection, with how its keys or elements become bytes.
trait WithCodec {
    type Codec: 'static;
    const CODEC: &'static Self::Codec;
}

map!(
    [K: Encoded + Hash + Eq + Send + Sync + 'static, V: Encoded + Send + Sync + 'static,
     S: BuildHasher + Send + Sync] TMap<K, V, S>
);
map!([K: Encoded + Ord + Send + Sync + 'static, V: Encoded + Send + Sync + 'static] TOrdMap<K, V>);

macro_rules! keys {
    ([$($parameter:tt)*] $collection:ty, $known_by:expr, $is_there:expr) => {
        impl<$($parameter)*> Journaled for $collection {
            fn enroll(&self, name: &[u32], journal: &mut Journal) {
                let known_by: fn(&Self) -> &_ = $known_by;
                journal.enroll_collection(known_by(self), name, Self::CODEC);
            }

            fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
                match KeyedChange::<K, ()>::of(change, decode_nothing)? {
                    KeyedChange::Clear => Ok(self.clear(tx)?),
                    KeyedChange::Put(key, ()) => there(self.insert(tx, key)?),
                    KeyedChange::Remove(key) => there($is_there(self.remove(tx, &key)?)),
                }
            }

            fn tell<'t>(
                &'t self,
                view: &mut Snapshot<'t>,
                change: &mut dyn FnMut(&[u8]),
            ) -> Result<(), Rollback> {
                let mut teller = ChangeTeller::new(change);
                teller.tell(|to| Self::CODEC.clear(to));
                self.fold(view, (), |(), key| teller.tell(|to| Self::CODEC.put(key, &(), to)))
            }
        }

        impl<$($parameter)*> WithCodec for $collection {
            type Codec = KeyedCodec<K, ()>;
            const CODEC: &'static Self::Codec =
                const { &KeyedCodec { key: K::encode, value: encode_nothing } };
        }
    };
}

keys!(
    [K: Encoded + Hash + Eq + Send + Sync + 'static, S: BuildHasher + Send + Sync] TSet<K, S>,
    |set| set.as_map(),
    |removed: bool| removed
);
keys!(
    [K: Encoded + Ord + Send + Sync + 'static] TList<K>,
    |list| list,
    |removed: Option<&K>| removed.is_some()
);

impl<T: Encoded + Send + Sync + 'static> WithCodec for TQueue<T> {
    type Codec = SequenceCodec<T>;
    const CODEC: &'static Self::Codec = const { &SequenceCodec { element: T::encode } };
}

impl<T: Encoded + Send + Sync + 'static> Journaled for TQueue<T> {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        journal.enroll_collection(self, name, Self::CODEC);
    }

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        match SequenceChange::of(change)? {
            SequenceChange::Clear => Ok(self.clear(tx)?),
            SequenceChange::Push(element) => Ok(self.push(tx, element)?),
            SequenceChange::Pop => there(self.pop(tx)?.is_some()),
            SequenceChange::Set(..) | SequenceChange::Swap(..) => Err(ApplyError::NoChange),
        }
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        let mut teller = ChangeTeller::new(change);
        teller.tell(|to| Self::CODEC.clear(to));
        self.fold(view, (), |(), element| teller.tell(|to| Self::CODEC.push(element, to)))
    }
}

impl<T: Encoded + Send + Sync + 'static> WithCodec for TVec<T> {
    type Codec = SequenceCodec<T>;
    const CODEC: &'static Self::Codec = const { &SequenceCodec { element: T::encode } };
}

impl<T: Encoded + Send + Sync + 'static> Journaled for TVec<T> {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        journal.enroll_collection(self, name, Self::CODEC);
    }

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        match SequenceChange::of(change)? {
            SequenceChange::Clear => Ok(self.clear(tx)?),
            SequenceChange::Push(element) => Ok(self.push(tx, element).map(drop)?),
            SequenceChange::Pop => there(self.pop(tx)?.is_some()),
            SequenceChange::Set(place, element) => there(self.set(tx, place, element)?.is_some()),
            SequenceChange::Swap(left, right) => there(self.swap(tx, left, right)?),
        }
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        let mut teller = ChangeTeller::new(change);
        teller.tell(|to| Self::CODEC.clear(to));
        self.fold(view, (), |(), element| teller.tell(|to| Self::CODEC.push(element, to)))
    }
}
