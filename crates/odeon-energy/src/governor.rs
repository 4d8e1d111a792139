//! Who chooses the frequency of a core: Linux's governors (cpufreq in sysfs).
//!
//! The thesis compares three (6.2.1, 6.6.1): `performance` takes the highest frequency, `powersave`
//! the lowest, `ondemand` follows the load. Drivers of newer processors have `performance` and
//! `powersave` only, and with them `powersave` follows the load.

mod error;
mod guard;

use crate::sysfs::{Files, Sysfs};
pub use error::GovernorError;
use guard::Guard;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where Linux has them.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// How the frequency of one core is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuFrequency {
    /// The number of the core.
    pub cpu: usize,
    /// Who chooses.
    pub governor: String,
    /// Who could.
    pub available: Vec<String>,
    /// The driver below, if it says.
    pub driver: Option<String>,
    /// The least and the highest frequency that may be chosen, in kHz.
    pub limits_khz: Option<(u64, u64)>,
    /// The same of the core itself.
    pub hardware_khz: Option<(u64, u64)>,
    /// The present frequency, in kHz.
    pub now_khz: Option<u64>,
}

/// The governors of this machine's cores.
pub struct Governors {
    root: PathBuf,
    sysfs: Arc<dyn Sysfs>,
}

impl Governors {
    /// Of this machine.
    pub fn new() -> Self {
        Self::at(Path::new(CPUS))
    }

    /// Those that are found under `root`.
    pub fn at(root: &Path) -> Self {
        Self::with(Arc::new(Files), root)
    }

    fn with(sysfs: Arc<dyn Sysfs>, root: &Path) -> Self {
        Self { root: root.to_owned(), sysfs }
    }

    /// Each core that has one, in order.
    ///
    /// # Errors
    /// [`GovernorError::NoFrequencyScaling`] if none has.
    pub fn read(&self) -> Result<Vec<CpuFrequency>, GovernorError> {
        let names = self.sysfs.list(&self.root).unwrap_or_default();
        let number = |name: &String| name.strip_prefix("cpu")?.parse::<usize>().ok();
        let mut cpus: Vec<usize> = names.iter().filter_map(number).collect();
        cpus.sort_unstable();
        let mut found = Vec::new();
        for cpu in cpus {
            found.extend(self.read_one(cpu)?);
        }
        if found.is_empty() {
            return Err(GovernorError::NoFrequencyScaling { root: self.root.clone() });
        }
        Ok(found)
    }

    /// `None`: it has no governor, or is switched off.
    fn read_one(&self, cpu: usize) -> Result<Option<CpuFrequency>, GovernorError> {
        let folder = self.root.join(format!("cpu{cpu}/cpufreq"));
        let file = folder.join("scaling_governor");
        let governor = match self.sysfs.read(&file) {
            Ok(governor) => governor,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            // A core that is switched off says so.
            Err(_) if self.sysfs.number(&self.root.join(format!("cpu{cpu}/online"))) == Some(0) => {
                return Ok(None);
            }
            Err(error) => return Err(GovernorError::of(&file, &error)),
        };
        let words = |file| {
            let content = self.sysfs.read(&folder.join(file)).unwrap_or_default();
            content.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let number = |file| self.sysfs.number(&folder.join(file));
        Ok(Some(CpuFrequency {
            cpu,
            governor,
            available: words("scaling_available_governors"),
            driver: words("scaling_driver").pop(),
            limits_khz: number("scaling_min_freq").zip(number("scaling_max_freq")),
            hardware_khz: number("cpuinfo_min_freq").zip(number("cpuinfo_max_freq")),
            now_khz: number("scaling_cur_freq"),
        }))
    }

    /// Has this governor choose the frequency of all cores, until what is returned is dropped.
    ///
    /// ```no_run
    /// use odeon_energy::Governors;
    ///
    /// let high = Governors::new().set("performance")?;
    /// // .. what is measured ..
    /// high.restore()?;
    /// # Ok::<(), odeon_energy::GovernorError>(())
    /// ```
    ///
    /// # Errors
    /// [`GovernorError`]; then all cores are as before, as far as that is permitted.
    pub fn set(&self, governor: &str) -> Result<GovernorsSet, GovernorError> {
        let cpus = self.read()?;
        for CpuFrequency { cpu, available, .. } in &cpus {
            if !available.iter().any(|available| available == governor) {
                let (governor, available) = (governor.to_owned(), available.clone());
                return Err(GovernorError::NotAvailable { cpu: *cpu, governor, available });
            }
        }
        let mut set = GovernorsSet { sysfs: self.sysfs.clone(), before: Vec::new(), guard: None };
        for CpuFrequency { cpu, governor: before, .. } in cpus {
            if before == governor {
                continue;
            }
            let file = self.root.join(format!("cpu{cpu}/cpufreq/scaling_governor"));
            // Cores that are scaled together may have followed another one.
            let is_set = |sysfs: &dyn Sysfs| sysfs.read(&file).is_ok_and(|now| now == governor);
            set.before.push((file.clone(), before));
            if is_set(&*self.sysfs) {
                continue;
            }
            let written = self.sysfs.write(&file, governor);
            written.map_err(|error| GovernorError::of(&file, &error))?;
            if !is_set(&*self.sysfs) {
                let why = format!("it does not take {governor}");
                return Err(GovernorError::Failed { file, why });
            }
        }
        Ok(set)
    }
}

impl Default for Governors {
    fn default() -> Self {
        Self::new()
    }
}

/// Governors have been set. When this is dropped they are as before. A program that is killed drops
/// nothing: see [`even_if_killed`](Self::even_if_killed).
#[must_use = "when it is dropped the governors are as before"]
pub struct GovernorsSet {
    sysfs: Arc<dyn Sysfs>,
    before: Vec<(PathBuf, String)>,
    guard: Option<Guard>,
}

impl GovernorsSet {
    /// Leaves them as they are.
    pub fn keep(mut self) {
        self.before.clear();
        self.dismiss();
    }

    /// Sets those that were there before, and tells if that does not work.
    ///
    /// # Errors
    /// The first thing that goes wrong; the other cores are tried nevertheless.
    pub fn restore(mut self) -> Result<(), GovernorError> {
        self.put_back()
    }

    fn put_back(&mut self) -> Result<(), GovernorError> {
        let mut first = Ok(());
        for (file, governor) in self.before.drain(..).rev() {
            let written = self.sysfs.write(&file, &governor);
            first = first.and(written.map_err(|error| GovernorError::of(&file, &error)));
        }
        self.dismiss();
        first
    }

    fn dismiss(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.dismiss();
        }
    }
}

impl Drop for GovernorsSet {
    fn drop(&mut self) {
        // Whoever wants to know calls `restore`.
        let _ = self.put_back();
    }
}

impl fmt::Display for CpuFrequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.governor)?;
        if let Some((least, highest)) = self.limits_khz {
            write!(f, ", {} to {} MHz", least / 1000, highest / 1000)?;
        }
        if let Some(now) = self.now_khz {
            write!(f, ", {} MHz now", now / 1000)?;
        }
        if let Some(driver) = &self.driver {
            write!(f, ", driver {driver}")?;
        }
        write!(f, "; available: {}", self.available.join(" "))
    }
}

#[cfg(test)]
mod tests;
