//! What breaks the layers of one crate.

use crate::imports::ModulePath;
use crate::rooms::Layout;
use crate::tree::Tree;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The violations of the crate in `folder`, a line or paragraph each.
pub(crate) fn check(folder: &str, layout: &Layout, tree: &Tree) -> Vec<String> {
    let mut violations = listed(folder, layout, tree);
    if let Some(most) = layout.entries.filter(|most| tree.entries > *most) {
        violations.push(format!("{folder}/src has {} entries; at most {most}", tree.entries));
    }
    violations.extend(upwards(folder, layout, tree));
    violations.extend(circles(folder, layout, tree));
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
    let known = layout.upwards;
    if found.len() > known {
        if known > 0 {
            found.push(format!("{folder}: {} imports upwards; {known} are known", found.len()));
        }
        return found;
    }
    let is_fewer = found.len() < known;
    let fewer = is_fewer.then(|| {
        format!("{folder}: {} imports upwards, not {known}: lower `upwards`", found.len())
    });
    fewer.into_iter().collect()
}

/// Circles of files that are too large, with one name for each import that belongs to them.
fn circles(folder: &str, layout: &Layout, tree: &Tree) -> Vec<String> {
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
    let too_large = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > layout.circle);
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
            let (size, most) = (circle.len(), layout.circle);
            let title = format!("{folder}: a circle of {size} files; at most {most}:");
            std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n")
        })
        .collect()
}
