//! Every workload and every floor with tiny parameters.

use super::*;
use crate::parameter::Value::{Number, Word};
use crate::parameter::{Domain, Params, Value};
use crate::workload::Variant;
use std::io::Write;

fn tiny(workload: &Workload, settings: &[(&str, Value)]) -> Params {
    let small = [
        ("actors", 5),
        ("hops", 50),
        ("rounds", 20),
        ("messages", 40),
        ("creatures", 4),
        ("meetings", 30),
        ("pings", 10),
        ("tokens", 3),
        ("list_actors", 3),
        ("requesters", 4),
        ("requests", 20),
        ("range", 100),
        ("pending", 100),
        ("milliseconds", 100),
        ("timers", 50),
        ("accounts", 10),
        ("transfers", 200),
        ("entries", 200),
        ("handler_ns", 50),
        ("hot_accounts", 3),
        ("keys", 50),
        ("restarts", 5),
        ("queued", 50),
        ("variables", 10),
        ("transactions", 60),
        ("nodes", 20),
        ("clients", 3),
        ("window", 4),
        ("series", 7),
        ("terms", 50),
        ("columns", 17),
        ("channels", 3),
        ("sources", 5),
        ("numbers", 1000),
        ("buffer", 12),
        ("producers", 9),
        ("consumers", 4),
        ("items", 40),
        ("size", 6),
        ("limit", 3),
        ("solvers", 4),
        ("edge", 8),
        ("searchers", 4),
        ("philosophers", 5),
        ("haircuts", 30),
        ("smokers", 5),
        ("rings", 3),
        ("grid", 24),
        ("points", 7),
        ("simulators", 3),
        ("log_points", 250),
        ("launches", 50),
        ("rows", 130),
        ("dims", 5),
        ("centres", 4),
    ];
    let mut params = workload.defaults();
    for (name, number) in small {
        if params.get(name).is_some() {
            params = params.with(name, Number(number));
        }
    }
    // This program is not the one that knows how to be a member.
    if params.get("members").is_some() {
        params = params.with("members", Word("threads"));
    }
    settings.iter().fold(params, |params, (name, value)| params.with(name, *value))
}

#[test]
fn every_workload_runs_in_every_variant_and_with_one_worker() {
    for &workload in ALL {
        for &variant in workload.variants {
            for workers in [1, 2] {
                let params = tiny(workload, &[(workers_of(workload), Number(workers))]);
                workload.check(&params).expect("tiny parameters fit together");
                let measured = workload.run(variant, &params);
                let measured = measured.unwrap_or_else(|e| panic!("{}: {e}", workload.name));
                // A floor must not read what it is said not to depend on.
                let floor = workload.floor(&params.for_floor(workload.parameters));
                let floor = floor.unwrap_or_else(|e| panic!("{}: {e}", workload.name));
                assert!(measured.ns > 0 && measured.ops > 0, "{}", workload.name);
                let lasts = params.get("milliseconds").is_some();
                assert!(lasts || measured.ops == floor.ops, "{}", workload.name);
            }
        }
    }
}

/// The parameter that says how many threads there are.
fn workers_of(workload: &Workload) -> &'static str {
    let mut names = workload.parameters.iter().map(|parameter| parameter.name);
    let known = names.find(|name| ["workers", "threads"].contains(name));
    known.unwrap_or_else(|| panic!("{} has no threads", workload.name))
}

#[test]
fn fjthrput_takes_any_number_of_mailboxes() {
    let workload = find("fjthrput").expect("fjthrput is a workload");
    for mailboxes in [1, 2, 3, 8, 9, 17, 63, 64] {
        let params = tiny(workload, &[("mailboxes", Number(mailboxes))]);
        assert_eq!(workload.run(Variant::Pool, &params).expect("it runs").ops, 200);
    }
}

#[test]
fn forward_takes_every_order_and_checks_its_tokens() {
    let workload = find("forward").expect("forward is a workload");
    for order in ["fifo", "lifo", "central"] {
        let params = tiny(workload, &[("order", Word(order))]);
        assert_eq!(workload.run(Variant::Pool, &params).expect("it runs").ops, 150);
    }
    let refused = workload.check(&tiny(workload, &[("tokens", Number(6))])).unwrap_err();
    assert_eq!(refused.to_string(), "--tokens: 6 tokens need at least as many actors, not 5");
}

