//! The attributes of `#[derive(Durable)]`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Field, Ident, LitInt, Path, Result, Token, Type, parenthesized};

const WHAT_A_FIELD_SAYS: &str = "a field of a durable state says `#[durable(1)]`, with a number that no other field of the \
     struct has or had, or `#[durable(skip)]` if it is not logged";

/// What a field says of itself that is logged.
pub(crate) struct LoggedAs {
    pub(crate) number: FieldNumber,
    pub(crate) was: Option<Was>,
}

/// A number in a log, where it is written.
pub(crate) struct FieldNumber {
    pub(crate) number: u32,
    pub(crate) written: LitInt,
}

/// What a field was before it had another type: `was(number, Type, convert)`, or
/// `was(number, Type = initial, convert)`.
pub(crate) struct Was {
    pub(crate) number: FieldNumber,
    pub(crate) of: Type,
    pub(crate) initial: Option<Expr>,
    pub(crate) convert: Expr,
}

/// What a struct says of itself.
#[derive(Default)]
pub(crate) struct Durability {
    pub(crate) removed: Vec<FieldNumber>,
    /// Where the macro's output finds `odeon-durable`.
    pub(crate) found_at: Option<Path>,
}

impl LoggedAs {
    /// `None` if the field is not logged.
    pub(crate) fn of(field: &Field) -> Result<Option<Self>> {
        let mut attributes = durable(&field.attrs);
        let Some(attribute) = attributes.next() else {
            return Err(Error::new_spanned(&field.ty, WHAT_A_FIELD_SAYS));
        };
        if let Some(second) = attributes.next() {
            let text = "one `durable` is enough: `#[durable(2, was(1, ..))]`";
            return Err(Error::new_spanned(second, text));
        }
        attribute.parse_args_with(Self::parse_unless_skipped)
    }

    fn parse_unless_skipped(input: ParseStream<'_>) -> Result<Option<Self>> {
        if input.peek(Ident) {
            let word: Ident = input.parse()?;
            let text = match &*word.to_string() {
                "skip" if input.is_empty() => return Ok(None),
                "skip" => "what is not logged has no number, and was nothing",
                "removed" => "`removed` stands on the struct",
                "was" => "the number of the field comes first: `#[durable(2, was(1, ..))]`",
                _ => WHAT_A_FIELD_SAYS,
            };
            return Err(Error::new(word.span(), text));
        }
        if !input.peek(LitInt) {
            return Err(input.error(WHAT_A_FIELD_SAYS));
        }
        let number = input.parse()?;
        if input.is_empty() {
            return Ok(Some(Self { number, was: None }));
        }
        input.parse::<Token![,]>()?;
        let was = input.parse()?;
        if input.is_empty() {
            return Ok(Some(Self { number, was: Some(was) }));
        }
        Err(input.error(
            "a field has one `was`: let the program between write a snapshot before its type changes again",
        ))
    }
}

impl Parse for FieldNumber {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let written: LitInt = input.parse()?;
        match written.base10_parse() {
            Ok(0) => Err(Error::new(written.span(), "fields are numbered from 1 on")),
            Ok(number) => Ok(Self { number, written }),
            Err(_) => Err(Error::new(written.span(), "the number of a field is a `u32`")),
        }
    }
}

impl Parse for Was {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let text = "what can follow the number is `was(number, Type, convert)`";
        let word: Ident = input.parse().map_err(|error| Error::new(error.span(), text))?;
        if word != "was" {
            return Err(Error::new(word.span(), text));
        }
        let inside;
        parenthesized!(inside in input);
        let number = inside.parse()?;
        inside.parse::<Token![,]>()?;
        let of = inside.parse()?;
        let initial = match inside.parse::<Option<Token![=]>>()? {
            Some(_) => Some(inside.parse()?),
            None => None,
        };
        if inside.is_empty() {
            let text = "what takes the old value over is missing: `was(number, Type, convert)`";
            return Err(Error::new(word.span(), text));
        }
        inside.parse::<Token![,]>()?;
        let convert = inside.parse()?;
        inside.parse::<Option<Token![,]>>()?;
        if inside.is_empty() {
            Ok(Self { number, of, initial, convert })
        } else {
            Err(inside.error("nothing follows what takes the old value over"))
        }
    }
}

impl Durability {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut all = Self::default();
        for attribute in durable(attributes) {
            attribute.parse_args_with(|input: ParseStream<'_>| all.parse_one_by_one(input))?;
        }
        Ok(all)
    }

    fn parse_one_by_one(&mut self, input: ParseStream<'_>) -> Result<()> {
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                self.found_at = Some(input.call(Path::parse_mod_style)?);
            } else {
                self.parse_removed(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    fn parse_removed(&mut self, input: ParseStream<'_>) -> Result<()> {
        let text = "what a durable struct can say of itself is `removed(3, 4)`, with the numbers of fields that it \
                    had, and `crate = path`, where `odeon_durable` is";
        let word: Ident = input.parse().map_err(|error| Error::new(error.span(), text))?;
        if word != "removed" {
            return Err(Error::new(word.span(), text));
        }
        let inside;
        parenthesized!(inside in input);
        self.removed.extend(Punctuated::<FieldNumber, Token![,]>::parse_terminated(&inside)?);
        Ok(())
    }
}

fn durable(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("durable"))
}

impl FieldNumber {
    pub(crate) fn refused(&self, text: &str) -> Error {
        Error::new(self.written.span(), format!("{} {text}", self.number))
    }
}
