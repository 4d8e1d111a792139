use super::*;

/// Counts what it is told.
#[derive(Default)]
struct Counting {
    expected: usize,
    runs: usize,
}

impl WatchReproduction for Counting {
    fn part(&mut self, _name: &str, runs: usize) {
        self.expected += runs;
    }

    fn run(&mut self, _what: String) {
        self.runs += 1;
    }
}

fn plan(chosen: Vec<Chosen>) -> GeostatPlan {
    GeostatPlan { quick: true, rounds: Rounds { warmup: 0, samples: 1 }, chosen }
}

#[test]
fn a_quick_run_writes_page_and_plots() {
    let out = std::env::temp_dir().join(format!("odeon-geostat-paper-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder");
    let mut watch = Counting::default();
    let plan = plan(vec![("grid", vec![Value::Number(40)])]);
    let written = plan.run(&out, &mut watch).expect("it runs");
    assert_eq!((watch.runs, watch.expected, written.plots.len()), (9, 9, 9));
    let page = std::fs::read_to_string(&written.page).expect("it was written");
    assert!(page.contains("figure 5.8") && page.contains("figure 5.9") && page.contains("40 x 40"));
    assert!(!page.contains("not measured"), "every statement has an answer");
    for plot in &written.plots {
        let file = plot.file_name().and_then(|name| name.to_str()).expect("it has a name");
        assert!(page.contains(file), "{file}");
        assert!(std::fs::read_to_string(plot).expect("it was drawn").starts_with("<svg"));
    }
    let _ = std::fs::remove_dir_all(&out);
}

#[test]
fn what_is_compared_cannot_be_chosen() {
    let refused = |chosen| plan(vec![chosen]).check().unwrap_err().to_string();
    let words = |word| vec![Value::Word(word)];
    assert_eq!(refused(("mode", words("adaptive"))), "--mode: is what --reproduce compares");
    assert_eq!(refused(("reads", words("relaxed"))), "--reads: is what --reproduce compares");
    let several = vec![Value::Number(1), Value::Number(2)];
    assert_eq!(refused(("workers", several)), "--workers: takes one value with --reproduce");
    plan(vec![("workers", vec![Value::Number(1)])]).check().expect("one value");
}
