//! S39: the counters of processors, on a tree of files that is made up.

use crate::support::Folder;
use odeon_energy::{Cause, Meter, Rapl, Scope};
use odeon_testkit::VirtualClock;
use std::sync::Arc;
use std::time::Duration;

/// Two packages with parts and memory, the platform, and a second interface to the first package.
fn server(test: &str) -> Folder {
    let folder = Folder::new(test);
    for package in 0..2 {
        let top = format!("intel-rapl:{package}");
        folder.zone(&top, &format!("package-{package}"), 262_143_328_850);
        folder.zone(&format!("{top}/{top}:0"), "core", 262_143_328_850);
        folder.zone(&format!("{top}/{top}:1"), "dram", 65_712_999_613);
        // Linux lists what is in a zone beside the zones, too.
        folder.zone(&format!("{top}:0"), "core", 262_143_328_850);
        folder.zone(&format!("{top}:1"), "dram", 65_712_999_613);
    }
    folder.zone("intel-rapl:2", "psys", 262_143_328_850);
    folder.zone("intel-rapl-mmio:0", "package-0", 262_143_328_850);
    folder.write("intel-rapl/enabled", 1);
    folder
}

fn names(meter: &impl Meter) -> Vec<String> {
    meter.domains().iter().map(ToString::to_string).collect()
}

#[test]
fn s39_packages_and_memory_are_summed_and_nothing_twice() {
    let folder = server("sum");
    let clock = Arc::new(VirtualClock::new());
    let mut meter = Rapl::at(folder.path(), Scope::Processor, clock.clone()).unwrap();
    let expected = ["package-0", "dram of package-0", "package-1", "dram of package-1"];
    assert_eq!(names(&meter), expected);
    clock.advance(Duration::from_secs(1));
    for (zone, joules) in [
        ("intel-rapl:0", 40),
        ("intel-rapl:0/intel-rapl:0:0", 30),
        ("intel-rapl:0/intel-rapl:0:1", 5),
        ("intel-rapl:1", 20),
        ("intel-rapl:1/intel-rapl:1:1", 2),
        ("intel-rapl:2", 100),
        ("intel-rapl-mmio:0", 40),
    ] {
        folder.write(&format!("{zone}/energy_uj"), joules * 1_000_000);
    }
    assert_eq!(meter.joules().unwrap(), 67.0);
    let each: Vec<f64> = (0..4).map(|domain| meter.count(domain).unwrap().joules).collect();
    assert_eq!(each, [40.0, 5.0, 20.0, 2.0]);

    let platform = Rapl::at(folder.path(), Scope::Platform, clock).unwrap();
    assert_eq!(names(&platform), ["psys"]);
    assert!(platform.domains()[0].overlaps(&meter.domains()[1]));
}

#[test]
fn s39_what_is_not_summed_is_listed_with_the_reason() {
    let folder = server("look");
    let found = Rapl::look(folder.path()).unwrap();
    let told: Vec<(String, bool)> =
        found.iter().map(|found| (found.name.to_string(), found.summed.is_ok())).collect();
    let expected = [
        ("package-0", true),
        ("core of package-0", false),
        ("dram of package-0", true),
        ("package-1", true),
        ("core of package-1", false),
        ("dram of package-1", true),
        ("psys", false),
        ("package-0", false),
    ];
    assert_eq!(told, expected.map(|(name, summed)| (name.to_owned(), summed)));
    let why = |n: usize| found[n].summed.clone().unwrap_err().sentence().to_owned();
    assert_eq!(why(1), "core is a part of package-0, counted there");
    assert_eq!(why(6), "psys has the packages and their memory in it");
    assert_eq!(why(7), "another interface counts package-0 already");
}

