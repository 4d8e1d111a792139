use super::*;
use crate::devices::cuda_missing;
use crate::energy::Joules;
use crate::paper::tests::{Counting, quick, written};
use crate::parameter::Value;
use odeon_example_kmeans::Broker;

#[test]
fn a_quick_run_measures_everything_and_writes_a_page() {
    // A test's program cannot be started as a worker process.
    let plan = quick(vec![("members", vec![Value::Word("threads")])]);
    let mut watch = Counting::default();
    let outcome = run(&plan, &mut watch).expect("everything runs");
    let names: Vec<&str> = watch.parts.iter().map(|(name, _)| &**name).collect();
    assert!(names.contains(&"figure 6.8, large set"), "{names:?}");
    let text = |index: usize| outcome.tables[index].1.to_text();
    // What needs no device is there on every machine.
    for name in ["one loop", "rayon", "actors on cores"] {
        let row = text(0).lines().find(|line| line.contains(name)).map(str::to_owned);
        assert!(row.is_some_and(|row| !row.contains("not measured")), "{}", text(0));
    }
    // The others are there, measured or with what they lack.
    let lacks = [("direct", cuda_missing()), ("middleware", Broker::missing())];
    for (name, missing) in lacks {
        let row = text(0).lines().find(|line| line.contains(name)).map(str::to_owned);
        let row = row.unwrap_or_else(|| panic!("{name} in {}", text(0)));
        match missing {
            Some(why) => assert!(row.contains(&why), "{row}"),
            None => assert!(!row.contains(" here") && !row.contains("not measured"), "{row}"),
        }
    }
    for name in ["336 + 337", "336 + 67", "39 + 0", "cpu", "direct", "middleware", "kernel"] {
        assert!(text(1).contains(name), "{name} in {}", text(1));
    }
    let page = written(&outcome, "heterogeneous");
    for file in ["figure-6.6-time.svg", "figure-6.7.svg", "figure-6.8-small.svg"] {
        assert!(page.contains(file), "{file}");
    }
}

/// The joules of a run that lasts about as long as a period of the counters are not compared.
#[test]
fn energy_that_is_hardly_known_is_no_energy() {
    let measurement = |in_thesis, error| {
        let joules = Some(Joules { value: 20.0, error });
        let outcome = Ok(governors::Taken { seconds: 0.1, joules });
        let (governor, implementation) = (governors::AS_IT_IS, "kernels (CubeCL)");
        Measurement { governor, implementation, in_thesis, outcome }
    };
    let said = |error| {
        let both = [measurement("dsl", error), measurement("act", 0.5)];
        let (_, statement) = governors::statements(&both).pop().expect("the last one");
        (statement, governors::cells(&both[0]))
    };
    let (statement, [watts, _, joules]) = said(0.5);
    assert_eq!([&*statement, &*watts, &*joules], ["20.0 J against 20.0 J", "200", "20.0"]);
    let (statement, [watts, _, joules]) = said(100.0);
    let too_short = "not measured: too short for the counters, 20.0 J may be off by 100 J";
    assert_eq!([&*statement, &*watts, &*joules], [too_short, "unavailable", too_short]);
}
