//! Every case, alone and contended.

use super::*;
use crate::parameter::Value;

fn params(case: &'static str, numbers: &[(&str, u64)]) -> Params {
    let params = STM.defaults().with("case", Value::Word(case));
    numbers.iter().fold(params, |params, (name, number)| params.with(name, Value::Number(*number)))
}

#[test]
fn every_case_and_its_floor_end_with_the_right_result() {
    for case in NAMES {
        // One thread; few variables for several; fewer transactions than threads; long
        // transactions.
        for (threads, variables, length, transactions) in
            [(1, 10, 2, 301), (4, 3, 2, 2000), (5, 20, 3, 3), (2, 9, 9, 300), (3, 64, 21, 200)]
        {
            let params = params(
                case,
                &[
                    ("threads", threads),
                    ("variables", variables),
                    ("length", length),
                    ("transactions", transactions),
                    ("nodes", 30),
                    ("seed", 5),
                ],
            );
            STM.check(&params).expect("they fit together");
            for measured in [STM.run(Variant::Stm, &params), STM.floor(&params)] {
                let measured = measured.unwrap_or_else(|error| panic!("{params}: {error}"));
                assert_eq!(measured.ops, transactions, "{params}");
            }
        }
    }
}

#[test]
fn a_list_may_be_long_and_may_have_one_node() {
    let walks = NAMES.iter().filter(|name| name.starts_with("walk-"));
    for (case, nodes) in walks.flat_map(|case| [(*case, 1), (*case, 100_000)]) {
        let params = params(case, &[("nodes", nodes), ("transactions", 5)]);
        for measured in [STM.run(Variant::Stm, &params), STM.floor(&params)] {
            measured.unwrap_or_else(|error| panic!("{params}: {error}"));
        }
    }
}

#[test]
fn a_transaction_cannot_touch_more_than_there_is() {
    let refused = STM.check(&params("transfer", &[("length", 11), ("variables", 10)])).unwrap_err();
    let text = refused.to_string();
    assert_eq!(text, "--length: 11 different variables need as many variables, not 10");
}

#[test]
fn peers_are_told_of_what_they_know() {
    let for_peers = |case, numbers: &[_]| params(case, numbers).for_peers(STM.parameters);
    let told = for_peers("transfer", &[("threads", 3)]).expect("peers know it");
    let names: Vec<&str> = told.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["case", "threads", "variables", "length", "transactions", "seed"]);
    assert_eq!(for_peers("counter", &[]), None);
    assert_eq!(for_peers("transfer", &[("nodes", 5)]), None);
}
