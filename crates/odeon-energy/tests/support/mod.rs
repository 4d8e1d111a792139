//! A machine that is made up: its files, its counters, its time.
#![allow(dead_code)]

use odeon_core::{Clock, Random};
use odeon_energy::{Count, Domain, DomainKind, Meter, Unavailable};
use odeon_testkit::VirtualClock;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// From 0 to 1.
pub(crate) fn unit(random: &mut Random) -> f64 {
    random.below(1 << 20) as f64 / f64::from(1 << 20)
}

/// A folder of files like a kernel's, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let name = format!("odeon-energy-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, file: &str, content: impl ToString) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().expect("it is in the folder")).unwrap();
        fs::write(file, content.to_string() + "\n").unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap().trim().to_owned()
    }

    /// A zone of powercap.
    pub(crate) fn zone(&self, folder: &str, name: &str, range_uj: u64) {
        self.write(&format!("{folder}/name"), name);
        self.write(&format!("{folder}/energy_uj"), 0);
        self.write(&format!("{folder}/max_energy_range_uj"), range_uj);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A counter of a simulated part of a machine: it shows what was drawn up to its last update, in
/// whole steps.
pub(crate) struct Simulated {
    pub(crate) domain: Domain,
    /// Its last update, by the clock of the machine.
    updated_at: Duration,
    shown: f64,
    truth: f64,
    run: u64,
}

/// A simulated machine: a clock, and what its parts have drawn. A handle.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) clock: Arc<VirtualClock>,
    parts: Arc<Mutex<Vec<Simulated>>>,
}

impl Machine {
    pub(crate) fn new(clock: Arc<VirtualClock>) -> Self {
        Self { clock, parts: Arc::default() }
    }

    /// Adds a part whose counter was updated last a `phase` ago.
    pub(crate) fn add(&self, domain: Domain, phase: Duration) {
        let updated_at = self.clock.now().saturating_sub(phase);
        let simulated = Simulated { domain, updated_at, shown: 0.0, truth: 0.0, run: 0 };
        self.parts.lock().unwrap().push(simulated);
    }

    /// A package whose counter is always right.
    pub(crate) fn exact(clock: Arc<VirtualClock>) -> Self {
        let machine = Self::new(clock);
        let domain = Domain::new(DomainKind::Package, "package-0", 0.0, Duration::ZERO, 1e3);
        machine.add(domain, Duration::ZERO);
        machine
    }

    /// Time passes, and each part draws so many watts meanwhile.
    pub(crate) fn run(&self, time: Duration, watts: &[f64]) {
        self.clock.advance(time);
        let now = self.clock.now();
        for (part, watts) in self.parts.lock().unwrap().iter_mut().zip(watts) {
            part.truth += watts * time.as_secs_f64();
            let period = part.domain.updated_every;
            if period.is_zero() {
                part.updated_at = now;
            } else {
                let updates = (now - part.updated_at).as_nanos() / period.as_nanos();
                if updates == 0 {
                    continue;
                }
                part.updated_at += period * u32::try_from(updates).expect("a test is short");
            }
            let since = (now - part.updated_at).as_secs_f64();
            let step = part.domain.resolution_joules;
            let seen = part.truth - watts * since;
            part.shown = if step > 0.0 { (seen / step).floor() * step } else { seen };
        }
    }

    /// What a part has drawn.
    pub(crate) fn truth(&self, part: usize) -> f64 {
        self.parts.lock().unwrap()[part].truth
    }

    /// A part's counter begins another run.
    pub(crate) fn interrupt(&self, part: usize) {
        self.parts.lock().unwrap()[part].run += 1;
    }

    pub(crate) fn meter(&self) -> Counters {
        let domains = self.parts.lock().unwrap().iter().map(|part| part.domain.clone()).collect();
        Counters { machine: self.clone(), domains }
    }
}

/// The counters of a simulated machine.
pub(crate) struct Counters {
    machine: Machine,
    domains: Vec<Domain>,
}

impl Meter for Counters {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        let parts = self.machine.parts.lock().unwrap();
        Ok(Count { joules: parts[domain].shown, run: parts[domain].run })
    }
}
