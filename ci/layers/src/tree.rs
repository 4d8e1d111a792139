//! The modules of a crate, with the file of each.

use crate::conditions::is_for_tests;
use crate::imports::{Import, ModulePath, ReExport, imports_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};
use syn::{Attribute, Expr, Item, Lit, Meta};

/// One module, which has a file to itself or stands within its parent's.
#[derive(Debug)]
pub(crate) struct Module {
    /// Relative to the crate's `src`.
    pub(crate) file: PathBuf,
    /// Names of the items that stand in it.
    pub(crate) defines: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    pub(crate) re_exports: Vec<ReExport>,
}

/// All modules of a crate that are not for tests or models only.
pub(crate) struct Tree {
    pub(crate) modules: BTreeMap<ModulePath, Module>,
    /// Names at the top of `src`; a module's file and its folder are one.
    pub(crate) entries: usize,
}

impl Tree {
    /// Follows `mod` declarations from `lib.rs` and `main.rs` of the folder `src`.
    pub(crate) fn read(src: &Path) -> Result<Self, String> {
        let entries = fs::read_dir(src).map_err(|e| format!("{}: {e}", src.display()))?;
        let names = entries.map(|entry| Ok(Path::new(&entry?.file_name()).with_extension("")));
        let names: io::Result<BTreeSet<PathBuf>> = names.collect();
        let entries = names.map_err(|e| format!("{}: {e}", src.display()))?.len();
        let mut tree = Self { modules: BTreeMap::new(), entries };
        for root in ["main.rs", "lib.rs"].into_iter().filter(|root| src.join(root).exists()) {
            tree.read_file(src, PathBuf::from(root), PathBuf::new(), Vec::new())?;
        }
        if tree.modules.is_empty() {
            return Err(format!("{}: neither lib.rs nor main.rs", src.display()));
        }
        Ok(tree)
    }

    /// `beside` is the folder in which the submodules of this file lie.
    fn read_file(
        &mut self,
        src: &Path,
        file: PathBuf,
        beside: PathBuf,
        path: ModulePath,
    ) -> Result<(), String> {
        let place = src.join(&file);
        let text = fs::read_to_string(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let parsed = syn::parse_file(&text).map_err(|e| format!("{}: {e}", place.display()))?;
        self.add(src, &parsed.items, file, beside, path)
    }

    fn add(
        &mut self,
        src: &Path,
        items: &[Item],
        file: PathBuf,
        beside: PathBuf,
        path: ModulePath,
    ) -> Result<(), String> {
        let (imports, re_exports) = imports_of(items, &path);
        let module = self.modules.entry(path.clone()).or_insert_with(|| Module {
            file: file.clone(),
            defines: BTreeSet::new(),
            imports: Vec::new(),
            re_exports: Vec::new(),
        });
        module.defines.extend(items.iter().filter_map(name_of));
        module.imports.extend(imports);
        module.re_exports.extend(re_exports);
        for item in items {
            let Item::Mod(child) = item else { continue };
            if is_for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let mut child_path = path.clone();
            child_path.push(name.clone());
            if let Some((_, items)) = &child.content {
                self.add(src, items, file.clone(), beside.join(&name), child_path)?;
            } else {
                // No module has its file in `mod.rs`.
                let said = path_attribute(&child.attrs);
                let child_file = match said {
                    Some(said) => file.parent().unwrap_or(Path::new("")).join(said),
                    None => beside.join(format!("{name}.rs")),
                };
                let child_folder = child_file.with_extension("");
                self.read_file(src, child_file, child_folder, child_path)?;
            }
        }
        Ok(())
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
