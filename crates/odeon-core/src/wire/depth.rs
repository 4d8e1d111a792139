//! A limit for values inside of values, where they are read.
//!
//! A type may contain itself, and then bytes say how often: a byte or two for each time, and for each a frame of the stack, at the end of which the process
//! is. So whatever is read is read through a [`Limited`], which counts.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::error::WireError;
use super::passage;

/// TUNE: guessed 2026-11, and what serde_json has: types that do not contain themselves come to some ten; a frame may have some kilobytes.
pub(super) const DEEPEST: u8 = 128;

/// What reads a value, gives or takes its parts, and how many levels there may be inside of it.
pub(super) struct Limited<T> {
    pub(super) inner: T,
    pub(super) left: u8,
}

impl<T> Limited<T> {
    #[inline]
    fn inside<U>(left: u8, inner: U) -> Limited<U> {
        Limited { inner, left }
    }

    /// How many levels there may be one level further in.
    #[inline]
    fn deeper<E: Error>(&self) -> Result<u8, E> {
        self.left.checked_sub(1).ok_or_else(too_deep)
    }
}

#[cold]
fn too_deep<E: Error>() -> E {
    passage::refuse(WireError::TooDeep);
    E::custom(WireError::TooDeep)
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
    ($($name:ident($($argument:ident: $type:ty),*))*) => {
        $(#[inline]
        fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let left = self.deeper()?;
            self.inner.$name($($argument,)* Self::inside(left, visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Limited<D> {
    type Error = D::Error;

    flat! {
        deserialize_any deserialize_ignored_any deserialize_identifier
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
    }

    nested! {
        deserialize_option()
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
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

impl<'de, V: Visitor<'de>> Visitor<'de> for Limited<V> {
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
        self.inner.visit_some(Self::inside(self.left, some))
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Self::inside(self.left, inner))
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Self::inside(self.left, seq))
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Self::inside(self.left, map))
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Self::inside(self.left, data))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Limited<S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Self::inside(self.left, deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Limited<A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Self::inside(self.left, seed))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Limited<A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(Self::inside(self.left, seed))
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Self::inside(self.left, seed))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Limited<A> {
    type Error = A::Error;
    type Variant = Limited<A::Variant>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        // Which one it is has no parts.
        let (which, variant) = self.inner.variant_seed(seed)?;
        Ok((which, Self::inside(self.left, variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Limited<A> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(Self::inside(self.left, seed))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, Self::inside(self.left, visitor))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, Self::inside(self.left, visitor))
    }
}
