//! `when!`: join patterns.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, Pat, Result, Token, parenthesized};

/// `when!(held, (a from A, b from B) => body, ..)`
pub(crate) struct When {
    held: Expr,
    arms: Vec<Arm>,
}

struct Arm {
    parts: Vec<WhenPart>,
    body: Expr,
}

/// `pattern from mailbox`
struct WhenPart {
    pattern: Pat,
    mailbox: Expr,
}

impl Parse for When {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let held = input.parse()?;
        let mut arms = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                arms.push(input.parse()?);
                // As in a `match`, a block needs no comma behind it.
                let is_block =
                    arms.last().is_some_and(|arm: &Arm| matches!(arm.body, Expr::Block(_)));
                while is_block && !input.is_empty() && !input.peek(Token![,]) {
                    arms.push(input.parse()?);
                }
            }
        }
        if arms.is_empty() {
            return Err(Error::new(input.span(), "when what? `(a from A, b from B) => ..`"));
        }
        Ok(Self { held, arms })
    }
}

impl Parse for Arm {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let parts;
        parenthesized!(parts in input);
        let parts = Punctuated::<WhenPart, Token![,]>::parse_terminated(&parts)?;
        let arrow = input.parse::<Token![=>]>()?;
        if parts.is_empty() {
            return Err(Error::new_spanned(arrow, "a pattern needs at least one mailbox"));
        }
        refuse_twice(parts.iter().map(|part| &part.mailbox))?;
        let body = if input.peek(syn::token::Brace) {
            Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: input.parse()? })
        } else {
            input.parse()?
        };
        Ok(Self { parts: parts.into_iter().collect(), body })
    }
}

/// One message of each mailbox is taken. A mailbox that is named in two ways, or computed, is found
/// when the arm is tried.
fn refuse_twice<'a>(mailboxes: impl Iterator<Item = &'a Expr>) -> Result<()> {
    let mut written = HashSet::new();
    for mailbox in mailboxes {
        let is_name = matches!(mailbox, Expr::Path(_) | Expr::Lit(_));
        if is_name && !written.insert(mailbox.to_token_stream().to_string()) {
            let text = "a pattern takes one message of each mailbox, and this one is named twice";
            return Err(Error::new_spanned(mailbox, text));
        }
    }
    Ok(())
}

impl Parse for WhenPart {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let pattern = Pat::parse_single(input)?;
        let from: Ident = input.parse()?;
        if from != "from" {
            return Err(Error::new(from.span(), "`pattern from mailbox`"));
        }
        Ok(Self { pattern, mailbox: input.parse()? })
    }
}

impl When {
    pub(crate) fn expand(&self) -> TokenStream {
        let held = Ident::new("held", Span::mixed_site());
        let arms = self.arms.iter().map(|arm| arm.expand(&held));
        let expression = &self.held;
        quote! {{
            let mut #held = #expression;
            #(#arms else)* { false }
        }}
    }
}

impl Arm {
    fn expand(&self, held: &Ident) -> TokenStream {
        let messages: Vec<Ident> = (0..self.parts.len())
            .map(|n| format_ident!("message_{}", n, span = Span::mixed_site()))
            .collect();
        let mailboxes = self.parts.iter().map(
            |WhenPart { mailbox, .. }| quote!(::odeon::__private::MailboxName::number(#mailbox)),
        );
        let bindings =
            self.parts.iter().zip(&messages).map(|(WhenPart { pattern, mailbox }, message)| {
                let text = format!(
                    "a message of mailbox {} does not match the pattern written for it",
                    quote!(#mailbox).to_string().replace(" :: ", "::")
                );
                quote! {
                    #[allow(irrefutable_let_patterns)]
                    let #pattern = #message else { ::core::panic!(#text) };
                }
            });
        let body = &self.body;
        let body = quote_spanned!(Span::mixed_site()=> let () = #body;);
        quote! {
            if let ::core::option::Option::Some([#(#messages),*]) = #held.take([#(#mailboxes),*]) {
                #(#bindings)*
                #body
                true
            }
        }
    }
}
