//! Derive macros of Odeon. Use them through the facade crate `odeon`.
#![forbid(unsafe_code)]

mod derive_message;
mod message_attributes;

use proc_macro::TokenStream;

/// Makes a type a message: `#[derive(Message)]`.
///
/// On an enum, `#[mailbox(n)]` on a variant names the mailbox its messages go to (0 without it);
/// the actor then has as many mailboxes as the highest number requires, at most 64. On a struct, or
/// on the whole enum, `#[mailbox(n)]` holds for every message of the type.
///
/// `#[access(kind)]`, in the same places, says how the handler uses the state of an actor that handles several messages at
/// once: `update` (without it), `snapshot`, `relaxed` or `exclusive`. It becomes the message's `access`, which
/// speculative actors ask; others handle one message at a time whatever it says.
///
/// In reports a message is called as its variant, or as the struct.
#[proc_macro_derive(Message, attributes(mailbox, access))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_message::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
