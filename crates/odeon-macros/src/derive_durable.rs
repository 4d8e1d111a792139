//! `#[derive(Durable)]`: which variables a state has, and the numbers by which a log calls them.

use crate::durable_attributes::{Durability, FieldNumber, LoggedAs, Was};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Generics, Member, Result, Type, parse_quote};

pub(crate) fn expand(input: DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            let text = "which variant an enum is cannot be logged: a `TVar` can have it as its value, and a durable \
                        state is a struct";
            return Err(Error::new(data.enum_token.span, text));
        }
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "a union is no state"));
        }
    };
    let durability = Durability::of(&input.attrs)?;
    let numbered = numbered_fields(fields)?;
    refuse_numbers_twice(&numbered, &durability.removed)?;

    let at = match &durability.found_at {
        Some(path) => quote!(#path::state),
        None => quote!(::odeon::durable::state),
    };
    let children = numbered.iter().map(|field| field.child(&at));
    let table = numbered.iter().map(|field| field.row(&at));
    let removed = durability.removed.iter().map(|removed| removed.number);
    let former = former(&numbered, &at);
    let generics = with_bounds(&input.generics, &numbered, &at);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics #at::Durable for #name #type_generics #where_clause {
            fn node(&self) -> #at::Node<'_> {
                #at::Node::Branch(self)
            }
        }
        #[automatically_derived]
        impl #impl_generics #at::Branch for #name #type_generics #where_clause {
            fn children(&self) -> #at::Children {
                const TABLE: &#at::FieldTable =
                    &#at::FieldTable { fields: &[#(#table),*], removed: &[#(#removed),*] };
                #at::Children::Fields(TABLE)
            }
            fn child(&self, number: u32) -> ::core::option::Option<#at::Node<'_>> {
                match number {
                    #(#children)*
                    _ => ::core::option::Option::None,
                }
            }
            #former
        }
    })
}

/// A field that is logged.
struct NumberedField<'a> {
    member: Member,
    of: &'a Type,
    number: FieldNumber,
    was: Option<Was>,
}

fn numbered_fields(fields: &Fields) -> Result<Vec<NumberedField<'_>>> {
    let mut numbered = Vec::new();
    let mut refused = Vec::new();
    for (member, field) in fields.members().zip(fields) {
        match LoggedAs::of(field) {
            Ok(None) => {}
            Ok(Some(LoggedAs { number, was })) => {
                numbered.push(NumberedField { member, of: &field.ty, number, was });
            }
            Err(error) => refused.push(error),
        }
    }
    all_or(numbered, refused)
}

fn refuse_numbers_twice(fields: &[NumberedField<'_>], removed: &[FieldNumber]) -> Result<()> {
    let mut taken: HashMap<u32, &str> = HashMap::new();
    let mut refused = Vec::new();
    let mut take = |number: &FieldNumber, by: &'static str| {
        if let Some(by) = taken.insert(number.number, by) {
            refused.push(number.refused(&format!(
                "is the number of a field that {by}: a number is given once and for all"
            )));
        }
    };
    for number in removed {
        take(number, "was removed");
    }
    for was in fields.iter().filter_map(|field| field.was.as_ref()) {
        take(&was.number, "has another type since");
    }
    for field in fields {
        take(&field.number, "comes before");
    }
    all_or((), refused)
}

/// The errors as one, if there are some.
fn all_or<T>(value: T, errors: Vec<Error>) -> Result<T> {
    let all = errors.into_iter().reduce(|mut all, error| {
        all.combine(error);
        all
    });
    all.map_or(Ok(value), Err)
}

impl NumberedField<'_> {
    fn child(&self, at: &TokenStream) -> TokenStream {
        let (member, number) = (&self.member, self.number.number);
        // Errors are told at the type.
        let span = self.of.span().resolved_at(Span::call_site());
        let node = quote_spanned!(span=> #at::Durable::node(&self.#member));
        quote!(#number => ::core::option::Option::Some(#node),)
    }

    fn row(&self, at: &TokenStream) -> TokenStream {
        let number = self.number.number;
        let name = match &self.member {
            Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
            Member::Unnamed(place) => place.index.to_string(),
        };
        let was = match &self.was {
            Some(Was { number: FieldNumber { number, .. }, .. }) => {
                quote!(::core::option::Option::Some(#number))
            }
            None => quote!(::core::option::Option::None),
        };
        quote!(#at::DurableField { number: #number, name: #name, was: #was })
    }
}

/// Makes what fields were.
fn former(fields: &[NumberedField<'_>], at: &TokenStream) -> Option<TokenStream> {
    // Names that what the attribute says cannot mean.
    let [asked, old] = ["asked", "old"].map(|name| Ident::new(name, Span::mixed_site()));
    let arms: Vec<_> = fields
        .iter()
        .filter_map(|field| Some((&field.member, field.was.as_ref()?)))
        .map(|(member, Was { number, of, initial, convert })| {
            let number = number.number;
            let initial = match initial {
                Some(initial) => initial.to_token_stream(),
                None => quote!(<#of as ::core::default::Default>::default()),
            };
            quote! {
                #number => {
                    let #old: #of = #initial;
                    ::core::option::Option::Some(#at::former(#old, &self.#member, #convert))
                }
            }
        })
        .collect();
    let former = quote! {
        fn former(
            &self,
            #asked: u32,
        ) -> ::core::option::Option<::std::boxed::Box<dyn #at::Former + '_>> {
            match #asked {
                #(#arms)*
                _ => ::core::option::Option::None,
            }
        }
    };
    (!arms.is_empty()).then_some(former)
}

/// With what the fields have to be, of those types that depend on parameters.
fn with_bounds(generics: &Generics, fields: &[NumberedField<'_>], at: &TokenStream) -> Generics {
    let parameters: Vec<Ident> =
        generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let mut with = generics.clone();
    if parameters.is_empty() {
        return with;
    }
    let bounds = with.make_where_clause();
    bounds.predicates.push(parse_quote!(Self: ::core::marker::Send + ::core::marker::Sync));
    for field in fields {
        let of = field.of;
        if names_one_of(of.to_token_stream(), &parameters) {
            bounds.predicates.push(parse_quote!(#of: #at::Durable));
        }
    }
    with
}

fn names_one_of(tokens: TokenStream, parameters: &[Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_one_of(group.stream(), parameters),
        TokenTree::Ident(name) => parameters.contains(&name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
