//! S39: governors, on a tree of files that is made up.

mod support;

use odeon_energy::{GovernorError, Governors};
use std::path::Path;
use std::process::Command;
use support::Folder;

fn machine(test: &str, cores: usize) -> Folder {
    let folder = Folder::new(test);
    for cpu in 0..cores {
        let governor = if cpu == 1 { "ondemand" } else { "powersave" };
        for (file, content) in [
            ("scaling_governor", governor),
            ("scaling_available_governors", "performance powersave ondemand "),
            ("scaling_driver", "acpi-cpufreq"),
            ("scaling_min_freq", "1400000"),
            ("scaling_max_freq", "3100000"),
            ("cpuinfo_min_freq", "800000"),
            ("cpuinfo_max_freq", "4000000"),
            ("scaling_cur_freq", "1400000"),
        ] {
            folder.write(&format!("cpu{cpu}/cpufreq/{file}"), content);
        }
    }
    folder.write("cpuidle/current_driver", "none");
    folder.write("cpu11/topology/core_id", 0);
    folder
}

fn chosen(folder: &Folder) -> Vec<String> {
    let cpus = Governors::at(folder.path()).read().unwrap();
    cpus.into_iter().map(|cpu| cpu.governor).collect()
}

#[test]
fn s39_each_core_tells_who_chooses_its_frequency() {
    let folder = machine("governors-read", 11);
    let cpus = Governors::at(folder.path()).read().unwrap();
    let numbers: Vec<usize> = cpus.iter().map(|cpu| cpu.cpu).collect();
    assert_eq!(numbers, (0..11).collect::<Vec<_>>(), "by number, those without one left out");
    let second = &cpus[1];
    assert_eq!(second.governor, "ondemand");
    assert_eq!(second.available, ["performance", "powersave", "ondemand"]);
    assert_eq!(second.limits_khz, Some((1_400_000, 3_100_000)));
    assert_eq!(second.hardware_khz, Some((800_000, 4_000_000)));
    let expected = "ondemand, 1400 to 3100 MHz, 1400 MHz now, driver acpi-cpufreq; available: performance powersave ondemand";
    assert_eq!(second.to_string(), expected);
}

#[test]
fn s39_governors_are_set_and_put_back() {
    let folder = machine("governors-set", 3);
    let before = chosen(&folder);
    let governors = Governors::at(folder.path());
    let set = governors.set("performance").unwrap();
    assert_eq!(chosen(&folder), ["performance"; 3]);
    {
        let _again = governors.set("powersave").unwrap();
        assert_eq!(chosen(&folder), ["powersave"; 3]);
    }
    assert_eq!(chosen(&folder), ["performance"; 3], "as before, when it is dropped");
    set.restore().unwrap();
    assert_eq!(chosen(&folder), before);
    governors.set("ondemand").unwrap().keep();
    assert_eq!(chosen(&folder), ["ondemand"; 3]);
}

#[test]
fn s39_what_is_not_available_is_named_with_what_is() {
    let folder = machine("governors-unknown", 2);
    folder.write("cpu1/cpufreq/scaling_available_governors", "powersave ondemand");
    let before = chosen(&folder);
    let refused = Governors::at(folder.path()).set("performance").err().unwrap();
    let available = vec!["powersave".to_owned(), "ondemand".to_owned()];
    let governor = "performance".to_owned();
    assert_eq!(refused, GovernorError::NotAvailable { cpu: 1, governor, available });
    assert_eq!(
        refused.to_string(),
        "core 1 has no governor performance; it has powersave, ondemand"
    );
    assert_eq!(chosen(&folder), before, "nothing was set");
}

#[test]
fn s39_a_machine_without_governors_says_so() {
    let folder = Folder::new("governors-none");
    folder.write("cpu0/topology/core_id", 0);
    let governors = Governors::at(folder.path());
    let none = GovernorError::NoFrequencyScaling { root: folder.path().to_owned() };
    assert_eq!(governors.read().err(), Some(none.clone()));
    assert_eq!(governors.set("performance").err(), Some(none.clone()));
    assert!(none.to_string().contains("in a virtual machine, the host does"), "{none}");
}

/// Waits for what another process does.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// What the test below starts itself as: sets governors, says so, and waits to be killed.
fn set_and_wait(root: &Path) -> ! {
    let set = Governors::at(root).set("performance").unwrap().even_if_killed().unwrap();
    std::fs::write(root.join("is-set"), "").unwrap();
    loop {
        std::thread::park();
        std::hint::black_box(&set);
    }
}

#[test]
fn s39_governors_are_put_back_even_if_the_program_is_killed() {
    const NAME: &str = "s39_governors_are_put_back_even_if_the_program_is_killed";
    const ROOT: &str = "ODEON_TEST_GOVERNORS";
    if let Some(root) = std::env::var_os(ROOT) {
        set_and_wait(Path::new(&root));
    }
    let folder = machine("governors-killed", 3);
    let before = chosen(&folder);
    let mut program = Command::new(std::env::current_exe().unwrap());
    let mut program = program.args([NAME, "--exact"]).env(ROOT, folder.path()).spawn().unwrap();
    until(|| folder.path().join("is-set").exists());
    assert_eq!(chosen(&folder), ["performance"; 3]);
    program.kill().unwrap();
    program.wait().unwrap();
    until(|| chosen(&folder) == before);
}

#[test]
fn s39_who_guards_governors_does_nothing_if_the_program_does_it() {
    let folder = machine("governors-guarded", 2);
    let governors = Governors::at(folder.path());
    let before = chosen(&folder);
    let set = || governors.set("performance").unwrap().even_if_killed().unwrap();
    set().restore().unwrap();
    assert_eq!(chosen(&folder), before);
    set().keep();
    assert_eq!(chosen(&folder), ["performance"; 2]);
}
