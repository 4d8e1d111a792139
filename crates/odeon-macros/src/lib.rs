//! Derive macros of Odeon. Use them through the facade crate `odeon`.
#![forbid(unsafe_code)]

mod derive_message;

use proc_macro::TokenStream;

/// Makes a type a message: `#[derive(Message)]`.
///
/// On an enum, `#[mailbox(n)]` on a variant names the mailbox its messages go to (0 without it);
/// the actor then has as many mailboxes as the highest number requires, at most 64. On a struct, or
/// on the whole enum, `#[mailbox(n)]` holds for every message of the type.
///
/// In reports a message is called as its variant, or as the struct.
#[proc_macro_derive(Message, attributes(mailbox))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_message::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
