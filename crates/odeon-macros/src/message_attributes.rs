//! The attributes of `#[derive(Message)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::Parse;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, ExprPath, Lit, Path, Result};

/// As `odeon_core` has it; a message type that exceeds it would not compile anyway, but without a
/// position.
pub(crate) const MAX_MAILBOXES: usize = 64;

/// A mailbox in an attribute.
pub(crate) enum Mailbox {
    Number(usize),
    /// A variant of an enum with `#[derive(Mailboxes)]`.
    Named {
        mailboxes: Path,
        variant: Path,
    },
}

/// The mailbox in `#[mailbox(..)]`, if the attribute is there: a number, a path to a variant, or
/// the variant alone if the message type says of which enum.
pub(crate) fn mailbox_of(attributes: &[Attribute], of: Option<&Path>) -> Result<Option<Mailbox>> {
    let Some(expression) = the_only::<Expr>(attributes, "mailbox")? else { return Ok(None) };
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            let mailbox: usize = number.base10_parse()?;
            if mailbox >= MAX_MAILBOXES {
                let text = format!("mailboxes are numbered 0 to {}", MAX_MAILBOXES - 1);
                return Err(Error::new(number.span(), text));
            }
            Ok(Some(Mailbox::Number(mailbox)))
        }
        Expr::Path(ExprPath { qself: None, path, .. }) => named(path, of).map(Some),
        other => {
            let text = "a mailbox is a number, or a variant of an enum with `#[derive(Mailboxes)]`";
            Err(Error::new_spanned(other, text))
        }
    }
}

fn named(variant: Path, of: Option<&Path>) -> Result<Mailbox> {
    if variant.segments.len() > 1 {
        let mut mailboxes = variant.clone();
        mailboxes.segments.pop();
        // The separator before the last segment goes too.
        mailboxes.segments.pop_punct();
        return Ok(Mailbox::Named { mailboxes, variant });
    }
    let Some(mailboxes) = of else {
        let text = "a variant of which enum? Write `Mailboxes::Variant`, or `#[mailboxes(Mailboxes)]` on the message type";
        return Err(Error::new_spanned(variant, text));
    };
    let mut path = mailboxes.clone();
    path.segments.extend(variant.segments);
    Ok(Mailbox::Named { mailboxes: mailboxes.clone(), variant: path })
}

/// The enum in `#[mailboxes(..)]`, if the attribute is there.
pub(crate) fn mailboxes_of(attributes: &[Attribute]) -> Result<Option<Path>> {
    the_only(attributes, "mailboxes")
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
