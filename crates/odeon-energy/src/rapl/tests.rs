use super::{Meter, Rapl, Scope};
use crate::sysfs::{Files, Sysfs};
use crate::unavailable::Cause;
use odeon_core::SystemClock;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Refuses what a privileged user, who tests run as here and there, is never refused.
struct Refusing(&'static str);

impl Sysfs for Refusing {
    fn read(&self, file: &Path) -> io::Result<String> {
        if file.ends_with(self.0) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Files.read(file)
    }
}

fn folder(test: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("odeon-rapl-{test}-{}", std::process::id()));
    for (zone, name) in [("intel-rapl:0", "package-0"), ("intel-rapl:1", "package-1")] {
        let zone = root.join(zone);
        fs::create_dir_all(&zone).unwrap();
        fs::write(zone.join("name"), name).unwrap();
        fs::write(zone.join("energy_uj"), "5\n").unwrap();
        fs::write(zone.join("max_energy_range_uj"), "1000000\n").unwrap();
    }
    root
}

#[test]
fn what_may_not_be_read_is_named_with_what_to_do() {
    let root = folder("refused");
    let refusing = Arc::new(Refusing("intel-rapl:1/energy_uj"));
    let clock = Arc::new(SystemClock::default());
    let refused = Rapl::with(refusing, &root, Scope::Processor, clock);
    // One package is readable: half of the energy would be no figure.
    let refused = refused.err().expect("one package is not to be read");
    let file = root.join("intel-rapl:1/energy_uj");
    assert_eq!(refused.cause(), &Cause::NotPermitted { file: file.clone() });
    let sentence = refused.to_string();
    assert!(sentence.starts_with("unavailable: "), "{sentence}");
    assert!(sentence.contains(file.to_str().unwrap()) && sentence.contains("chmod"), "{sentence}");

    let found = Rapl::look_with(&Refusing("intel-rapl:1/energy_uj"), &root).unwrap();
    let summed: Vec<bool> = found.iter().map(|found| found.summed.is_ok()).collect();
    assert_eq!(summed, [true, false]);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_counter_whose_range_is_not_known_is_not_used() {
    let root = folder("range");
    fs::remove_file(root.join("intel-rapl:0/max_energy_range_uj")).unwrap();
    let clock = Arc::new(SystemClock::default());
    let refused = Rapl::at(&root, Scope::Processor, clock.clone()).err().expect("no range");
    assert_eq!(refused.cause(), &Cause::Failed);
    fs::write(root.join("intel-rapl:0/max_energy_range_uj"), "1000000").unwrap();
    let mut meter = Rapl::at(&root, Scope::Processor, clock).unwrap();
    fs::write(root.join("intel-rapl:0/energy_uj"), "many").unwrap();
    assert_eq!(meter.joules().unwrap_err().cause(), &Cause::Failed);
    fs::remove_dir_all(root).unwrap();
}
