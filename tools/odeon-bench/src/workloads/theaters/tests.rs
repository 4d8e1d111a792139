//! Workloads of several theaters with members on threads; with processes, the tests of the command
//! line run them.

use super::payload::{Payload, StreamCount, number_of};
use super::seat::{Role, Seat};
use super::{MEMBERS, THREADS};
use crate::parameter::{Params, Value};
use crate::workload::Variant;
use crate::workloads::find;

/// Runs a workload and its floor with every one of these values of a parameter.
#[track_caller]
fn runs_with_each(name: &str, settings: &[(&str, u64)], parameter: &str, values: &[Value]) {
    let workload = find(name).expect("the workload exists");
    let parameters = workload.parameters;
    let members = (MEMBERS.name, Value::Word(THREADS));
    let settings = settings.iter().map(|&(name, number)| (name, Value::Number(number)));
    let params = settings.chain([members]).fold(Params::defaults(parameters), with);
    for &value in values {
        let params = with(params.clone(), (parameter, value));
        let ran = workload.run(Variant::Pool, &params).unwrap_or_else(|e| panic!("{value}: {e}"));
        let floor = workload.floor(&params.for_floor(parameters));
        let floor = floor.unwrap_or_else(|e| panic!("floor, {value}: {e}"));
        assert_eq!(ran.ops, floor.ops, "{value}");
        assert_eq!(ran.latency.is_some(), floor.latency.is_some(), "{value}");
    }
}

fn with(params: Params, (name, value): (&str, Value)) -> Params {
    params.with(name, value)
}

#[test]
fn messages_of_any_size_come() {
    let sizes = [8, 9, 256, 10_000, 59_999, 60_000, 200_000].map(Value::Number);
    for actors in [1, 3, 60] {
        let settings = [("messages", 50), ("actors", actors)];
        runs_with_each("remotethroughput", &settings, "bytes", &sizes);
    }
}

#[test]
fn every_floor_does_the_same_work() {
    let words = ["messages", "frames"].map(Value::Word);
    // More than one frame, and a last one that is not full.
    runs_with_each("remotethroughput", &[("messages", 20_000)], "floor", &words);
    runs_with_each("remoteask", &[("rounds", 20)], "floor", &["zenoh", "tcp"].map(Value::Word));
}

#[test]
fn rings_may_have_any_number_of_theaters() {
    let theaters = [2, 3, 5].map(Value::Number);
    runs_with_each("theaterrings", &[("rings", 7), ("hops", 40)], "theaters", &theaters);
}

#[test]
fn actors_move_round_the_theaters() {
    let settings = [("actors", 5), ("migrations", 20), ("bytes", 100), ("theaters", 3)];
    let asked = ["own", "asked"].map(Value::Word);
    for pace in asked {
        let workload = find("migrationrings").expect("it exists");
        let params = workload.defaults();
        let params = with(params, (MEMBERS.name, Value::Word(THREADS)));
        let numbers = settings.iter().map(|&(name, number)| (name, Value::Number(number)));
        let params = numbers.chain([("pace", pace)]).fold(params, with);
        let ran = workload.run(Variant::Pool, &params).expect("it runs");
        assert_eq!((ran.ops, ran.latency.is_some()), (100, pace == asked[1]));
        assert_eq!(workload.floor(&params).expect("it runs").ops, 100);
    }
    let kinds = ["remote", "mobile"].map(Value::Word);
    runs_with_each("theaterrings", &[("rings", 3), ("hops", 40)], "kind", &kinds);
}

#[test]
fn tokens_that_come_in_parts_are_put_together() {
    // More bytes than one reading takes.
    let rings = [1, 9000].map(Value::Number);
    let workload = find("theaterrings").expect("it exists");
    for rings in rings {
        let params = workload.defaults();
        let params = with(params, (MEMBERS.name, Value::Word(THREADS)));
        let params = with(with(params, ("rings", rings)), ("hops", Value::Number(5)));
        let Value::Number(rings) = rings else { panic!("rings are a number") };
        // The odd hop brings one more.
        assert_eq!(workload.floor(&params).expect("it runs").ops, rings * 6);
    }
}

#[test]
fn kinds_of_actors_are_what_they_are_called() {
    let kinds = ["local", "remote", "mobile"].map(Value::Word);
    runs_with_each("threadring", &[("actors", 4), ("hops", 50)], "kind", &kinds);
}

#[test]
fn actors_of_each_kind_are_created_here_and_there_and_moved() {
    let workload = find("remotecreate").expect("it exists");
    let params = workload.defaults();
    let params = with(params, (MEMBERS.name, Value::Word(THREADS)));
    // More than one message of references, and a last one that is not full.
    let params = with(params, ("actors", Value::Number(250)));
    for created in ["there", "here", "referred", "moved"] {
        for kind in ["remote", "mobile", "local"] {
            let params = with(params.clone(), ("created", Value::Word(created)));
            let params = with(params, ("kind", Value::Word(kind)));
            let is_possible = match created {
                "there" => kind != "local",
                "moved" => kind == "mobile",
                "referred" => kind == "remote",
                _ => true,
            };
            let ran = workload.run(Variant::Pool, &params);
            match ran {
                Ok(ran) => assert!(is_possible && ran.ops == 250, "{created}, {kind}"),
                Err(refused) => {
                    assert!(!is_possible, "{created}, {kind}: {refused}");
                    assert!(refused.to_string().starts_with("--kind: "), "{refused}");
                }
            }
        }
    }
    let params = with(params, ("created", Value::Word("here")));
    assert_eq!(workload.floor(&params).expect("it runs").ops, 250);
}

#[test]
fn a_count_sees_what_goes_wrong() {
    let sent = StreamCount::of(0..4, 8);
    assert_eq!(StreamCount::from_bytes(&sent.to_bytes()), Some(sent));
    assert_eq!(StreamCount::from_bytes(&sent.to_bytes()[1..]), None);
    let lost = StreamCount::of([0, 1, 3].into_iter(), 8);
    let doubled = StreamCount::of([0, 1, 2, 2, 3].into_iter(), 8);
    let exchanged = StreamCount::of([0, 2, 1, 3].into_iter(), 8);
    let cut = StreamCount::of(0..4, 7);
    for wrong in [lost, doubled, exchanged, cut] {
        assert_ne!(wrong, sent);
    }
}

#[test]
fn a_payload_begins_with_its_number() {
    let Payload(bytes) = Payload::of(77, 20);
    assert_eq!((bytes.len(), number_of(&bytes)), (20, Some(77)));
    assert_eq!(number_of(&bytes[..7]), None);
}

#[test]
fn what_cannot_listen_says_so() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let endpoint = format!("tcp/{}", taken.local_addr().expect("it has an address"));
    for role in [Role::Theater { workers: 1 }, Role::ZenohEcho] {
        let (listen, connect) = (vec![endpoint.clone()], Vec::new());
        let seat = Seat { role, number: 1, cluster: "taken".to_owned(), listen, connect };
        let refused = seat.take().err().expect("the port is taken").to_string();
        assert!(refused.contains("is in use"), "{refused}");
    }
}
