//! The order of the rooms, read from `rooms.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Folders whose subfolders are crates.
const PLACES: [&str; 4] = ["ci", "crates", "examples", "tools"];

/// All crates by their folder, as `crates/odeon-core`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Rooms(BTreeMap<String, Layout>);

/// What holds for one crate.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    /// Top-level modules from the ground up.
    pub(crate) rooms: Vec<String>,
    /// Names that `src` has at most; a module's file and its folder are one.
    pub(crate) entries: Option<usize>,
}

impl Rooms {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
    }

    pub(crate) fn crates(&self) -> impl Iterator<Item = (&str, &Layout)> {
        self.0.iter().map(|(folder, layout)| (folder.as_str(), layout))
    }

    /// Crates below `root` that the list does not have.
    pub(crate) fn missing_crates(&self, root: &Path) -> Result<Vec<String>, String> {
        let mut missing = Vec::new();
        for place in PLACES {
            let folder = root.join(place);
            let entries =
                fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            for entry in entries {
                let entry = entry.map_err(|e| e.to_string())?;
                let name = format!("{place}/{}", entry.file_name().to_string_lossy());
                if entry.path().join("Cargo.toml").exists() && !self.0.contains_key(&name) {
                    missing.push(format!("{name}: not in rooms.toml"));
                }
            }
        }
        missing.sort();
        Ok(missing)
    }
}
