//! `#[derive(Message)]`: which mailbox each variant goes to, how its handler uses the state, and what it is called.

use crate::message_attributes::{access_of, mailbox_of};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result, Variant};

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let whole = mailbox_of(&input.attrs)?.unwrap_or(0);
    let whole_access = access_of(&input.attrs)?;
    let mut highest = whole;
    let (mut mailboxes, mut accesses, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut has_access = whole_access.is_some();
    let whole_access = whole_access.unwrap_or_else(|| quote!(::odeon::__private::Access::Update));
    match &input.data {
        Data::Enum(data) => {
            for variant in &data.variants {
                let pattern = pattern_of(variant);
                let mailbox = mailbox_of(&variant.attrs)?.unwrap_or(whole);
                highest = highest.max(mailbox);
                mailboxes.push(quote!(#pattern => #mailbox,));
                let access = access_of(&variant.attrs)?;
                has_access |= access.is_some();
                let access = access.as_ref().unwrap_or(&whole_access);
                accesses.push(quote!(#pattern => #access,));
                let name = &variant.ident;
                names.push(quote!(#pattern => ::core::stringify!(#name),));
            }
        }
        Data::Struct(_) => {}
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "a union cannot be a message"));
        }
    };
    let count = highest + 1;
    let mailbox = choice(&mailboxes, quote!(#whole));
    let access = has_access.then(|| {
        let access = choice(&accesses, whole_access);
        quote! {
            #[inline(always)]
            fn access(&self) -> ::odeon::__private::Access {
                #access
            }
        }
    });
    let name = &input.ident;
    let message_name = choice(&names, quote!(::core::stringify!(#name)));
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::core::marker::Send));
        parameter.bounds.push(syn::parse_quote!('static));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::odeon::__private::Message for #name #type_generics #where_clause {
            const MAILBOXES: usize = #count;
            #[inline(always)]
            fn mailbox(&self) -> usize {
                #mailbox
            }
            #[cold]
            fn message_name(&self) -> &'static str {
                #message_name
            }
            #access
        }
    })
}

/// Matches every message of a variant.
fn pattern_of(variant: &Variant) -> TokenStream {
    let name = &variant.ident;
    match &variant.fields {
        Fields::Named(_) => quote!(Self::#name { .. }),
        Fields::Unnamed(_) => quote!(Self::#name(..)),
        Fields::Unit => quote!(Self::#name),
    }
}

/// What the arms say; `whole` if there are none.
fn choice(arms: &[TokenStream], whole: TokenStream) -> TokenStream {
    if arms.is_empty() { whole } else { quote!(match self { #(#arms)* }) }
}
