use super::*;
use crate::devices::cuda_missing;
use crate::energy::Joules;
use crate::parameter::Value;
use odeon_example_kmeans::Broker;

struct Silent(Vec<String>);

impl WatchHeterogeneous for Silent {
    fn part(&mut self, name: &str, _runs: usize) {
        self.0.push(name.to_owned());
    }
    fn run(&mut self, _what: String) {}
}

#[test]
fn a_quick_run_measures_everything_and_writes_a_page() {
    let rounds = Rounds { warmup: 0, samples: 1 };
    // A test's program cannot be started as a worker process.
    let chosen = vec![("members", Value::Word("threads"))];
    let plan = HeterogeneousPlan { quick: true, rounds, chosen };
    let mut watch = Silent(Vec::new());
    let outcome = plan.run(&mut watch).expect("everything runs");
    assert!(watch.0.iter().any(|name| name == "figure 6.8, large set"), "{:?}", watch.0);
    let tables = outcome.tables();
    let text = |index: usize| tables[index].1.to_text();
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
    let small = outcome.shared[0].rows();
    assert_eq!(small[0][5], "1.00", "{small:?}");
    // The pool has tried what it could, and says what it has found.
    let has_device = !small[1][3].starts_with("not measured");
    let tried = small.iter().filter(|row| !row[2].is_empty()).count();
    assert_eq!(tried > 0, has_device, "{small:?}");
    assert_eq!(outcome.shared[0].ours().contains("the pool took: "), has_device);

    let folder = std::env::temp_dir().join(format!("odeon-heterogeneous-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let page = outcome.write(&plan, &folder).expect("it can be written");
    let text = std::fs::read_to_string(&page).expect("it was written");
    for file in ["figure-6.6-time.svg", "figure-6.7.svg", "figure-6.8-small.svg"] {
        assert!(text.contains(file) && folder.join(file).exists(), "{file}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn lines_of_each_way_are_counted() {
    for row in ways::rows().iter().filter(|row| !row[0].is_empty()) {
        let lines = |cell: &str| cell.parse::<usize>().expect("a number");
        assert!(lines(&row[2]) > 20 && lines(&row[3]) > 10, "{row:?}");
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
        let statement = governors::statements(&both).pop().expect("the last one").pop();
        (statement.expect("a cell"), governors::cells(&both[0]))
    };
    let (statement, [watts, _, joules]) = said(0.5);
    assert_eq!([&*statement, &*watts, &*joules], ["20.0 J against 20.0 J", "200", "20.0"]);
    let (statement, [watts, _, joules]) = said(100.0);
    let too_short = "not measured: too short for the counters, 20.0 J may be off by 100 J";
    assert_eq!([&*statement, &*watts, &*joules], [too_short, "unavailable", too_short]);
}
