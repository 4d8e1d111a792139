//! A small reproduction, from the matrix to the page.

use super::*;

struct Count {
    parts: Vec<(String, usize)>,
    runs: usize,
}

impl WatchReproduction for Count {
    fn part(&mut self, name: &str, runs: usize) {
        self.parts.push((name.to_owned(), runs));
    }

    fn run(&mut self, _what: String) {
        self.runs += 1;
    }
}

fn plan(chosen: Vec<Chosen>) -> ReproductionPlan {
    ReproductionPlan { quick: true, rounds: Rounds { warmup: 0, samples: 1 }, chosen }
}

#[test]
fn what_is_chosen_takes_the_place_of_the_papers() {
    let plan = plan(vec![
        ("requests", vec![Value::Number(7)]),
        ("list_actors", vec![Value::Number(2), Value::Number(3)]),
        ("workload", vec![Value::Word("read")]),
    ]);
    plan.check().expect("the papers have several values of these");
    assert_eq!(plan.base().number("requests"), 7);
    assert_eq!(plan.base().number("range"), 400);
    assert_eq!(plan.numbers("list_actors", &[1], &[2]), [2, 3]);
    assert_eq!(plan.numbers("requesters", &[1], &[2]), [2]);
    assert_eq!(plan.words("workload", &["read", "write"]), ["read"]);
}

#[test]
fn what_the_papers_do_not_vary_has_one_value() {
    let refused = plan(vec![("seed", vec![Value::Number(2), Value::Number(3)])]).check();
    assert_eq!(refused.unwrap_err().to_string(), "--seed: takes one value with --reproduce");
}

#[test]
fn page_and_plots_are_written() {
    let out = std::env::temp_dir().join(format!("odeon-reproduction-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("the temporary folder is writable");
    let plan = plan(vec![("requests", vec![Value::Number(10)])]);
    let mut count = Count { parts: Vec::new(), runs: 0 };
    let written = plan.run(&out, &mut count).expect("it runs");
    // Three mixes, two numbers of list actors and of requesters, six modes; two mixes, three widths, three sums.
    assert_eq!(count.parts, [("execution times".to_owned(), 72), ("courses".to_owned(), 18)]);
    assert_eq!(count.runs, 72 + 18);
    // A chart for each mode and each number of list actors of a mix; two for each width of a mix.
    assert_eq!(written.plots.len(), 3 * (6 + 2) + 2 * 3 * 2);
    let page = std::fs::read_to_string(&written.page).expect("it was written");
    for number in ["4", "5", "6", "7", "8"] {
        assert!(page.contains(&format!("OPODIS 2013, figure {number}<")), "{page}");
    }
    for number in ["5.3", "5.4", "5.5", "5.6"] {
        assert!(page.contains(&format!("thesis, figure {number}<")), "{page}");
    }
    // Every picture of the page is a plot that was drawn, and each of those is an SVG.
    let pictures: Vec<&str> =
        page.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(pictures.len() > 20, "{pictures:?}");
    for picture in pictures {
        let svg = std::fs::read_to_string(out.join(picture)).expect("it was drawn");
        assert!(svg.starts_with("<svg"), "{picture}");
    }
    std::fs::remove_dir_all(&out).expect("it is there");
}
