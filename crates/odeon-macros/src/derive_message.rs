//! `#[derive(Message)]`: which mailbox each variant goes to, how its handler uses the state, and
//! what it is called.

use crate::message_attributes::{Mailbox, access_of, mailbox_of, mailboxes_of};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Path, Result, Variant};

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let mailboxes = mailboxes_of(&input.attrs)?;
    let mut addresses = Addresses::new(mailboxes.clone());
    let whole = addresses.number(mailbox_of(&input.attrs, mailboxes.as_ref())?, quote!(0))?;
    let whole_access = access_of(&input.attrs)?;
    let (mut choices, mut accesses, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut has_access = whole_access.is_some();
    let whole_access = whole_access.unwrap_or_else(|| quote!(::odeon::__private::Access::Update));
    match &input.data {
        Data::Enum(data) => {
            for variant in &data.variants {
                let pattern = pattern_of(variant);
                let mailbox = mailbox_of(&variant.attrs, mailboxes.as_ref())?;
                let number = addresses.number(mailbox, whole.clone())?;
                choices.push(quote!(#pattern => #number,));
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
    let count = addresses.count();
    let mailbox = choice(&choices, whole);
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
    let named = addresses.named.as_ref().map(|named| {
        quote! {
            impl #impl_generics ::odeon::__private::MailboxOf<#name #type_generics> for #named #where_clause {}
        }
    });
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
        #named
    })
}

/// Which mailboxes the attributes of a message type name, all in the same way.
struct Addresses {
    /// The enum whose variants name them.
    named: Option<Path>,
    /// The highest number of a mailbox without a name.
    highest: Option<usize>,
}

impl Addresses {
    fn new(named: Option<Path>) -> Self {
        Self { named, highest: None }
    }

    /// The number of a mailbox, as an expression; `otherwise` if none is named.
    fn number(&mut self, mailbox: Option<Mailbox>, otherwise: TokenStream) -> Result<TokenStream> {
        match mailbox {
            None => Ok(otherwise),
            Some(Mailbox::Number(number)) => {
                self.highest = self.highest.max(Some(number));
                match &self.named {
                    None => Ok(quote!(#number)),
                    Some(named) => Err(Error::new_spanned(named, MIXED)),
                }
            }
            Some(Mailbox::Named { mailboxes, variant }) => {
                if self.highest.is_some() {
                    return Err(Error::new_spanned(variant, MIXED));
                }
                let named = self.named.get_or_insert_with(|| mailboxes.clone());
                if *named != mailboxes {
                    let text = "the mailboxes of one message type are variants of one enum";
                    return Err(Error::new_spanned(variant, text));
                }
                Ok(quote!(::odeon::__private::MailboxName::number(#variant)))
            }
        }
    }

    /// How many mailboxes there are, as an expression.
    fn count(&self) -> TokenStream {
        match &self.named {
            Some(named) => quote!(<#named as ::odeon::__private::Mailboxes>::ALL.len()),
            None => {
                let count = self.highest.unwrap_or(0) + 1;
                quote!(#count)
            }
        }
    }
}

const MIXED: &str = "the mailboxes of one message type have either numbers or names";

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
