//! `odeon energy` on machines that are made up, and on this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn odeon(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_odeon")).args(arguments).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is UTF-8")
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("odeon-cli-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    fn write(&self, file: &str, content: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().expect("it is in the folder")).unwrap();
        fs::write(file, content).unwrap();
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("temporary paths are UTF-8")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn with_cores(test: &str) -> Folder {
    let folder = Folder::new(test);
    for cpu in 0..4 {
        let governor = if cpu == 3 { "performance" } else { "powersave" };
        folder.write(&format!("cpu{cpu}/cpufreq/scaling_governor"), governor);
        let available = "performance powersave";
        folder.write(&format!("cpu{cpu}/cpufreq/scaling_available_governors"), available);
    }
    folder
}

fn governor(folder: &Folder, cpu: usize) -> String {
    let file = format!("cpu{cpu}/cpufreq/scaling_governor");
    fs::read_to_string(Path::new(folder.path()).join(file)).unwrap()
}

#[test]
fn s39_counters_and_governors_are_shown() {
    let folder = with_cores("energy-shown");
    for (zone, name) in
        [("powercap/intel-rapl:0", "package-0"), ("powercap/intel-rapl:0/intel-rapl:0:0", "core")]
    {
        folder.write(&format!("{zone}/name"), name);
        folder.write(&format!("{zone}/energy_uj"), "12");
        folder.write(&format!("{zone}/max_energy_range_uj"), "262143328850");
        folder.write(&format!("{zone}/constraint_0_power_limit_uw"), "50000000");
    }
    let powercap = format!("{}/powercap", folder.path());
    let output = odeon(&["energy", "--powercap", &powercap, "--cpus", folder.path()]);
    let shown = out(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for line in [
        "counters\n  package-0: steps of 0.000062 J, updated every 1.1ms or sooner, at most 100 W\n",
        "  core of package-0 is not summed: core is a part of package-0, counted there\n",
        // Its counter stands still: this zero is measured, and has bounds, the wider the longer it
        // took to read it.
        "\nidle for 1 s\n  package-0: 0.0 (-",
        "governors\n  cores 0 to 2: powersave; available: performance powersave\n",
        "  core 3: performance; available: performance powersave",
    ] {
        assert!(shown.contains(line), "{line:?} is not in\n{shown}");
    }
}

#[test]
fn s39_what_is_not_there_is_said() {
    let nothing = Folder::new("energy-nothing");
    let output = odeon(&["energy", "--powercap", nothing.path(), "--cpus", nothing.path()]);
    let shown = out(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("  processor: unavailable: "), "{shown}");
    assert!(shown.contains("governors\n  unavailable: no core under "), "{shown}");
}

#[test]
fn s39_a_governor_is_set_and_stays() {
    let folder = with_cores("energy-set");
    let set = |name: &str| odeon(&["energy", "--governor", name, "--cpus", folder.path()]);
    let output = set("performance");
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("  cores 0 to 3: performance"), "{}", out(&output));
    assert_eq!(governor(&folder, 0), "performance");

    let refused = set("ondemand");
    assert_eq!(refused.status.code(), Some(2), "the command line is to blame");
    let message = String::from_utf8(refused.stderr).expect("messages are UTF-8");
    let expected = "--governor: core 0 has no governor ondemand; it has performance, powersave";
    assert!(message.contains(expected), "{message}");

    let nothing = Folder::new("energy-no-cores");
    let refused = odeon(&["energy", "--governor", "performance", "--cpus", nothing.path()]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn s39_this_machine_is_shown_whatever_it_has() {
    let output = odeon(&["energy"]);
    let shown = out(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.starts_with("counters\n  ") && shown.contains("\ngovernors\n  "), "{shown}");
    let tells = shown.contains("together: ") || shown.contains("energy is unavailable");
    assert!(tells, "{shown}");
    eprintln!("{shown}");
}
