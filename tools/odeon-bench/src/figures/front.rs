//! What a question from outside costs, and an account that many ask.

use super::{ACTOR_LIBRARIES, Group, alone};
use crate::figures::Goal::{AtMostNanoseconds, AtMostTimes, TimesFasterThanPeers};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const CALL: &[Setting] = &[("mode", Word("call"))];
const MUTEX: &[Setting] = &[("mode", Word("mutex"))];
const CHANNEL: &[Setting] = &[("mode", Word("channel"))];

pub(super) fn groups() -> Vec<Group> {
    let one = |askers| {
        alone("front", QUICK).with(&[("askers", Word(askers)), ("deposits", Number(50_000))])
    };
    let many = |handler_ns| {
        alone("front", QUICK).with(&[
            ("askers", Word("tasks")),
            ("senders", Number(64)),
            ("deposits", Number(20_000)),
            ("handler_ns", Number(handler_ns)),
        ])
    };
    vec![
        one("threads").figure("a thread calls an idle actor", CALL, AtMostNanoseconds(150.0)),
        one("tasks").figure("a task of tokio calls an idle actor", CALL, AtMostNanoseconds(250.0)),
        many(0)
            .against(ACTOR_LIBRARIES)
            .figure("64 tasks call an actor, no work", CALL, AtMostTimes(1.0, CHANNEL))
            .figure("64 tasks call an actor, no work", CALL, TimesFasterThanPeers(1.0)),
        many(20_000)
            .figure("64 tasks call an actor, 20 us of work", CALL, AtMostTimes(1.0, MUTEX))
            .figure("64 tasks call an actor, 20 us of work", CALL, AtMostTimes(1.0, CHANNEL)),
    ]
}

const QUICK: &[Setting] = &[("deposits", Number(2_000))];
