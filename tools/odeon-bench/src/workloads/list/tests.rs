use super::*;

fn params(settings: &[(&'static str, Value)]) -> Params {
    LIST.defaults().with_all(settings)
}

#[test]
fn sums_over_several_list_actors_come_with_a_note() {
    let several = ("list_actors", Value::Number(2));
    assert_eq!(LIST.note(&params(&[])), None);
    let note = LIST.note(&params(&[several]));
    assert!(note.is_some_and(|note| note.contains("not atomic")));
    let speculative = params(&[several, ("mode", Value::Word("combined"))]);
    assert_eq!(LIST.note(&speculative), None, "one transaction");
    assert!(LIST.note(&speculative.with("sum", Value::Word("kept"))).is_some());
}

#[test]
fn only_speculative_list_actors_make_coordinated_sums_and_only_these_are_delayed() {
    for (sum, mode) in SUMS.into_iter().flat_map(|sum| MODES.map(|mode| (sum, mode))) {
        let small = [("list_actors", 3), ("requesters", 1), ("requests", 30), ("range", 64)];
        let small = small.map(|(name, number)| (name, Value::Number(number)));
        let words = [("sum", Value::Word(sum)), ("mode", Value::Word(mode))];
        let params = params(&[&small[..], &words].concat());
        let fits = mode != "plain" || !sum.starts_with(COORDINATED);
        assert_eq!(LIST.check(&params).is_ok(), fits, "{mode}, {sum}");
        if fits {
            LIST.run(Variant::Pool, &params).expect("the run is right");
            LIST.floor(&params.for_floor(LIST.parameters)).expect("the floor is right");
        }
    }
    let delayed = [("list_actors", Value::Number(3)), ("hop_delay", Value::Number(10))];
    let delayed = params(&delayed).with("mode", Value::Word("combined"));
    LIST.check(&delayed).expect("sums are coordinated");
    assert!(LIST.check(&delayed.with("sum", Value::Word("kept"))).is_err());
}
