//! Which items are compiled for tests or models only.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, MetaList, Token};

/// Whether what has these attributes is compiled for tests or models of the crate only.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<Meta>().is_ok_and(|condition| needs_tests(&condition))
        }
        _ => false,
    })
}

/// Whether a condition of `cfg` holds in tests or models only.
fn needs_tests(condition: &Meta) -> bool {
    let parts = |list: &MetaList| {
        list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default()
    };
    match condition {
        Meta::Path(name) => {
            ["test", "odeon_loom", "odeon_shuttle"].iter().any(|word| name.is_ident(word))
        }
        Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_tests),
        Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_tests),
        _ => false,
    }
}
