//! Sweeps: an option takes one value or a comma-separated list, and a command measures every
//! combination.

use crate::error::BenchError;
use crate::parameter::{Parameter, Params, Value};
use crate::workload::Workload;

/// Reads `8` or `1,2,8`; the message of a refusal names the option and its range.
pub fn parse_sweep(parameter: &Parameter, text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    for word in text.split(',') {
        let value = parameter.parse(word.trim())?;
        if values.contains(&value) {
            return Err(format!("{} lists {value} twice", parameter.option()));
        }
        values.push(value);
    }
    Ok(values)
}

/// Every combination of the swept values, the last option varying fastest; parameters that are not
/// swept take their defaults. Each combination has passed the workload's own check.
pub fn combinations(
    workload: &Workload,
    sweeps: &[(&'static str, Vec<Value>)],
) -> Result<Vec<Params>, BenchError> {
    let mut all = vec![workload.defaults()];
    for (name, values) in sweeps {
        let extended = all
            .iter()
            .flat_map(|params| values.iter().map(move |value| params.clone().with(name, *value)));
        all = extended.collect();
    }
    for params in &all {
        workload.check(params)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTORS: Parameter = Parameter::number("list_actors", "", 1, 32, 1);
    const ORDER: Parameter = Parameter::word("order", "", &["fifo", "lifo"]);

    #[test]
    fn one_value_or_a_list() {
        let number = |n| Value::Number(n);
        assert_eq!(parse_sweep(&ACTORS, "8"), Ok(vec![number(8)]));
        assert_eq!(parse_sweep(&ACTORS, "1, 2,8"), Ok(vec![number(1), number(2), number(8)]));
        let words = Ok(vec![Value::Word("lifo"), Value::Word("fifo")]);
        assert_eq!(parse_sweep(&ORDER, "lifo,fifo"), words);
    }

    #[test]
    fn files_are_named_as_they_are_and_none_by_a_word() {
        const TI: Parameter = Parameter::file("ti", "", "generated");
        assert_eq!(parse_sweep(&TI, "generated"), Ok(vec![TI.default_value()]));
        let files = Ok(vec![Value::Word("images/a b.dat"), Value::Word("c.png")]);
        assert_eq!(parse_sweep(&TI, "images/a b.dat, c.png"), files);
        assert_eq!(parse_sweep(&TI, "").unwrap_err(), "--ti takes a file, or 'generated', not ''");
    }

    #[test]
    fn refusals_name_the_option_and_its_range() {
        let refused = |text| parse_sweep(&ACTORS, text).unwrap_err();
        let range = "--list-actors takes whole numbers from 1 to 32";
        for text in ["0", "33", "1,40", "", "1,", "-1", "x", "99999999999999999999"] {
            assert!(refused(text).starts_with(range), "{}", refused(text));
        }
        assert_eq!(refused("0"), format!("{range}, not '0'"));
        assert_eq!(refused("2,4,2"), "--list-actors lists 2 twice");
        assert_eq!(
            parse_sweep(&ORDER, "random").unwrap_err(),
            "--order takes fifo, lifo, not 'random'"
        );
    }

    #[test]
    fn combinations_are_complete_and_ordered() {
        let workload = crate::workloads::find("list").expect("list is a workload");
        let sweeps = [
            ("list_actors", vec![Value::Number(1), Value::Number(4)]),
            ("workload", vec![Value::Word("read"), Value::Word("write")]),
        ];
        let all = combinations(workload, &sweeps).expect("all are in range");
        let seen: Vec<_> =
            all.iter().map(|p| (p.number("list_actors"), p.word("workload"))).collect();
        assert_eq!(seen, [(1, "read"), (1, "write"), (4, "read"), (4, "write")]);
        assert_eq!(all[0].number("requests"), 1000);
    }

    #[test]
    fn combinations_check_relations_between_parameters() {
        let workload = crate::workloads::find("list").expect("list is a workload");
        let sweeps = [("range", vec![Value::Number(8)]), ("list_actors", vec![Value::Number(32)])];
        let refused = combinations(workload, &sweeps).unwrap_err();
        assert!(refused.is_bad_argument());
        assert!(refused.to_string().starts_with("--list-actors: "), "{refused}");
    }
}
