//! `#[derive(Mailboxes)]`: an enum whose variants name the mailboxes of an actor.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

use crate::message_attributes::MAX_MAILBOXES;

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(name, "mailboxes are the variants of an enum"));
    };
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "names of mailboxes have no parameters"));
    }
    if data.variants.is_empty() {
        return Err(Error::new_spanned(name, "an actor has at least one mailbox"));
    }
    for (number, variant) in data.variants.iter().enumerate() {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(&variant.fields, "the name of a mailbox has no fields"));
        }
        if let Some((_, discriminant)) = &variant.discriminant {
            let text = "mailboxes are numbered in the order of the variants";
            return Err(Error::new_spanned(discriminant, text));
        }
        if number >= MAX_MAILBOXES {
            let text = format!("an actor has at most {MAX_MAILBOXES} mailboxes");
            return Err(Error::new_spanned(variant, text));
        }
    }
    let variants = data.variants.iter().map(|variant| &variant.ident);
    Ok(quote! {
        impl ::odeon::__private::MailboxName for #name {
            #[inline(always)]
            fn number(self) -> usize {
                self as usize
            }
        }
        impl ::odeon::__private::Mailboxes for #name {
            const ALL: &'static [Self] = &[#(Self::#variants),*];
        }
    })
}
