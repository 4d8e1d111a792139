//! Which counters there are. A zone is a folder of powercap; its name tells what it counts.

use super::Scope;
use crate::domain::DomainKind;
use crate::sysfs::Sysfs;
use crate::unavailable::{Cause, Unavailable};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// TUNE: W, guessed 2026-11: more than any one package or its memory draws, for zones that tell no
/// limit of their own.
const PEAK_WATTS: f64 = 1_500.0;
/// TUNE: guessed 2026-11: limits are averages over a while; for a moment a zone may draw more.
const ABOVE_LIMIT: f64 = 2.0;
/// The interfaces, the best first. The second one shows packages of the first one again, on some
/// machines.
const INTERFACES: [&str; 2] = ["intel-rapl:", "intel-rapl-mmio:"];

/// A zone.
pub(super) struct Zone {
    pub(super) folder: PathBuf,
    name: String,
    /// The name of the package that it is in.
    parent: Option<String>,
    /// `None`: a part of its package.
    pub(super) kind: Option<DomainKind>,
    /// Another zone before this one counts the same.
    again: bool,
    pub(super) peak_watts: f64,
}

impl Zone {
    pub(super) fn title(&self) -> Arc<str> {
        match &self.parent {
            None => self.name.as_str().into(),
            Some(parent) => format!("{} of {parent}", self.name).into(),
        }
    }

    pub(super) fn is_summed_for(&self, scope: Scope) -> bool {
        match scope {
            Scope::Processor => self.left_out().is_none(),
            Scope::Platform => self.kind == Some(DomainKind::Platform) && !self.again,
        }
    }

    /// Why it is not in the sum of packages and memory.
    pub(super) fn left_out(&self) -> Option<String> {
        let name = &self.name;
        match (&self.kind, &self.parent) {
            _ if self.again => Some(format!("another interface counts {name} already")),
            (None, Some(parent)) => Some(format!("{name} is a part of {parent}, counted there")),
            (None, None) => Some(format!("what {name} counts is not known")),
            (Some(DomainKind::Platform), _) => {
                Some(format!("{name} has the packages and their memory in it"))
            }
            (Some(_), _) => None,
        }
    }
}

/// All zones under `root`, packages with what is in them, in order.
pub(super) fn zones(sysfs: &dyn Sysfs, root: &Path) -> Result<Vec<Zone>, Unavailable> {
    let none = |why: &str| {
        let why = format!(
            "{} {why}: no energy counters of a processor (a virtual machine, a container or an old kernel; on Linux the module is intel_rapl_msr)",
            root.display()
        );
        Err(Unavailable::new(Cause::NotThere, why))
    };
    let Ok(names) = sysfs.list(root) else { return none("is not there") };
    let mut zones: Vec<Zone> = Vec::new();
    for interface in INTERFACES {
        let top = |name: &&String| {
            name.strip_prefix(interface).is_some_and(|number| !number.contains(':'))
        };
        for outer in names.iter().filter(top) {
            let package = zone(sysfs, root.join(outer), None, &zones);
            let name = package.name.clone();
            let folder = package.folder.clone();
            zones.push(package);
            // What is in a zone lies in its folder; the flat listing has it once more.
            let inner = sysfs.list(&folder).unwrap_or_default();
            let prefix = format!("{outer}:");
            for inner in inner.iter().filter(|inner| inner.starts_with(&prefix)) {
                zones.push(zone(sysfs, folder.join(inner), Some(name.clone()), &zones));
            }
        }
    }
    if zones.is_empty() { none("has no zone") } else { Ok(zones) }
}

fn zone(sysfs: &dyn Sysfs, folder: PathBuf, parent: Option<String>, before: &[Zone]) -> Zone {
    let name = sysfs.read(&folder.join("name")).unwrap_or_else(|_| "a zone without a name".into());
    let kind = match (name.as_str(), &parent) {
        (package, None) if package.starts_with("package-") => Some(DomainKind::Package),
        ("psys", _) => Some(DomainKind::Platform),
        ("dram", _) => Some(DomainKind::Memory),
        _ => None,
    };
    let again = before.iter().any(|zone| zone.name == name && zone.parent == parent);
    let peak_watts = peak_watts(sysfs, &folder);
    Zone { folder, name, parent, kind, again, peak_watts }
}

/// By the limits that the zone is under.
fn peak_watts(sysfs: &dyn Sysfs, folder: &Path) -> f64 {
    // A zone has two or three of them.
    let limits = (0..4)
        .flat_map(|n| ["power_limit", "max_power"].map(|what| format!("constraint_{n}_{what}_uw")));
    let microwatts = limits.filter_map(|file| sysfs.number(&folder.join(file)));
    match microwatts.max() {
        // Some say "no limit" by a very large one.
        Some(limit) if limit > 0 => (limit as f64 * 1e-6 * ABOVE_LIMIT).min(PEAK_WATTS),
        _ => PEAK_WATTS,
    }
}
