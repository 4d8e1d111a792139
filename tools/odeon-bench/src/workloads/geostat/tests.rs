use super::*;
use crate::parameter::Value;

fn params(settings: &[(&'static str, Value)]) -> Params {
    let small = [
        ("grid", Value::Number(60)),
        ("points", Value::Number(10)),
        ("simulators", Value::Number(6)),
        ("logs", Value::Number(2)),
        ("log_points", Value::Number(1000)),
    ];
    GEOSTAT.defaults().with_all(&small).with_all(settings)
}

#[test]
fn what_is_missing_is_said() {
    let gpu = ("device", Value::Word("gpu"));
    assert_eq!(GEOSTAT.missing(&params(&[gpu])), None);
    let missing = GEOSTAT.missing(&params(&[("search", Value::Word(KERNEL)), gpu]));
    assert!(missing.is_none_or(|why| why == "no GPU here"));
}

#[test]
fn in_sequence_the_grid_is_that_of_the_floor() {
    let params = params(&[("mode", Value::Word("sequential"))]);
    let outcome = set_up(&params).and_then(|run| run.simulate()).expect("it runs");
    assert!(outcome.grid == task(&params).expect("nothing is read").simulate());
}

#[test]
fn pictures_and_conditioning_data() {
    let out = std::env::temp_dir().join(format!("odeon-geostat-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder");
    let data = out.join("wells.txt");
    std::fs::write(&data, "5 30 1\n").expect("it can be written");
    let file: &'static str = String::leak(data.display().to_string());
    let params = params(&[("conditioning", Value::Word(file))]);
    let said = pictures::write(&params, &out).expect("it runs");
    assert!(said.contains("proportion") && said.contains("furthest apart"), "{said}");
    assert!(said.contains("a serial order of all 3599 points"), "{said}");
    let floor = GEOSTAT.floor(&params.for_floor(GEOSTAT.parameters)).expect("it runs");
    assert_eq!(floor.ops, 3599);
    std::fs::write(&data, "60 0 1\n").expect("it can be written");
    let refused = GEOSTAT.run(Variant::Pool, &params).unwrap_err();
    assert!(refused.is_bad_argument() && refused.to_string().contains("outside"), "{refused}");
    let _ = std::fs::remove_dir_all(&out);
}
