//! Derive macros of Odeon. Use them through the facade crate `odeon`.
#![forbid(unsafe_code)]

mod derive_durable;
mod derive_mailboxes;
mod derive_message;
mod derive_transactional;
mod durable_attributes;
mod guards;
mod message_attributes;
mod when;

use proc_macro::TokenStream;

/// Makes a type a message: `#[derive(Message)]`.
///
/// On an enum, `#[mailbox(..)]` on a variant names the mailbox its messages go to (the first one
/// without it): a variant of an enum with [`#[derive(Mailboxes)]`](macro@Mailboxes), or a number.
/// The actor then has as many mailboxes as that enum has variants, or as the highest number
/// requires, at most 64. On a struct, or on the whole enum, the attribute holds for every message
/// of the type.
///
/// `#[mailboxes(Enum)]` on the type says which mailboxes its actors have also if no message names
/// one, because senders do; with it `#[mailbox(Variant)]` needs no path.
///
/// `#[access(kind)]`, in the same places, says how the handler uses the state of an actor that
/// handles several messages at once: `update` (without it), `snapshot`, `relaxed` or `exclusive`.
/// It becomes the message's `access`, which speculative actors ask; others handle one message at a
/// time whatever it says.
///
/// In reports a message is called as its variant, or as the struct.
#[proc_macro_derive(Message, attributes(mailbox, mailboxes, access))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_message::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Names mailboxes: `#[derive(Mailboxes, Clone, Copy)]` on an enum without fields, at most 64
/// variants. The first one goes first.
///
/// A message type whose `#[mailbox(..)]` attributes name variants has these mailboxes.
#[proc_macro_derive(Mailboxes)]
pub fn derive_mailboxes(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_mailboxes::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Looks at the state of a speculative actor: `#[derive(Transactional)]` refuses fields that
/// handlers could change outside of their transactions: cells, locks and atomics, by the names of
/// their types, also within others such as `Arc<Mutex<..>>`. It makes nothing.
///
/// A field that is to be outside, a count of attempts for example, says so:
/// `#[transactional(outside)]`.
#[proc_macro_derive(Transactional, attributes(transactional))]
pub fn derive_transactional(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_transactional::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct a state that can be made again from a log: `#[derive(Durable)]`.
///
/// Each field has a number, by which the log calls it, or is not logged:
///
/// | attribute | says |
/// |---|---|
/// | `#[durable(1)]` on a field | its number, from 1 on; the field is a variable, an array of these, or a struct that derives `Durable` |
/// | `#[durable(skip)]` on a field | it is not logged, and what the program makes it |
/// | `#[durable(5, was(2, Type, convert))]` on a field | it had the number 2 when it was of that type, which implements `Default`; `convert` takes the old value over |
/// | `#[durable(5, was(2, Type = initial, convert))]` on a field | the same, and what the program made it then; `self` is the struct as it is |
/// | `#[durable(removed(3, 4))]` on the struct | it had fields with these numbers; what a log has of them is passed over |
/// | `#[durable(crate = path)]` on the struct | where `odeon_durable` is, for a crate without the facade |
///
/// A number is given once and for all: to two fields, or to one after another was removed, it
/// cannot be given. `convert` is a
/// `for<'t> Fn(&'t Old, &'t New, &mut Tx<'t>) -> Result<(), Rollback>`.
///
/// The module `durable::state` of the facade has examples, and what becomes of a log when the
/// types of a program change.
#[proc_macro_derive(Durable, attributes(durable))]
pub fn derive_durable(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive_durable::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Declared guards: `#[guards]` on an `impl Actor`, `impl AsyncActor` or `impl SpeculativeActor`,
/// with functions in it that are marked `#[guard(mailbox, ..)]`. Each takes `&self` and says
/// whether these mailboxes are open in the actor's present state.
///
/// Such a function becomes one of the type's own, and the actor's `guards` function calls it.
///
/// On an `impl SpeculativeActor` each such function also takes a transaction, through which it
/// looks at the state: `fn has_room<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool>`. The actor's
/// `admits` function calls it, in the transaction of each message of these mailboxes. Of several
/// guards of one mailbox all have to agree. The trait is known by its name: do not rename it.
#[proc_macro_attribute]
pub fn guards(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let _: syn::parse::Nothing = syn::parse_macro_input!(attributes);
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    guards::expand(block).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Join patterns: fires when several mailboxes have a message each.
///
/// `when!(self.joins.hold(msg, ctx), (a from Port::A, b from Port::B) => .., ..)`, where `joins` is
/// a `patterns::Joins`. Each arm names mailboxes (names or numbers), and a pattern for the message
/// of each. Of the arms whose mailboxes all have a message the first one takes these messages and
/// runs. The macro's value says whether one has.
///
/// An arm that names a mailbox twice does not compile.
///
/// # Panics
/// If a message does not match the pattern that is written for its mailbox, or an arm names a
/// mailbox twice in two ways.
#[proc_macro]
pub fn when(input: TokenStream) -> TokenStream {
    let when = syn::parse_macro_input!(input as when::When);
    when.expand().into()
}
