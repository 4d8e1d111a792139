//! A reader without bytes: it notes what is asked for.

use std::any::type_name;
use std::fmt;

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::shapes::{self, ANSWERS, OpenShape, ShapeOrVariant};

/// See the module.
pub(super) struct Tracer;

/// The type refuses what is made up, or nothing more is read.
#[derive(Debug)]
pub(super) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing can be made up for it")
    }
}

impl std::error::Error for Refused {}

impl Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// What is answered where a text is asked for: types that read texts have their own ideas of them.
const TEXTS: [&str; ANSWERS] = ["", "0", "1970-01-01T00:00:00Z", "127.0.0.1"];

/// The same of bytes.
const BYTES: [&[u8]; ANSWERS] = [&[], &[0; 4], &[0; 16], &[0; 32]];

/// And of numbers: many refuse 0.
const NUMBERS: [u8; ANSWERS] = [1, 0, 2, 7];

macro_rules! numbers {
    ($($name:ident $visit:ident $type:ty;)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            leaf(stringify!($type), |answer| visitor.$visit(NUMBERS[answer] as $type))
        })*
    };
}

/// Values of whose type nothing is known: bytes do not say it either.
macro_rules! unknown {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
            leaf(stringify!($name), |_| Err(Refused))
        })*
    };
}

fn leaf<R>(
    name: &'static str,
    visit: impl FnOnce(usize) -> Result<R, Refused>,
) -> Result<R, Refused> {
    let result = shapes::step().ok_or(Refused).and_then(visit);
    shapes::note_leaf(name);
    result
}

/// A value with parts is read by `visit`, which is given who it is.
fn whole<'de, V: Visitor<'de>, R>(
    label: impl FnOnce() -> String,
    visit: impl FnOnce(V, &OpenShape) -> Result<R, Refused>,
    visitor: V,
) -> Result<R, Refused> {
    let open = OpenShape::begin(type_name::<V>(), label).ok_or(Refused)?;
    visit(visitor, &open)
}

fn all(what: &str, name: &str, parts: &[&str]) -> String {
    format!("{what} {name} {}", parts.join(","))
}

impl<'de> Deserializer<'de> for Tracer {
    type Error = Refused;

    numbers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
        deserialize_f32 visit_f32 f32;
        deserialize_f64 visit_f64 f64;
        deserialize_char visit_char char;
    }

    unknown! { deserialize_any deserialize_ignored_any deserialize_identifier }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        leaf("bool", |_| visitor.visit_bool(false))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        leaf("text", |answer| visitor.visit_borrowed_str(TEXTS[answer]))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        leaf("bytes", |answer| visitor.visit_borrowed_bytes(BYTES[answer]))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        leaf("unit", |_| visitor.visit_unit())
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(|| all("unit", name, &[]), |visitor, _| visitor.visit_unit(), visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        whole(
            || "option".into(),
            |visitor: V, open| {
                if open.is_known {
                    return visitor.visit_none();
                }
                shapes::part((open.number, None), 0, || visitor.visit_some(Tracer))
            },
            visitor,
        )
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(
            || all("newtype", name, &[]),
            |visitor: V, open| {
                shapes::part((open.number, None), 0, || visitor.visit_newtype_struct(Tracer))
            },
            visitor,
        )
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        whole(
            || "list".into(),
            |visitor: V, open| {
                visitor.visit_seq(RemainingParts::of(open, usize::from(!open.is_known)))
            },
            visitor,
        )
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        whole(
            || "map".into(),
            |visitor: V, open| {
                visitor.visit_map(RemainingParts::of(open, 2 * usize::from(!open.is_known)))
            },
            visitor,
        )
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(
            || format!("tuple {len}"),
            |visitor: V, open| visitor.visit_seq(RemainingParts::of(open, len)),
            visitor,
        )
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(
            || format!("tuple {name} {len}"),
            |visitor: V, open| visitor.visit_seq(RemainingParts::of(open, len)),
            visitor,
        )
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(
            || all("struct", name, fields),
            |visitor: V, open| visitor.visit_seq(RemainingParts::of(open, fields.len())),
            visitor,
        )
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        whole(
            || all("enum", name, variants),
            |visitor: V, open| {
                let variant = open.variant(variants).ok_or(Refused)?;
                let value = visitor.visit_enum(Which { shape: open.number, variant });
                open.ends_with(variant, value.is_ok());
                value
            },
            visitor,
        )
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The parts of a value, one after the other.
struct RemainingParts {
    place: ShapeOrVariant,
    next: usize,
    len: usize,
}

impl RemainingParts {
    fn of(open: &OpenShape, len: usize) -> Self {
        Self { place: (open.number, None), next: 0, len }
    }

    fn read<'de, S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Refused> {
        self.next += 1;
        shapes::part(self.place, self.next - 1, || seed.deserialize(Tracer))
    }
}

impl<'de> SeqAccess<'de> for RemainingParts {
    type Error = Refused;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Refused> {
        if self.next == self.len { Ok(None) } else { self.read(seed).map(Some) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len - self.next)
    }
}

impl<'de> MapAccess<'de> for RemainingParts {
    type Error = Refused;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Refused> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Refused> {
        self.read(seed)
    }
}

/// A variant of an enum.
struct Which {
    shape: usize,
    variant: usize,
}

impl Which {
    fn place(&self) -> ShapeOrVariant {
        (self.shape, Some(self.variant))
    }

    fn parts(self, len: usize) -> RemainingParts {
        RemainingParts { place: self.place(), next: 0, len }
    }
}

impl<'de> EnumAccess<'de> for Which {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Refused> {
        let number = u32::try_from(self.variant).map_err(|_| Refused)?;
        let which: U32Deserializer<Refused> = number.into_deserializer();
        Ok((seed.deserialize(which)?, self))
    }
}

impl<'de> VariantAccess<'de> for Which {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        shapes::note_variant(self.place(), || "unit".into());
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Refused> {
        shapes::note_variant(self.place(), || "newtype".into());
        shapes::part(self.place(), 0, || seed.deserialize(Tracer))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Refused> {
        shapes::note_variant(self.place(), || format!("tuple {len}"));
        visitor.visit_seq(self.parts(len))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        shapes::note_variant(self.place(), || all("struct", "", fields));
        visitor.visit_seq(self.parts(fields.len()))
    }
}
