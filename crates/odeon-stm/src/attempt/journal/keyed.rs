//! How the changes of maps, sets and lists are told: collections in which keys say what is meant.
//!
//! ```text
//! change: CLEAR | PUT key value | REMOVE key
//! ```

use super::{ApplyError, Encoded};

const CLEAR: u8 = 0;
const PUT: u8 = 1;
const REMOVE: u8 = 2;

/// How the keys and values of such a collection become bytes.
pub(crate) struct KeyedCodec<K, V> {
    pub(crate) key: fn(&K, &mut Vec<u8>),
    pub(crate) value: fn(&V, &mut Vec<u8>),
}

impl<K, V> KeyedCodec<K, V> {
    /// There is no key any more.
    pub(crate) fn clear(&self, to: &mut Vec<u8>) {
        to.push(CLEAR);
    }

    /// The key has this value, whether it was there or not.
    pub(crate) fn put(&self, key: &K, value: &V, to: &mut Vec<u8>) {
        to.push(PUT);
        (self.key)(key, to);
        (self.value)(value, to);
    }

    /// The key, which was there, is no more.
    pub(crate) fn remove(&self, key: &K, to: &mut Vec<u8>) {
        to.push(REMOVE);
        (self.key)(key, to);
    }
}

/// What is in the place of values where there are keys only.
pub(crate) fn encode_nothing((): &(), _: &mut Vec<u8>) {}

/// See [`encode_nothing`].
pub(crate) fn decode_nothing(_: &mut &[u8]) -> Option<()> {
    Some(())
}

/// One change.
pub(crate) enum KeyedChange<K, V> {
    Clear,
    Put(K, V),
    Remove(K),
}

impl<K: Encoded, V> KeyedChange<K, V> {
    /// The change that `bytes` are; `value` takes a value off the front.
    pub(crate) fn of(
        bytes: &[u8],
        value: impl FnOnce(&mut &[u8]) -> Option<V>,
    ) -> Result<Self, ApplyError> {
        let (kind, mut rest) = bytes.split_first().ok_or(ApplyError::NoChange)?;
        let rest = &mut rest;
        let change = match *kind {
            CLEAR => Some(Self::Clear),
            PUT => K::decode(rest).and_then(|key| Some(Self::Put(key, value(rest)?))),
            REMOVE => K::decode(rest).map(Self::Remove),
            _ => None,
        };
        change.filter(|_| rest.is_empty()).ok_or(ApplyError::NoChange)
    }
}
