//! `#[derive(Transactional)]`: refuses a speculative actor's state that handlers could change
//! outside of their transactions.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, Error, Field, Result};

/// Types whose contents change through a shared reference without a transaction.
const OUTSIDE: [&str; 12] = [
    "ArcSwap",
    "Cell",
    "LazyCell",
    "LazyLock",
    "Mutex",
    "Once",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "SyncUnsafeCell",
    "UnsafeCell",
];

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "a union is no state")),
    };
    let refused = fields.into_iter().filter_map(|field| match is_outside(field) {
        Ok(false) => refuse(field.ty.to_token_stream()),
        Ok(true) => None,
        Err(error) => Some(error),
    });
    match refused.reduce(|mut all, error| {
        all.combine(error);
        all
    }) {
        Some(errors) => Err(errors),
        None => Ok(TokenStream::new()),
    }
}

/// Whether the field is meant to be outside of transactions: `#[transactional(outside)]`.
fn is_outside(field: &Field) -> Result<bool> {
    let mut is_outside = false;
    for attribute in field.attrs.iter().filter(|each| each.path().is_ident("transactional")) {
        attribute.parse_nested_meta(|meta| {
            is_outside = meta.path.is_ident("outside");
            if is_outside { Ok(()) } else { Err(meta.error("`outside` is what can be said here")) }
        })?;
    }
    Ok(is_outside)
}

/// Types are known by their names, wherever they stand in the field's type.
fn refuse(of: TokenStream) -> Option<Error> {
    of.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => refuse(group.stream()),
        TokenTree::Ident(name) => refused(&name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

fn refused(name: &Ident) -> Option<Error> {
    let text = name.to_string();
    if !OUTSIDE.contains(&&*text) && !text.starts_with("Atomic") {
        return None;
    }
    let text = format!(
        "what is written to `{text}` stays when an attempt is rolled back, and conflicts with nobody: use `TVar`, \
         `TCounter`, `TMap` and so on; if it is to be outside of transactions: `#[transactional(outside)]`"
    );
    Some(Error::new(name.span(), text))
}
