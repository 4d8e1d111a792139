//! A small reproduction, with members on threads, and what is said of made-up results.

use super::*;
use crate::runner::{Contender, Outcome, Results, Wrong};
use crate::samples::Samples;

const THREADS: Setting = ("members", Value::Word("threads"));

#[derive(Default)]
struct Count {
    figures: Vec<String>,
    announced: usize,
    runs: usize,
}

impl WatchTheaters for Count {
    fn figure(&mut self, name: &str, runs: usize) {
        self.figures.push(name.to_owned());
        self.announced += runs;
    }

    fn run(&mut self, _what: String) {
        self.runs += 1;
    }
}

fn plan(only: &[u8]) -> TheatersPlan {
    let rounds = Rounds { warmup: 0, samples: 1 };
    TheatersPlan { quick: true, rounds, only: only.to_vec(), chosen: vec![THREADS] }
}

#[test]
fn every_figure_names_known_things_and_parts_hold_all_values() {
    for figure in figures::ALL {
        for full in [false, true] {
            let plan = TheatersPlan { quick: !full, ..plan(&[]) };
            let (swept, values, quick) = figure.swept;
            let parameters = figure.workload().parameters;
            let of = |name: &str| parameters.iter().find(|one| one.name == name);
            let swept = of(swept).expect("it is a parameter");
            for value in if full { values } else { quick } {
                assert_eq!(swept.parse(&value.to_string()), Ok(Value::Number(*value)));
                let holds = |&(_, from, to): &(&str, u64, u64)| (from..=to).contains(value);
                assert!(figure.parts.iter().any(holds), "{}: {value}", figure.name());
            }
            for (_, settings) in figure.lines {
                let params = plan.params(figure, settings).with(swept.name, Value::Number(9));
                figure.workload().check(&params).expect("it can be run");
            }
        }
    }
    assert_eq!(numbers(), [5, 6, 7, 8, 9]);
}

#[test]
fn all_figures_are_run_and_drawn_beside_the_papers() {
    let out = std::env::temp_dir().join(format!("odeon-theaters-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("the temporary folder is writable");
    let (plan, mut count) = (plan(&[]), Count::default());
    let outcome = plan.run(&mut count).expect("it runs");
    assert_eq!((count.figures.len(), count.runs), (5, count.announced));
    let page = outcome.write(&plan, &out).expect("it is written");
    let page = std::fs::read_to_string(page).expect("it was written");
    for number in numbers() {
        assert!(page.contains(&format!("<h2>Figure {number}: ")), "{page}");
    }
    let pictures: Vec<&str> =
        page.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let expected = ["5", "6", "7", "8a", "8b", "9a", "9b"].map(|it| format!("figure-{it}.svg"));
    assert_eq!(pictures, expected);
    for picture in pictures {
        let svg = std::fs::read_to_string(out.join(picture)).expect("it was drawn");
        assert!(svg.starts_with("<svg"), "{picture}");
    }
    assert!(page.contains("5.55 %") && !page.contains("not measured"), "{page}");
    // Line by line, what was swept.
    let table = outcome.table().to_text();
    assert_eq!(table.lines().count(), 1 + 3 * 2 + 3 * 2 + 3 * 2 + 2 * 4 + 3, "{table}");
    std::fs::remove_dir_all(&out).expect("it is there");
}

#[test]
fn only_what_is_wanted_is_run() {
    let mut count = Count::default();
    plan(&[9]).run(&mut count).expect("it runs");
    assert_eq!(count.figures, ["figure 9: actors that move"]);
}

/// Figure 8, where each ring adds so many seconds from ten rings on; before, it takes 5 s.
fn rings(remote: f64, mobile: f64) -> Drawn {
    let figure = figures::ALL.iter().find(|figure| figure.number == 8).expect("it is there");
    let plan = TheatersPlan { quick: false, ..plan(&[]) };
    let (mut points, mut outcomes) = (Vec::new(), Vec::new());
    for (line, settings) in figure.lines {
        for &value in figure.swept.1 {
            let params = plan.params(figure, settings).with("rings", Value::Number(value));
            let each = if *line == "remote" { remote } else { mobile };
            let seconds = if value < 10 { 5.0 } else { each * value as f64 };
            let ops = value * 1000;
            let ns_per_op = vec![seconds * 1e9 / ops as f64];
            let samples = Samples { ops, ns_per_op, ..Samples::default() };
            let (workload, contender) = (figure.workload(), Contender::Odeon(Variant::Pool));
            let case = Case { workload, contender, params: params.clone() };
            outcomes.push(Outcome { case, samples });
            points.push((*line, value, params));
        }
    }
    Drawn::new(figure, &points, &Results(outcomes), &[])
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
    let figure = figures::ALL.iter().find(|figure| !figure.lines.is_empty()).expect("one is");
    let plan = plan(&[figure.number]);
    let (swept, values, _) = figure.swept;
    let (line, settings) = figure.lines[0];
    let at = |value: &u64| {
        let params = plan.params(figure, settings).with(swept, Value::Number(*value));
        (line, *value, params)
    };
    let points: Vec<_> = values[..2].iter().map(at).collect();
    let case = |point: &(&str, u64, Params)| Case {
        workload: figure.workload(),
        contender: Contender::Odeon(Variant::Pool),
        params: point.2.clone(),
    };
    let samples = Samples { ops: 1, ns_per_op: vec![2e9], ..Samples::default() };
    let right = Outcome { case: case(&points[0]), samples };
    let error = BenchError::WrongResult("a hop is missing".to_owned());
    let wrong = Wrong { case: case(&points[1]), error };
    let drawn = Drawn::new(figure, &points, &Results(vec![right]), &[wrong]);
    let outcome = TheatersOutcome(vec![drawn]);
    let [failure] = &outcome.failures()[..] else { panic!("{:?}", outcome.failures()) };
    assert!(failure.ends_with(": wrong result: a hop is missing"), "{failure}");
    assert!(failure.contains(line) && failure.contains(&values[1].to_string()), "{failure}");
    let table = outcome.table().to_text();
    assert!(table.contains("2000") && table.contains("wrong result"), "{table}");
    let page = page::page(&plan, &outcome.0, &Machine::here());
    assert!(page.contains("wrong result"), "{page}");
}