#[test]
fn s39_a_counter_that_begins_anew_loses_nothing() {
    const RANGE: u64 = 1_000_000;
    let folder = Folder::new("wrap");
    folder.zone("intel-rapl:0", "package-0", RANGE);
    let clock = Arc::new(VirtualClock::new());
    let mut meter = Rapl::at(folder.path(), Scope::Processor, clock.clone()).unwrap();
    let mut used = 0;
    for n in 0..100_u64 {
        // Up to 0.7 of the range at a time, in 1 ms: the zone tells no limit, so it may.
        used += n * 7_000;
        folder.write("intel-rapl:0/energy_uj", used % RANGE);
        clock.advance(Duration::from_micros(600));
        let counted = meter.joules().unwrap();
        assert!((counted - used as f64 * 1e-6).abs() < 1e-9, "{counted} J of {used} uJ");
    }
    assert!(used / RANGE > 30, "it began anew often enough");
}

#[test]
fn s39_a_counter_that_was_not_read_for_too_long_says_so_and_goes_on() {
    let folder = Folder::new("gap");
    folder.zone("intel-rapl:0", "package-0", 100_000_000);
    folder.write("intel-rapl:0/constraint_0_power_limit_uw", 50_000_000);
    let clock = Arc::new(VirtualClock::new());
    let mut meter = Rapl::at(folder.path(), Scope::Processor, clock.clone()).unwrap();
    assert_eq!(meter.domains()[0].peak_watts, 100.0, "twice its limit");
    assert_eq!(meter.longest_gap(), Duration::from_secs(1));
    folder.write("intel-rapl:0/constraint_1_max_power_uw", 4_095_875_000_u64);
    let unlimited = Rapl::at(folder.path(), Scope::Processor, clock.clone()).unwrap();
    assert_eq!(unlimited.domains()[0].peak_watts, 1_500.0);
    clock.advance(Duration::from_millis(900));
    folder.write("intel-rapl:0/energy_uj", 20_000_000);
    let before = meter.count(0).unwrap();
    assert_eq!(before.joules, 20.0);
    clock.advance(Duration::from_millis(1_001));
    folder.write("intel-rapl:0/energy_uj", 30_000_000);
    let why = meter.count(0).unwrap_err();
    assert_eq!(why.cause(), &Cause::Interrupted);
    assert!(why.sentence().contains("package-0"), "{why}");
    clock.advance(Duration::from_millis(100));
    folder.write("intel-rapl:0/energy_uj", 31_000_000);
    let after = meter.count(0).unwrap();
    assert_eq!(after.joules, 21.0, "what is not known is not in it");
    assert_ne!(before.run, after.run);
}

#[test]
fn s39_a_counter_that_was_set_is_not_believed() {
    let folder = Folder::new("jump");
    folder.zone("intel-rapl:0", "package-0", 262_143_328_850);
    folder.write("intel-rapl:0/energy_uj", 90_000_000_000_u64);
    let clock = Arc::new(VirtualClock::new());
    let mut meter = Rapl::at(folder.path(), Scope::Processor, clock.clone()).unwrap();
    clock.advance(Duration::from_millis(100));
    // As if it had begun anew after 172 kJ in 100 ms.
    folder.write("intel-rapl:0/energy_uj", 0);
    assert_eq!(meter.joules().unwrap_err().cause(), &Cause::Interrupted);
    folder.write("intel-rapl:0/energy_uj", 300_000_000_000_u64);
    assert_eq!(meter.joules().unwrap_err().cause(), &Cause::Failed, "beyond its range");
}

#[test]
fn s39_a_machine_without_counters_says_so() {
    let folder = Folder::new("none");
    let clock = Arc::new(VirtualClock::new());
    let nothing = Rapl::at(folder.path(), Scope::Processor, clock.clone()).err().unwrap();
    assert_eq!(nothing.cause(), &Cause::NotThere);
    let there_is_none = folder.path().join("powercap");
    let nothing = Rapl::at(&there_is_none, Scope::Processor, clock.clone()).err().unwrap();
    assert_eq!(nothing.cause(), &Cause::NotThere);
    assert!(nothing.sentence().contains("virtual machine"), "{nothing}");
    folder.zone("intel-rapl:0", "package-0", 1_000_000);
    let no_platform = Rapl::at(folder.path(), Scope::Platform, clock).err().unwrap();
    assert!(no_platform.sentence().contains("psys"), "{no_platform}");
}
