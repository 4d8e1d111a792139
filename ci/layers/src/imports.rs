//! What a module names of its own crate: `use` declarations, paths in code, paths within macros.

use crate::conditions::is_for_tests;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Item, ItemUse, Macro, Path, UseTree, VisRestricted, Visibility};

/// The names from the crate's root to a module; empty for the root itself.
pub(crate) type ModulePath = Vec<String>;

/// A name of the own crate, as a path from the crate's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
}

/// A name by which a module makes something known that stands elsewhere; without a name, all that
/// the other module has.
#[derive(Debug)]
pub(crate) struct ReExport {
    pub(crate) name: Option<String>,
    pub(crate) path: Vec<String>,
}

/// What these items of the module `path` import, and what they re-export.
pub(crate) fn imports_of(items: &[Item], path: &ModulePath) -> (Vec<Import>, Vec<ReExport>) {
    let submodules = items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some(module.ident.to_string()),
        _ => None,
    });
    let mut reader = ImportReader {
        module: path,
        submodules: submodules.collect(),
        imports: Vec::new(),
        re_exports: Vec::new(),
    };
    items.iter().for_each(|item| reader.visit_item(item));
    (reader.imports, reader.re_exports)
}

struct ImportReader<'a> {
    module: &'a ModulePath,
    submodules: Vec<String>,
    imports: Vec<Import>,
    re_exports: Vec<ReExport>,
}

impl ImportReader<'_> {
    /// The same path from the crate's root, if it begins within the crate.
    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let mut path = self.module.clone();
        match segments.first()?.as_str() {
            "crate" => path.clear(),
            "self" => {}
            "super" => {
                path.pop()?;
            }
            first if self.submodules.iter().any(|name| name == first) => {
                path.extend_from_slice(segments);
                return Some(path);
            }
            _ => return None,
        }
        for segment in &segments[1..] {
            if segment == "super" {
                path.pop()?;
            } else {
                path.push(segment.clone());
            }
        }
        Some(path)
    }

    fn import(&mut self, segments: &[String], span: Span) {
        if segments.len() < 2 {
            return;
        }
        if let Some(path) = self.absolute(segments) {
            self.imports.push(Import { path, line: span.start().line });
        }
    }

    fn read_use(&mut self, tree: &UseTree, before: &mut Vec<String>, is_re_export: bool) {
        let (path, name, span) = match tree {
            UseTree::Path(step) => {
                before.push(step.ident.to_string());
                self.read_use(&step.tree, before, is_re_export);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.read_use(tree, before, is_re_export));
                return;
            }
            UseTree::Name(name) if name.ident == "self" => {
                (before.clone(), before.last().cloned(), name.ident.span())
            }
            UseTree::Name(name) => {
                let ident = name.ident.to_string();
                (
                    [before.as_slice(), std::slice::from_ref(&ident)].concat(),
                    Some(ident),
                    name.ident.span(),
                )
            }
            UseTree::Rename(rename) => {
                let ident = rename.ident.to_string();
                let path = if ident == "self" {
                    before.clone()
                } else {
                    [before.as_slice(), &[ident]].concat()
                };
                (path, Some(rename.rename.to_string()), rename.ident.span())
            }
            UseTree::Glob(glob) => (before.clone(), None, glob.star_token.spans[0]),
        };
        let Some(path_from_root) = self.absolute(&path) else { return };
        let is_own =
            path_from_root.len() > self.module.len() && path_from_root.starts_with(self.module);
        if is_re_export {
            self.re_exports.push(ReExport { name, path: path_from_root.clone() });
        }
        if !(is_re_export && is_own) {
            self.imports.push(Import { path: path_from_root, line: span.start().line });
        }
    }

    /// Finds `crate::…` and `super::…` in what only the macro can read.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.read_tokens(group.stream()),
                TokenTree::Ident(first) if first == "crate" || first == "super" => {
                    let mut segments = vec![first.to_string()];
                    while let Some(next) = after_colons(&tokens[at + 1..]) {
                        segments.push(next);
                        at += 3;
                    }
                    self.import(&segments, first.span());
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for ImportReader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        // Submodules are read for themselves.
        if matches!(item, Item::Mod(_)) || is_for_tests(attributes_of(item)) {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_re_export = !matches!(item.vis, Visibility::Inherited);
        self.read_use(&item.tree, &mut Vec::new(), is_re_export);
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.import(&segments, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast Macro) {
        // The path of the macro itself says where it is made known, not where it is defined.
        self.read_tokens(invocation.tokens.clone());
    }

    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}

/// The name in `::name`, if that is what comes first.
fn after_colons(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..] => {
            (a.as_char() == ':' && b.as_char() == ':').then(|| name.to_string())
        }
        _ => None,
    }
}

fn attributes_of(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
