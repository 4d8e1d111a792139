use super::*;
use crate::runner::{Contender, Outcome};
use crate::workloads;

struct Silent(Vec<String>);

impl WatchSelectors for Silent {
    fn comparison(&mut self, name: &str, _runs: usize) {
        self.0.push(name.to_owned());
    }
    fn run(&mut self, _what: String) {}
}

#[test]
fn every_comparison_names_known_things() {
    let mut titles = Vec::new();
    for comparison in comparisons::ALL {
        assert!(!titles.contains(&comparison.title), "{} is there twice", comparison.title);
        titles.push(comparison.title);
        let workload = workloads::find(comparison.workload).expect("the workload exists");
        let known = |settings: &[(&str, Value)]| {
            settings.iter().all(|(name, value)| {
                let parameters = workload.parameters.iter();
                let parameter = parameters.clone().find(|parameter| parameter.name == *name);
                parameter.is_some_and(|p| p.parse(&value.to_string()) == Ok(*value))
            })
        };
        for settings in
            [comparison.settings, comparison.paper_settings, comparison.quick, workload.paper]
        {
            assert!(known(settings), "{}: {settings:?}", comparison.title);
        }
        if let Some((name, values)) = comparison.swept {
            assert!(values.iter().all(|value| known(&[(name, Value::Number(*value))])));
        }
        for kind in [Kind::Selector, Kind::Actor] {
            let of_kind = comparison.versions.iter().filter(|version| version.kind == kind);
            assert!(of_kind.clone().count() > 0, "{}", comparison.title);
            assert!(of_kind.clone().all(|version| known(version.settings)), "{}", comparison.title);
        }
    }
}

#[test]
fn the_papers_parameters_fit_together() {
    let rounds = Rounds { warmup: 0, samples: 1 };
    let plan = SelectorsPlan { quick: false, paper: true, rounds, only: Vec::new() };
    for comparison in plan.comparisons() {
        for (_, params) in plan.points(comparison).iter().flat_map(|point| &point.cases) {
            comparison.workload().check(params).expect("the paper ran it");
        }
    }
}

#[test]
fn a_quick_run_compares_everything_and_writes_a_page() {
    let rounds = Rounds { warmup: 0, samples: 1 };
    let plan = SelectorsPlan { quick: true, paper: false, rounds, only: Vec::new() };
    let mut watch = Silent(Vec::new());
    let outcome = plan.run(&mut watch).expect("everything runs");
    assert_eq!(watch.0.len(), comparisons::ALL.len());

    let rows: usize = comparisons::ALL
        .iter()
        .map(|it| it.versions.len() * it.swept.map_or(1, |(_, values)| values.len()))
        .sum();
    assert_eq!(outcome.table().to_text().lines().count(), rows + 1);

    let folder = std::env::temp_dir().join(format!("odeon-selectors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let page = outcome.write(&plan, &folder).expect("it can be written");
    let text = std::fs::read_to_string(&page).expect("it was written");
    for comparison in comparisons::ALL {
        assert!(text.contains(comparison.title), "{}", comparison.title);
    }
    for compared in &outcome.0 {
        assert!(text.contains(&compared.plot()) && folder.join(compared.plot()).exists());
        for point in &compared.points {
            let ratio = compared.ratio(point).expect("both kinds were measured");
            assert!(ratio.is_finite() && ratio > 0.0);
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn the_lines_of_each_benchmark_are_counted_once_for_each_file() {
    let text = lines_of_code().to_markdown();
    assert_eq!(text.matches("| nqueens |").count(), 1, "{text}");
    let dictionary =
        text.lines().find(|line| line.starts_with("| dictionary |")).expect("it is there");
    assert!(
        dictionary.contains(" (arrival-order, readers-first, writers-first) | "),
        "{dictionary}"
    );
    assert!(!text.contains("fjthrput"), "its versions have no file each: {text}");
}

#[test]
fn a_version_with_a_wrong_result_leaves_the_others_theirs_and_is_told() {
    let rounds = Rounds { warmup: 0, samples: 1 };
    let plan = SelectorsPlan { quick: true, paper: false, rounds, only: Vec::new() };
    let comparison = plan.comparisons().next().expect("one is");
    let points = plan.points(comparison);
    let mut cases = points.iter().flat_map(|point| &point.cases).map(|(_, params)| Case {
        workload: comparison.workload(),
        contender: Contender::Odeon(Variant::Pool),
        params: params.clone(),
    });
    let error = BenchError::WrongResult("two are three".to_owned());
    let wrong = vec![Wrong { case: cases.next().expect("one is"), error }];
    let samples = Samples { ops: 1, ns_per_op: vec![2e6], ..Samples::default() };
    let right = cases.map(|case| Outcome { case, samples: samples.clone() });
    let results = Results(right.collect());
    let rows = results.0.len() + 1;
    let outcome = SelectorsOutcome(vec![Compared { comparison, results, wrong, points }]);
    let [failure] = &outcome.failures()[..] else { panic!("{:?}", outcome.failures()) };
    assert!(failure.starts_with(comparison.title), "{failure}");
    assert!(failure.ends_with(": wrong result: two are three"), "{failure}");
    let table = outcome.table().to_text();
    assert_eq!(table.lines().count(), rows + 1, "{table}");
    assert_eq!(table.matches("wrong result").count(), 1, "{table}");
    let page = page::page(&plan, &outcome.0, &Machine::here());
    assert_eq!(page.matches("wrong result").count(), 1, "{page}");
}
