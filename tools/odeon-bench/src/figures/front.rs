//! What a question from outside costs, and an account that many ask.

use super::{ACTOR_LIBRARIES, Group, alone};
use crate::figures::Goal::{AtMostNanoseconds, AtMostTimes, TimesFasterThanPeers};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const CALL: &[Setting] = &[("mode", Word("call"))];
const CALL_ON_TOKIO: &[Setting] = &[("mode", Word("call_on_tokio"))];
const SPECULATIVE: &[Setting] = &[("mode", Word("speculative_on_tokio"))];
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
    let spread = |handler_ns, deposits| {
        alone("front", QUICK).with(&[
            ("askers", Word("tasks")),
            ("senders", Number(16)),
            ("accounts", Number(16)),
            ("deposits", Number(deposits)),
            ("handler_ns", Number(handler_ns)),
        ])
    };
    vec![
        one("threads").figure("a thread calls an idle actor", CALL, AtMostNanoseconds(150.0)),
        one("tasks").figure("a task of tokio calls an idle actor", CALL, AtMostNanoseconds(250.0)),
        many(0)
            .against(ACTOR_LIBRARIES)
            .figure("64 tasks call an actor, no work", CALL, AtMostTimes(1.0, CHANNEL))
            .figure("64 tasks call an actor, no work", CALL, TimesFasterThanPeers(1.0))
            .figure(
                "64 tasks call an actor on their runtime, no work",
                CALL_ON_TOKIO,
                AtMostTimes(1.0, CHANNEL),
            ),
        many(20_000)
            .figure("64 tasks call an actor, 20 us of work", CALL, AtMostTimes(1.0, MUTEX))
            .figure("64 tasks call an actor, 20 us of work", CALL, AtMostTimes(1.0, CHANNEL)),
        spread(2_000, 500_000).figure(
            "16 tasks change an account each, 2 us of work",
            SPECULATIVE,
            AtMostTimes(0.8, MUTEX),
        ),
        spread(20_000, 100_000).figure(
            "16 tasks change an account each, 20 us of work",
            SPECULATIVE,
            AtMostTimes(0.55, MUTEX),
        ),
    ]
}

const QUICK: &[Setting] = &[("deposits", Number(2_000))];
