//! The attributes of `#[derive(Message)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::Parse;
use syn::spanned::Spanned;
use syn::{Attribute, Error, LitInt, Result};

/// As `odeon_core` has it; a message type that exceeds it would not compile anyway, but without a
/// position.
const MAX_MAILBOXES: usize = 64;

/// The number in `#[mailbox(n)]`, if the attribute is there.
pub(crate) fn mailbox_of(attributes: &[Attribute]) -> Result<Option<usize>> {
    let Some(number) = the_only::<LitInt>(attributes, "mailbox")? else { return Ok(None) };
    let mailbox: usize = number.base10_parse()?;
    if mailbox >= MAX_MAILBOXES {
        let text = format!("mailboxes are numbered 0 to {}", MAX_MAILBOXES - 1);
        return Err(Error::new(number.span(), text));
    }
    Ok(Some(mailbox))
}

/// The variant of `odeon_core::Access` that `#[access(kind)]` names, if the attribute is there.
pub(crate) fn access_of(attributes: &[Attribute]) -> Result<Option<TokenStream>> {
    let Some(kind) = the_only::<Ident>(attributes, "access")? else { return Ok(None) };
    let variant = match kind.to_string().as_str() {
        "update" => quote!(Update),
        "snapshot" => quote!(Snapshot),
        "relaxed" => quote!(Relaxed),
        "exclusive" => quote!(Exclusive),
        _ => {
            let text = "the kinds of access are `update`, `snapshot`, `relaxed` and `exclusive`";
            return Err(Error::new(kind.span(), text));
        }
    };
    Ok(Some(quote!(::odeon::__private::Access::#variant)))
}

/// What is in the parentheses of the attribute of this name.
fn the_only<T: Parse>(attributes: &[Attribute], name: &str) -> Result<Option<T>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        if found.is_some() {
            return Err(Error::new(attribute.span(), format!("one {name} is enough")));
        }
        found = Some(attribute.parse_args()?);
    }
    Ok(found)
}
