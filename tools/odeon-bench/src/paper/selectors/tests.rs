use super::*;
use crate::paper::tests::{Counting, quick, written};
use crate::workloads;

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
        for kind in [VersionKind::Selector, VersionKind::Actor] {
            let of_kind = comparison.versions.iter().filter(|version| version.kind == kind);
            assert!(of_kind.clone().count() > 0, "{}", comparison.title);
            assert!(of_kind.clone().all(|version| known(version.settings)), "{}", comparison.title);
        }
    }
}

#[test]
fn the_papers_parameters_fit_together() {
    let plan = PaperPlan { quick: false, full_size: true, ..quick(Vec::new()) };
    for comparison in comparisons::ALL {
        for (_, params) in cases(comparison, &plan) {
            comparison.workload().check(&params).expect("the paper ran it");
        }
    }
}

#[test]
fn a_quick_run_compares_everything_and_writes_a_page() {
    let mut watch = Counting::default();
    let outcome = run(&quick(Vec::new()), &mut watch).expect("everything runs");
    assert_eq!(watch.parts.len(), comparisons::ALL.len());
    let rows: usize = comparisons::ALL.iter().map(|it| it.versions.len() * it.values().len()).sum();
    let table = outcome.tables[0].1.to_text();
    assert_eq!(table.lines().count(), rows + 1);
    // Both kinds were measured.
    let ratios = table.matches("x ").count();
    assert!(ratios >= comparisons::ALL.len(), "{table}");
    let page = written(&outcome, "selectors");
    for comparison in comparisons::ALL {
        assert!(page.contains(comparison.title) && page.contains(&comparison.plot()));
    }
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
    let (plan, comparison) = (quick(Vec::new()), &comparisons::ALL[0]);
    let cases = cases(comparison, &plan).into_iter().enumerate().map(|(number, (key, params))| {
        let outcome = if number == 0 { Err("two are three") } else { Ok((1, 0.002)) };
        (key, params, outcome)
    });
    let cases = Cases::made_up(comparison.workload(), cases.collect());
    let rows = cases.keys().count();
    let outcome = outcome(&plan, vec![Compared { comparison, cases }]);
    let [failure] = &outcome.failures[..] else { panic!("{:?}", outcome.failures) };
    assert!(failure.starts_with(comparison.title), "{failure}");
    assert!(failure.ends_with(": wrong result: two are three"), "{failure}");
    let table = outcome.tables[0].1.to_text();
    assert_eq!(table.lines().count(), rows + 1, "{table}");
    assert_eq!(table.matches("wrong result").count(), 1, "{table}");
    assert_eq!(outcome.page.text().matches("wrong result").count(), 1);
}
