//! A small reproduction, from the matrix to the page.

use super::*;
use crate::paper::tests::{Counting, quick, written};

#[test]
fn page_and_plots_are_written() {
    let plan = quick(vec![("requests", vec![Number(10)])]);
    let mut count = Counting::default();
    let outcome = run(&plan, &mut count).expect("it runs");
    // Three mixes, two numbers of list actors and of requesters, six modes; two mixes, three
    // widths, three sums.
    assert_eq!(count.parts, [("execution times".to_owned(), 72), ("courses".to_owned(), 18)]);
    assert_eq!(count.runs, 72 + 18);
    // A chart for each mode and each number of list actors of a mix; two for each width of a mix.
    let plots = outcome.page.sections.iter().map(|section| section.plots.len()).sum::<usize>();
    assert_eq!(plots, 3 * (6 + 2) + 2 * 3 * 2);
    let page = written(&outcome, "list");
    for number in ["4", "5", "6", "7", "8"] {
        assert!(page.contains(&format!("OPODIS 2013, figure {number}<")), "{page}");
    }
    for number in ["5.3", "5.4", "5.5", "5.6"] {
        assert!(page.contains(&format!("thesis, figure {number}<")), "{page}");
    }
}

#[test]
fn what_the_papers_do_not_vary_has_one_value() {
    let plan = quick(vec![("seed", vec![Number(2), Number(3)])]);
    let refused = PAPER.check(&plan).unwrap_err();
    assert_eq!(refused.to_string(), "--seed: takes one value with --reproduce");
    let several = vec![Number(2), Number(3)];
    PAPER.check(&quick(vec![("list_actors", several)])).expect("the papers have several");
}
