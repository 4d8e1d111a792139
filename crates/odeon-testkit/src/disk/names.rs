//! The directory of a simulated disk: what is seen of it, and what a crash leaves.

use odeon_core::Random;
use std::collections::BTreeMap;

/// Names of files, which are numbers here.
#[derive(Default)]
pub(super) struct Names {
    seen: BTreeMap<String, usize>,
    durable: BTreeMap<String, usize>,
    /// What was seen and is not durable, in its order.
    changes: Vec<Change>,
}

/// A change of names.
#[derive(Clone)]
pub(super) enum Change {
    Name(String, usize),
    Rename(String, String, usize),
    Remove(String),
}

/// What comes before a file's name in its folder: nothing, or something that ends with a slash.
pub(super) fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| &name[..=folder.len()])
}

impl Change {
    /// One of the file's names, which are in one folder.
    fn name(&self) -> &str {
        match self {
            Self::Name(name, _) | Self::Rename(name, ..) | Self::Remove(name) => name,
        }
    }

    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Name(name, file) => {
                names.insert(name.clone(), *file);
            }
            Self::Rename(from, to, file) => {
                // In a crash it may come without what gave the file its first name.
                if names.get(from) == Some(file) {
                    names.remove(from);
                }
                names.insert(to.clone(), *file);
            }
            Self::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

impl Names {
    /// Those of files that are numbered from 0 on.
    pub(super) fn durable(names: Vec<String>) -> Self {
        let durable: BTreeMap<_, _> = names.into_iter().zip(0..).collect();
        Self { seen: durable.clone(), durable, changes: Vec::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.seen.get(name).copied()
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.seen.keys().cloned().collect()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = usize> + '_ {
        self.seen.values().copied()
    }

    /// Names a file durably.
    pub(super) fn put(&mut self, name: &str, file: usize) {
        self.change(Change::Name(name.to_owned(), file));
        self.sync(folder_of(name));
    }

    pub(super) fn change(&mut self, change: Change) {
        change.apply(&mut self.seen);
        self.changes.push(change);
    }

    /// Makes the names of a folder durable.
    pub(super) fn sync(&mut self, folder: &str) {
        let (synced, others): (Vec<_>, Vec<_>) =
            self.changes.drain(..).partition(|change| folder_of(change.name()) == folder);
        synced.into_iter().for_each(|change| change.apply(&mut self.durable));
        self.changes = others;
    }

    pub(super) fn after_crash(&self, random: &mut Random) -> BTreeMap<String, usize> {
        let mut left = self.durable.clone();
        let first = match random.below(4) {
            0 => 0,
            1 => self.changes.len(),
            _ => random.below(self.changes.len() + 1),
        };
        let in_any_order = random.below(2) == 0;
        for (at, change) in self.changes.iter().enumerate() {
            let is_kept = if in_any_order { random.below(2) == 0 } else { at < first };
            if is_kept {
                change.apply(&mut left);
            }
        }
        left
    }
}
