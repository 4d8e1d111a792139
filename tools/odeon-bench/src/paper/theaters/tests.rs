//! A small reproduction, with members on threads, and what is said of made-up results.

use super::*;
use crate::paper::tests::{Counting, quick, written};

fn plan(only: &[&str]) -> PaperPlan {
    let only = only.iter().map(|number| (*number).to_owned()).collect();
    PaperPlan { only, ..quick(vec![("members", vec![Value::Word("threads")])]) }
}

fn figure(number: u8) -> &'static Figure {
    figures::ALL.iter().find(|figure| figure.number == number).expect("it is there")
}

#[test]
fn every_figure_names_known_things_and_parts_hold_all_values() {
    for figure in figures::ALL {
        for quick in [false, true] {
            let plan = PaperPlan { quick, ..plan(&[]) };
            let swept = figure.workload().parameters.iter().find(|one| one.name == figure.swept.0);
            let swept = swept.expect("it is a parameter");
            for ((_, value), params) in cases(figure, &plan) {
                assert_eq!(swept.parse(&value.to_string()), Ok(Value::Number(value)));
                let holds = |&(_, from, to): &(&str, u64, u64)| (from..=to).contains(&value);
                assert!(figure.parts.iter().any(holds), "{}: {value}", figure.name());
                figure.workload().check(&params).expect("it can be run");
            }
        }
    }
    assert_eq!((PAPER.parts)(), ["5", "6", "7", "8", "9"]);
}

#[test]
fn all_figures_are_run_and_drawn_beside_the_papers() {
    let mut count = Counting::default();
    let outcome = run(&plan(&[]), &mut count).expect("it runs");
    let announced: usize = count.parts.iter().map(|(_, runs)| runs).sum();
    assert_eq!((count.parts.len(), count.runs), (5, announced));
    let page = written(&outcome, "theaters");
    for number in 5..=9 {
        assert!(page.contains(&format!("<h2>Figure {number}: ")), "{page}");
    }
    for part in ["5", "6", "7", "8a", "8b", "9a", "9b"] {
        assert!(page.contains(&format!("<img src=\"figure-{part}.svg\"")), "{part}");
    }
    assert!(page.contains("5.55 %") && !page.contains("not measured"), "{page}");
    // Line by line, what was swept.
    let table = outcome.tables[0].1.to_text();
    assert_eq!(table.lines().count(), 1 + 3 * 2 + 3 * 2 + 3 * 2 + 2 * 4 + 3, "{table}");
}

#[test]
fn only_what_is_wanted_is_run() {
    let mut count = Counting::default();
    run(&plan(&["9"]), &mut count).expect("it runs");
    let names: Vec<&str> = count.parts.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["figure 9: actors that move"]);
}

/// Figure 8, where each ring adds so many seconds from ten rings on; before, it takes 5 s.
fn rings(remote: f64, mobile: f64) -> Drawn {
    let figure = figure(8);
    let cases = cases(figure, &PaperPlan { quick: false, ..plan(&[]) });
    let measured = cases.into_iter().map(|(key, params)| {
        let (line, value) = key;
        let each = if line == "remote" { remote } else { mobile };
        let seconds = if value < 10 { 5.0 } else { each * value as f64 };
        (key, params, Ok((value * 1000, seconds)))
    });
    Drawn { figure, cases: Cases::made_up(figure.workload(), measured.collect()) }
}

#[test]
fn what_is_said_is_what_was_measured() {
    let drawn = rings(0.01, 0.015);
    assert_eq!(drawn.slopes("mobile", "remote"), "50.0 % longer (15000 ns against 10000 ns)");
    assert_eq!(drawn.slopes("remote", "mobile"), "33.3 % shorter (10000 ns against 15000 ns)");
    assert_eq!(drawn.times_at(2, "mobile", "remote"), "1.00x (5.00 s against 5.00 s)");
    assert_eq!(drawn.times_at(3000, "mobile", "remote"), "not measured");
    let fastest = drawn.fastest();
    assert!(fastest.starts_with("remote: 10 rings, 0.100 s (1: 5.00 s); mobile: 10 "), "{fastest}");
    assert_eq!(drawn.correlations(), "remote: 1.0000; mobile: 1.0000");
    assert!(drawn.rates().starts_with("remote: 100000 hops a second; mobile: 66667 "));
    assert!(drawn.at_first().starts_with("remote: 1 rings in 5.00 s; mobile: "));
}

#[test]
fn a_run_with_a_wrong_result_leaves_the_others_theirs_and_is_told() {
    let (figure, plan) = (figure(8), plan(&["8"]));
    let mut cases = cases(figure, &plan).into_iter();
    let mut case = |outcome| {
        let (key, params) = cases.next().expect("there are two");
        (key, params, outcome)
    };
    let made_up = vec![case(Ok((1, 2.0))), case(Err("a hop is missing"))];
    let drawn = Drawn { figure, cases: Cases::made_up(figure.workload(), made_up) };
    let outcome = outcome(&plan, &[drawn]);
    let [failure] = &outcome.failures[..] else { panic!("{:?}", outcome.failures) };
    assert!(failure.ends_with(": wrong result: a hop is missing"), "{failure}");
    assert!(failure.contains("kind=mobile") && failure.contains("rings=1"), "{failure}");
    let table = outcome.tables[0].1.to_text();
    assert!(table.contains("2000") && table.contains("wrong result"), "{table}");
    assert!(outcome.page.text().contains("wrong result"));
}
