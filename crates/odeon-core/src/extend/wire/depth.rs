//! Limits for values inside of values, where they are read.
//!
//! A type may contain itself, and then bytes say how often: a byte or two for each time, and for
//! each a frame of the stack, at the end of which the process is. And elements that are written as
//! nothing, as `()`, come from a length alone, which says for how long they are read. So whatever
//! is read is read through a [`Limited`], which counts both.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::error::WireError;
use super::passage;

/// TUNE: guessed 2026-11, and what serde_json has: types that do not contain themselves come to
/// some ten; a frame may have some kilobytes.
pub(super) const DEEPEST: u8 = 128;

/// TUNE: guessed 2026-11: how many elements of lists and maps are read that take no byte each: far
/// more than anybody sends, and read in a millisecond.
const MOST_OF_NOTHING: usize = 1 << 16;

/// What reads a value, gives or takes its parts, and how much there may be inside of it.
pub(super) struct Limited<'l, T> {
    inner: T,
    limits: Limits<'l>,
}

/// See the module.
#[derive(Clone, Copy)]
pub(super) struct Limits<'l> {
    /// How many levels.
    left: u8,
    /// How many elements of lists and maps: one for each byte, and some more.
    elements: &'l Cell<usize>,
    /// These are elements of a list or map.
    counts: bool,
}

impl<'l> Limits<'l> {
    /// `elements`: [as many](most_elements) as there may be.
    #[inline]
    pub(super) fn of(elements: &'l Cell<usize>) -> Self {
        Self { left: DEEPEST, elements, counts: false }
    }

    #[inline]
    pub(super) fn around<T>(self, inner: T) -> Limited<'l, T> {
        Limited { inner, limits: self }
    }

    /// One level further in.
    #[inline]
    fn deeper<E: Error>(self, counts: bool) -> Result<Self, E> {
        let left = self.left.checked_sub(1).ok_or_else(too_deep)?;
        Ok(Self { left, counts, ..self })
    }

    /// One more element.
    #[inline]
    fn count<E: Error>(self) -> Result<(), E> {
        if self.counts {
            self.elements.set(self.elements.get().checked_sub(1).ok_or_else(too_many)?);
        }
        Ok(())
    }
}

/// How many elements so many bytes may have.
pub(super) fn most_elements(bytes: usize) -> Cell<usize> {
    Cell::new(bytes.saturating_add(MOST_OF_NOTHING))
}

#[cold]
fn too_deep<E: Error>() -> E {
    passage::refuse(WireError::TooDeep);
    E::custom(WireError::TooDeep)
}

#[cold]
fn too_many<E: Error>() -> E {
    passage::refuse(WireError::TooMany);
    E::custom(WireError::TooMany)
}

/// Values without parts.
macro_rules! flat {
    ($($name:ident)*) => {
        $(#[inline]
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$name(visitor)
        })*
    };
}

/// Values with parts, one level further in.
macro_rules! nested {
    ($counts:literal: $($name:ident($($argument:ident: $type:ty),*))*) => {
        $(#[inline]
        fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let limits = self.limits.deeper($counts)?;
            self.inner.$name($($argument,)* limits.around(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Limited<'_, D> {
    type Error = D::Error;

    flat! {
        deserialize_any deserialize_ignored_any deserialize_identifier
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
    }

    nested! { true:
        deserialize_seq()
        deserialize_map()
    }

    nested! { false:
        deserialize_option()
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, visitor)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Limited<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(self.limits.around(some))
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(self.limits.around(inner))
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(self.limits.around(seq))
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(self.limits.around(map))
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(self.limits.around(data))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Limited<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(self.limits.around(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let element = self.inner.next_element_seed(self.limits.around(seed))?;
        if element.is_some() {
            self.limits.count()?;
        }
        Ok(element)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let key = self.inner.next_key_seed(self.limits.around(seed))?;
        if key.is_some() {
            self.limits.count()?;
        }
        Ok(key)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(self.limits.around(seed))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        // The format says what the bytes say: more than there are.
        self.inner.size_hint().map(|hint| hint.min(self.limits.elements.get()))
    }
}

impl<'de, 'l, A: EnumAccess<'de>> EnumAccess<'de> for Limited<'l, A> {
    type Error = A::Error;
    type Variant = Limited<'l, A::Variant>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        // Which one it is has no parts.
        let (which, variant) = self.inner.variant_seed(seed)?;
        Ok((which, self.limits.around(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(self.limits.around(seed))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, self.limits.around(visitor))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, self.limits.around(visitor))
    }
}
