use super::*;
use crate::devices::device_for;
use crate::geostat::search::{DataEvent, Found, Search};
use crate::geostat::statistics::Statistics;
use crate::parameter::Value;

fn params(settings: &[(&str, Value)]) -> Params {
    let small = [
        ("grid", Value::Number(60)),
        ("points", Value::Number(10)),
        ("simulators", Value::Number(6)),
        ("logs", Value::Number(2)),
        ("log_points", Value::Number(1000)),
    ];
    let all = small.iter().chain(settings);
    all.fold(Params::defaults(ABOUT.parameters), |params, (name, value)| params.with(name, *value))
}

/// However requests and looks come between each other, one thread could have done it, and what was seen was there.
#[test]
fn whatever_the_interleaving_there_is_a_serial_order() {
    for mode in MODES {
        for reads in ["relaxed", "logged", "snapshot"] {
            for step in ["request", "point"] {
                let words = [("mode", *mode), ("reads", reads), ("step", step)];
                let words = words.map(|(name, word)| (name, Value::Word(word)));
                let run = Run::new(&params(&words)).expect("nothing is read").checked();
                let outcome = run.simulate();
                let outcome = outcome.unwrap_or_else(|e| panic!("{mode} {reads} {step}: {e}"));
                assert_eq!(outcome.serial_order.map(|order| order.len()), Some(3600));
            }
        }
    }
}

/// One request at a time: the path itself is the order, whoever asks, on however many workers, whoever looks. By kernels the same is found, so the
/// same comes out.
#[test]
fn in_sequence_the_grid_is_that_of_the_floor() {
    let has_device = device_for("geostat with the search by kernels").is_some();
    for search in [CPU, KERNEL].into_iter().take(1 + usize::from(has_device)) {
        simulates_what_the_floor_does(search);
    }
}

fn simulates_what_the_floor_does(search: &'static str) {
    let parts = [(1, 1, "request"), (24, 1, "request"), (24, 1, "point"), (7, 4, "request")];
    for (simulators, workers, step) in parts {
        let params = params(&[
            ("mode", Value::Word("sequential")),
            ("search", Value::Word(search)),
            ("simulators", Value::Number(simulators)),
            ("workers", Value::Number(workers)),
            ("step", Value::Word(step)),
        ]);
        let outcome = Run::new(&params).and_then(|run| run.simulate()).expect("it runs");
        let floor = task(&params).expect("nothing is read").simulate();
        assert!(
            outcome.grid == floor,
            "{search}: {simulators} simulators, {workers} workers, {step}"
        );
    }
}

/// Workers that search at the same time, and requests that are rolled back.
#[test]
fn with_kernels_there_is_a_serial_order_too() {
    if device_for("actors that search by kernels").is_none() {
        return;
    }
    let settings = [("search", KERNEL), ("mode", "concurrent")].map(|(n, w)| (n, Value::Word(w)));
    let run = Run::new(&params(&settings)).expect("it was there").checked();
    let outcome = run.simulate().expect("it runs");
    assert_eq!(outcome.serial_order.map(|order| order.len()), Some(3600));
}

#[test]
fn a_search_that_fails_ends_the_run() {
    struct Failing;
    impl Search for Failing {
        fn find(&self, _events: &[DataEvent], _answers: &mut [Found]) {
            panic!("the device is lost");
        }
    }
    let params = params(&[("simulators", Value::Number(1)), ("logs", Value::Number(0))]);
    let task = task(&params).expect("nothing is read");
    let task = Task { model: task.model.searched_by(Box::new(Failing)), ..task };
    let outcome = Run::of(task, &params).and_then(|run| run.simulate().map(|_| ()));
    let error = outcome.expect_err("nothing was found").to_string();
    assert!(error.contains("a request was lost"), "{error}");
}

#[test]
fn what_is_missing_is_said() {
    let gpu = ("device", Value::Word("gpu"));
    assert_eq!(Geostat.missing(&params(&[gpu])), None);
    let missing = Geostat.missing(&params(&[("search", Value::Word(KERNEL)), gpu]));
    assert!(missing.is_none_or(|why| why == "no GPU here"));
}

#[test]
fn what_actors_simulate_is_like_the_training_image() {
    let params = params(&[("grid", Value::Number(200)), ("points", Value::Number(30))]);
    let run = Run::new(&params).expect("nothing is read");
    let outcome = run.simulate().expect("it runs");
    let image = run.task.model.image();
    let (ours, theirs) = (Statistics::of(&outcome.grid, image), Statistics::of_image(image));
    let difference = ours.difference(&theirs);
    // As for the simulation without actors, whose tests say why not less.
    assert!(difference.proportion < 0.1, "{difference:?}");
    assert!(difference.variogram < 0.2 && difference.connectivity < 0.5, "{difference:?}");
}

#[test]
fn searches_are_repeated_only_for_events_that_have_changed() {
    let settings = [("mode", Value::Word("concurrent")), ("workers", Value::Number(4))];
    let course = record_course(&params(&settings), std::time::Duration::from_millis(1));
    let total = course.expect("it runs").total();
    assert_eq!(total.requests, 360);
    // Each attempt that was rolled back may have had all of its 10 events changed; of many hardly all had, however long the machine let
    // them stand still.
    let repeated = total.searches - 3600;
    assert!(repeated <= total.requests_rolled_back * 10, "{total:?}");
    assert!(
        total.requests_rolled_back < 20 || repeated < total.requests_rolled_back * 10,
        "{total:?}"
    );
}

#[test]
fn pictures_and_conditioning_data() {
    let out = std::env::temp_dir().join(format!("odeon-geostat-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder");
    let data = out.join("wells.txt");
    let lines: String = (0..60).map(|x| format!("{x} 30 1\n")).collect();
    std::fs::write(&data, lines).expect("it can be written");
    let file: &'static str = String::leak(data.display().to_string());
    let params = params(&[("conditioning", Value::Word(file))]);
    let said = pictures::write(&params, &out).expect("it runs");
    assert!(said.contains("proportion") && said.contains("furthest apart"), "{said}");
    assert!(said.contains("a serial order of all 3540 points"), "{said}");
    let result = crate::geostat::gslib::read(&out.join("result.dat")).expect("it was written");
    assert!((0..60).all(|x| result.at(x, 30) == 1.0));
    let picture = crate::geostat::png_image::read(&out.join("result.png")).expect("it was drawn");
    assert_eq!((picture.width(), picture.height(), picture.at(0, 30)), (60, 60, 255.0));
    let floor = Geostat.floor(&params.for_floor(ABOUT.parameters)).expect("it runs");
    assert_eq!(floor.ops, 3540);
    std::fs::write(&data, "60 0 1\n").expect("it can be written");
    let refused = Geostat.run(Variant::Pool, &params).unwrap_err();
    assert!(refused.is_bad_argument() && refused.to_string().contains("outside"), "{refused}");
    let _ = std::fs::remove_dir_all(&out);
}
