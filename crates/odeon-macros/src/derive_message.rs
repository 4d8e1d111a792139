//! `#[derive(Message)]`: which mailbox each variant goes to, and what it is called.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, LitInt, Result};

/// As `odeon_core` has it; a message type that exceeds it would not compile anyway, but without a
/// position.
const MAX_MAILBOXES: usize = 64;

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let whole = mailbox_of(&input.attrs)?;
    let mut names = Vec::new();
    let (arms, highest) = match &input.data {
        Data::Enum(data) => {
            let mut arms = Vec::new();
            let mut highest = whole.unwrap_or(0);
            for variant in &data.variants {
                let mailbox = mailbox_of(&variant.attrs)?.or(whole).unwrap_or(0);
                highest = highest.max(mailbox);
                let name = &variant.ident;
                let fields = match &variant.fields {
                    Fields::Named(_) => quote!({ .. }),
                    Fields::Unnamed(_) => quote!((..)),
                    Fields::Unit => quote!(),
                };
                arms.push(quote!(Self::#name #fields => #mailbox,));
                names.push(quote!(Self::#name #fields => ::core::stringify!(#name),));
            }
            (arms, highest)
        }
        Data::Struct(_) => (Vec::new(), whole.unwrap_or(0)),
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span(), "a union cannot be a message"));
        }
    };
    let mailboxes = highest + 1;
    let body = if arms.is_empty() { quote!(#highest) } else { quote!(match self { #(#arms)* }) };
    let name = &input.ident;
    let message_name = if names.is_empty() {
        quote!(::core::stringify!(#name))
    } else {
        quote!(match self { #(#names)* })
    };
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::core::marker::Send));
        parameter.bounds.push(syn::parse_quote!('static));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::odeon::__private::Message for #name #type_generics #where_clause {
            const MAILBOXES: usize = #mailboxes;
            #[inline(always)]
            fn mailbox(&self) -> usize {
                #body
            }
            #[cold]
            fn message_name(&self) -> &'static str {
                #message_name
            }
        }
    })
}

/// The number in `#[mailbox(n)]`, if the attribute is there.
fn mailbox_of(attributes: &[Attribute]) -> Result<Option<usize>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("mailbox")) {
        if found.is_some() {
            return Err(Error::new(attribute.span(), "one mailbox is enough"));
        }
        let number: LitInt = attribute.parse_args()?;
        let mailbox: usize = number.base10_parse()?;
        if mailbox >= MAX_MAILBOXES {
            return Err(Error::new(
                number.span(),
                format!("mailboxes are numbered 0 to {}", MAX_MAILBOXES - 1),
            ));
        }
        found = Some(mailbox);
    }
    Ok(found)
}
