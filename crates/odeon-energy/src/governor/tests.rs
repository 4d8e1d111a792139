use super::{GovernorError, Governors};
use crate::sysfs::{Files, Sysfs};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Refuses to have one file written, or says that it was and does not do it.
struct Refusing {
    file: &'static str,
    how: Result<(), io::ErrorKind>,
}

impl Sysfs for Refusing {
    fn write(&self, file: &Path, content: &str) -> io::Result<()> {
        if file.ends_with(self.file) {
            return self.how.map_err(Into::into);
        }
        Files.write(file, content)
    }
}

fn folder(test: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("odeon-governors-{test}-{}", std::process::id()));
    for cpu in 0..3 {
        let folder = root.join(format!("cpu{cpu}/cpufreq"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("scaling_governor"), "powersave\n").unwrap();
        fs::write(folder.join("scaling_available_governors"), "performance powersave\n").unwrap();
    }
    root
}

fn governors(root: &Path) -> Vec<String> {
    let cpus = Governors::at(root).read().unwrap();
    cpus.into_iter().map(|cpu| cpu.governor).collect()
}

#[test]
fn if_one_core_refuses_all_are_as_before() {
    const FILE: &str = "cpu2/cpufreq/scaling_governor";
    let root = folder("refused");
    for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
        let refusing = Arc::new(Refusing { file: FILE, how: Err(kind) });
        let refused = Governors::with(refusing, &root).set("performance").err();
        let refused = refused.expect("a core refuses");
        assert_eq!(refused, GovernorError::NotPermitted { file: root.join(FILE) });
        assert!(refused.to_string().contains("run as root"), "{refused}");
        assert_eq!(governors(&root), ["powersave"; 3]);
    }
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_core_that_does_not_take_it_is_no_success() {
    const FILE: &str = "cpu1/cpufreq/scaling_governor";
    let root = folder("silent");
    let silent = Arc::new(Refusing { file: FILE, how: Ok(()) });
    let refused = Governors::with(silent, &root).set("performance").err();
    assert!(matches!(refused, Some(GovernorError::Failed { .. })), "{refused:?}");
    assert_eq!(governors(&root), ["powersave"; 3]);
    fs::remove_dir_all(root).unwrap();
}
