//! What breaks the layers of one crate.

use crate::imports::ModulePath;
use crate::rooms::Layout;
use crate::tree::Tree;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files that import each other in a circle, at most.
const LARGEST_CIRCLE: usize = 15;

/// The violations of the crate in `folder`, a line or paragraph each.
pub(crate) fn check(folder: &str, layout: &Layout, tree: &Tree) -> Vec<String> {
    let mut violations = listed(folder, layout, tree);
    if let Some(most) = layout.entries.filter(|most| tree.entries > *most) {
        violations.push(format!("{folder}/src has {} entries; at most {most}", tree.entries));
    }
    violations.extend(upwards(folder, layout, tree));
    violations.extend(circles(folder, tree, LARGEST_CIRCLE));
    violations
}

/// Rooms that the list lacks, and those of the list that are not there.
fn listed(folder: &str, layout: &Layout, tree: &Tree) -> Vec<String> {
    let there: BTreeSet<_> = tree.modules.keys().filter_map(|path| path.first()).collect();
    let named: BTreeSet<_> = layout.rooms.iter().collect();
    let unlisted = there.difference(&named);
    let missing = named.difference(&there);
    unlisted
        .map(|room| format!("{folder}: rooms.toml does not list the room {room}"))
        .chain(missing.map(|room| format!("{folder}: there is no room {room}")))
        .collect()
}

fn upwards(folder: &str, layout: &Layout, tree: &Tree) -> Vec<String> {
    let height = |path: &ModulePath| {
        let room = path.first()?;
        layout.rooms.iter().position(|listed| listed == room)
    };
    let mut found = Vec::new();
    for (path, module) in &tree.modules {
        for import in &module.imports {
            let target = tree.defining_module(&import.path);
            let heights = height(path).zip(height(target));
            if let Some((own, other)) = heights.filter(|(own, other)| other > own) {
                let (room, above) = (&layout.rooms[own], &layout.rooms[other]);
                found.push(format!(
                    "{folder}/src/{}:{}: {room} imports {} from {above}, which is above it",
                    module.file.display(),
                    import.line,
                    import.path.join("::"),
                ));
            }
        }
    }
    found
}

/// Circles of files that are too large, with one name for each import that belongs to them.
pub(crate) fn circles(folder: &str, tree: &Tree, most: usize) -> Vec<String> {
    let mut names: BTreeMap<(&Path, &Path), String> = BTreeMap::new();
    for module in tree.modules.values() {
        for import in &module.imports {
            let target = tree.defining_module(&import.path);
            let other = &tree.modules[target].file;
            if *other != module.file {
                let edge = (module.file.as_path(), other.as_path());
                names.entry(edge).or_insert_with(|| import.path.join("::"));
            }
        }
    }
    let graph: DiGraphMap<&Path, ()> = DiGraphMap::from_edges(names.keys().copied());
    let too_large = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > most);
    too_large
        .map(|circle| {
            let within: BTreeSet<_> = circle.iter().copied().collect();
            let imports =
                names.iter().filter(|((from, to), _)| within.contains(from) && within.contains(to));
            let lines: Vec<_> = imports
                .map(|((from, to), name)| {
                    format!("  {} imports {name} of {}", from.display(), to.display())
                })
                .collect();
            let size = circle.len();
            let title = format!("{folder}: a circle of {size} files; at most {most}:");
            std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n")
        })
        .collect()
}
