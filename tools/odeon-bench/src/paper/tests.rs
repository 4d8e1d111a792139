//! What all papers have in common, and who watches them.

use super::*;

/// Counts what it is told.
#[derive(Default)]
pub(super) struct Counting {
    pub(super) parts: Vec<(String, usize)>,
    pub(super) runs: usize,
}

impl WatchPaper for Counting {
    fn part(&mut self, name: &str, runs: usize) {
        self.parts.push((name.to_owned(), runs));
    }

    fn run(&mut self, _what: String) {
        self.runs += 1;
    }
}

pub(super) fn quick(chosen: Vec<Chosen>) -> PaperPlan {
    let rounds = Rounds { warmup: 0, samples: 1 };
    PaperPlan { quick: true, full_size: false, rounds, only: Vec::new(), chosen }
}

/// Writes the page, checks that all its pictures are there, and answers its text.
pub(super) fn written(outcome: &Findings, name: &str) -> String {
    let out = std::env::temp_dir().join(format!("odeon-paper-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("the temporary folder is writable");
    let written = outcome.write(&out).expect("it is written");
    let page = std::fs::read_to_string(&written.page).expect("it was written");
    let pictures: Vec<&str> =
        page.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let svg = std::fs::read_to_string(out.join(picture)).expect("it was drawn");
        assert!(svg.starts_with("<svg"), "{picture}");
    }
    std::fs::remove_dir_all(&out).expect("it is there");
    page
}

#[test]
fn what_is_chosen_takes_the_place_of_the_papers() {
    let list = crate::workloads::find("list").expect("the list is a workload");
    let plan = quick(vec![
        ("requests", vec![Value::Number(7)]),
        ("list_actors", vec![Value::Number(2), Value::Number(3)]),
        ("no_parameter_of_the_list", vec![Value::Number(1)]),
    ]);
    let quick = [("requests", Value::Number(20)), ("range", Value::Number(400))];
    let params = plan.params(list, &[], &quick);
    assert_eq!((params.number("requests"), params.number("range")), (7, 400));
    plan.check_chosen(list, &["list_actors"]).expect("it has several values");
    let refused = plan.check_chosen(list, &[]).unwrap_err().to_string();
    assert_eq!(refused, "--list-actors: takes one value with --reproduce");
}
