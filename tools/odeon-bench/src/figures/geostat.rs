//! What the geostatistical simulation promises, with the grid of the thesis: that reading the grid
//! does not hold it up, and that two workers are worth it.

use super::Goal::AtMostTimes;
use super::{Group, alone};
use crate::parameter::{Setting, Value};

const RELAXED: &[Setting] = &[("reads", Value::Word("relaxed"))];
const LOGGED: &[Setting] = &[("reads", Value::Word("logged"))];
const ONE_WORKER: &[Setting] = &[("workers", Value::Number(1))];
const QUICK: &[Setting] = &[("grid", Value::Number(60))];

pub(super) fn groups() -> Vec<Group> {
    vec![
        alone("geostat", QUICK)
            .figure(
                "geostat, 2 workers: relaxed log reads against transactional ones",
                RELAXED,
                AtMostTimes(1.0 / 1.2, LOGGED),
            )
            .figure(
                "geostat, relaxed log reads: 2 workers against 1",
                RELAXED,
                AtMostTimes(1.0 / 1.6, ONE_WORKER),
            ),
    ]
}