#[test]
fn pressure_knows_every_producer() {
    let workload = find("pressure").expect("pressure is a workload");
    for producer in ["actor", "thread", "async"] {
        // WHY so long: on a loaded machine it gets little of the time.
        let lasting = ("milliseconds", Number(1000));
        let params = tiny(workload, &[("producer", Word(producer)), lasting]);
        // Beyond what an inbox holds: the producer has been held back and let go.
        let handled = workload.run(Variant::Pool, &params).expect("it runs").ops;
        assert!(handled > 2_000, "{producer}: {handled}");
    }
}

#[test]
fn timers_cancels_what_it_is_told_to() {
    let workload = find("timers").expect("timers is a workload");
    for (cancel, pending) in [("newest", 0), ("newest", 200), ("oldest", 0), ("oldest", 200)] {
        let settings = [("cancel", Word(cancel)), ("pending", Number(pending))];
        let params = tiny(workload, &settings);
        assert_eq!(workload.run(Variant::Pool, &params).expect("it runs").ops, 50);
        assert_eq!(workload.floor(&params).expect("it runs").ops, 50);
    }
}

#[test]
fn what_papers_ran_are_values_of_known_parameters() {
    for &workload in ALL {
        let parameters = workload.parameters;
        let mut params = Params::defaults(parameters);
        for (name, value) in workload.paper {
            let parameter = parameters.iter().find(|p| p.name == *name);
            let parameter = parameter.unwrap_or_else(|| panic!("{}: {name}", workload.name));
            assert_eq!(parameter.parse(&value.to_string()), Ok(*value), "{name}");
            params = params.with(name, *value);
        }
        workload.check(&params).expect("what a paper ran fits together");
    }
}

#[test]
fn names_and_defaults_are_sound() {
    for &workload in ALL {
        let about = workload;
        assert!(find(about.name).is_some());
        workers_of(workload);
        assert!(!about.variants.is_empty(), "{}", about.name);
        for parameter in about.parameters {
            let default = parameter.default_value();
            assert_eq!(parameter.parse(&default.to_string()), Ok(default), "{}", parameter.name);
        }
        workload.check(&about.defaults()).expect("defaults fit together");
    }
}

#[test]
fn what_peers_and_floors_are_told() {
    let workload = find("fjthrput").expect("fjthrput is a workload");
    let parameters = workload.parameters;
    let one = tiny(workload, &[]);
    let many = tiny(workload, &[("mailboxes", Number(64))]);
    let peers = one.for_peers(parameters).expect("one mailbox is comparable");
    assert_eq!(peers.get("mailboxes"), None);
    assert_eq!(peers.get("workers"), Some(Number(2)));
    assert_eq!(many.for_peers(parameters), None);
    assert_eq!(one.for_floor(parameters), many.for_floor(parameters));
}

/// Every word of the parameter `version`, with one worker and with two: each run checks its own
/// result.
#[test]
fn every_version_of_a_workload_comes_to_the_right_result() {
    for &workload in ALL {
        let versions = workload.parameters.iter().find(|p| p.name == "version");
        let Some(Domain::Word { allowed, .. }) = versions.map(|p| p.domain) else { continue };
        assert!(allowed.contains(&"actor"), "{}", workload.name);
        for version in allowed {
            for workers in [1, 2] {
                let settings = [("version", Word(version)), ("workers", Number(workers))];
                let ran = workload.run(Variant::Pool, &tiny(workload, &settings));
                ran.unwrap_or_else(|e| panic!("{} {version}: {e}", workload.name));
            }
        }
    }
}

/// Every word of the parameters that say who does the work, as far as this machine has what it
/// needs: each run checks its own result.
#[test]
fn every_way_of_a_workload_comes_to_the_right_result() {
    for &workload in ALL {
        let ways = workload.parameters.iter().filter(|p| ["way", "search"].contains(&p.name));
        for (parameter, allowed) in ways.filter_map(|parameter| match parameter.domain {
            Domain::Word { allowed, .. } => Some((parameter.name, allowed)),
            _ => None,
        }) {
            for way in allowed {
                let params = tiny(workload, &[(parameter, Word(way))]);
                let what = format!("{} --{parameter} {way}", workload.name);
                match workload.missing(&params) {
                    Some(why) => _ = writeln!(std::io::stderr(), "skipped: {what}: {why}"),
                    None => {
                        _ = workload
                            .run(Variant::Pool, &params)
                            .unwrap_or_else(|e| panic!("{what}: {e}"))
                    }
                }
            }
        }
    }
}
