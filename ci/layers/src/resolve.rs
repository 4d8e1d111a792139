//! Where an imported name is defined.

use crate::imports::ModulePath;
use crate::tree::{Module, Tree};

/// Re-exports that are followed, at most; more are a circle of them.
const MOST_STEPS: usize = 16;

impl Tree {
    /// The module that defines what `path` names, behind all re-exports; the deepest module of the
    /// path if the name is an item of that one.
    pub(crate) fn defining_module(&self, path: &[String]) -> &ModulePath {
        self.follow(path, MOST_STEPS)
    }

    fn follow(&self, path: &[String], steps: usize) -> &ModulePath {
        let (module_path, module, rest) = self.deepest_module(path);
        let Some(name) = rest.first().filter(|_| steps > 0) else { return module_path };
        let named = module.re_exports.iter().find(|e| e.name.as_ref() == Some(name));
        if let Some(export) = named {
            let further = [export.path.as_slice(), &rest[1..]].concat();
            return self.follow(&further, steps - 1);
        }
        let globs = module.re_exports.iter().filter(|export| export.name.is_none());
        for export in globs {
            let further = [export.path.as_slice(), rest].concat();
            let found = self.follow(&further, steps - 1);
            if self.modules[found].defines.contains(name) {
                return found;
            }
        }
        module_path
    }

    fn deepest_module<'p>(&self, path: &'p [String]) -> (&ModulePath, &Module, &'p [String]) {
        (0..=path.len())
            .rev()
            .find_map(|length| {
                let (found, module) = self.modules.get_key_value(&path[..length])?;
                Some((found, module, &path[length..]))
            })
            .expect("a tree has its root")
    }
}
