//! `#[guards]`: functions of an actor that say whether mailboxes are open.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, ImplItem, ImplItemFn, ItemImpl, Result, Token};

/// The attribute of a function that guards mailboxes.
const GUARD: &str = "guard";

/// The trait whose guards look at the state through a transaction.
const SPECULATIVE: &str = "SpeculativeActor";

const TAKES_TRANSACTION: &str = "a guard of a speculative actor looks at its state through a transaction: `fn name<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool>`";

/// A function and the mailboxes that it guards.
struct Guard {
    mailboxes: Vec<Expr>,
    function: Ident,
}

pub(crate) fn expand(mut block: ItemImpl) -> Result<TokenStream> {
    let Some((_, of, _)) = &block.trait_ else {
        let text = "`#[guards]` belongs on an `impl Actor for ..`, `impl AsyncActor for ..` or `impl SpeculativeActor for ..`";
        return Err(Error::new_spanned(&block.self_ty, text));
    };
    let is_speculative = of.segments.last().is_some_and(|name| name.ident == SPECULATIVE);
    let (mut guards, mut functions, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for item in block.items {
        match item {
            ImplItem::Fn(mut function) => match take_guarded(&mut function)? {
                mailboxes if mailboxes.is_empty() => rest.push(ImplItem::Fn(function)),
                mailboxes => {
                    if is_speculative && function.sig.inputs.len() != 2 {
                        return Err(Error::new_spanned(&function.sig, TAKES_TRANSACTION));
                    }
                    guards.push(Guard { mailboxes, function: function.sig.ident.clone() });
                    functions.push(function);
                }
            },
            other => rest.push(other),
        }
    }
    if guards.is_empty() {
        let text = "no function is marked `#[guard(..)]`";
        return Err(Error::new_spanned(&block.self_ty, text));
    }
    block.items = rest;
    block.items.push(if is_speculative { admission(&guards) } else { declaration(&guards) });
    let (impl_generics, _, where_clause) = block.generics.split_for_impl();
    let actor = &block.self_ty;
    Ok(quote! {
        #block
        impl #impl_generics #actor #where_clause {
            #(#functions)*
        }
    })
}

/// The mailboxes that a function guards; its attributes for that are taken off.
fn take_guarded(function: &mut ImplItemFn) -> Result<Vec<Expr>> {
    let mut mailboxes = Vec::new();
    for attribute in &function.attrs {
        if attribute.path().is_ident(GUARD) {
            let named =
                attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
            if named.is_empty() {
                return Err(Error::new(attribute.span(), "which mailboxes does it guard?"));
            }
            mailboxes.extend(named);
        }
    }
    function.attrs.retain(|attribute| !attribute.path().is_ident(GUARD));
    Ok(mailboxes)
}

fn declaration(guards: &[Guard]) -> ImplItem {
    let settings = guards.iter().map(|Guard { mailboxes, function }| {
        // A guard of another shape is an error where it stands.
        let call = quote_spanned!(function.span()=> let open: bool = self.#function(););
        quote!({ #call #(guards.set(#mailboxes, open);)* })
    });
    syn::parse_quote! {
        #[inline]
        fn guards(&self, guards: &mut ::odeon::__private::DeclaredGuards<'_, Self::Msg>) {
            #(#settings)*
        }
    }
}

fn admission(guards: &[Guard]) -> ImplItem {
    let questions = guards.iter().map(|Guard { mailboxes, function }| {
        let names =
            mailboxes.iter().map(|name| quote!(::odeon::__private::names::<Self>(#name, mailbox)));
        // As above.
        let call = quote_spanned!(function.span()=> let open: bool = self.#function(tx)?;);
        quote!(if #(#names)||* { #call if !open { return Ok(false); } })
    });
    syn::parse_quote! {
        #[inline]
        fn admits<'t>(
            &'t self,
            mailbox: usize,
            tx: &mut ::odeon::__private::Tx<'t>,
        ) -> ::odeon::__private::TxResult<bool> {
            #(#questions)*
            Ok(true)
        }
    }
}
