use super::*;
use crate::paper::tests::{Counting, quick, written};

#[test]
fn a_quick_run_writes_page_and_plots() {
    let mut count = Counting::default();
    let plan = quick(vec![("grid", vec![Value::Number(40)])]);
    let outcome = run(&plan, &mut count).expect("it runs");
    assert_eq!((count.runs, &*count.parts), (9, &[("geostat".to_owned(), 9)][..]));
    let sections = &outcome.page.sections;
    assert_eq!(sections.iter().map(|section| section.plots.len()).sum::<usize>(), 9);
    let answers = sections.iter().flat_map(|section| &section.said);
    for (statement, ours) in answers {
        assert!(!ours.contains("not measured"), "{statement} {ours}");
    }
    let page = written(&outcome, "geostat");
    assert!(page.contains("figure 5.8") && page.contains("figure 5.9") && page.contains("40 x 40"));
}

#[test]
fn what_is_compared_cannot_be_chosen() {
    let refused = |chosen| PAPER.check(&quick(vec![chosen])).unwrap_err().to_string();
    let words = |word| vec![Value::Word(word)];
    assert_eq!(refused(("mode", words("adaptive"))), "--mode: is what --reproduce compares");
    assert_eq!(refused(("reads", words("relaxed"))), "--reads: is what --reproduce compares");
    let several = vec![Value::Number(1), Value::Number(2)];
    assert_eq!(refused(("workers", several)), "--workers: takes one value with --reproduce");
    PAPER.check(&quick(vec![("workers", vec![Value::Number(1)])])).expect("one value");
}
