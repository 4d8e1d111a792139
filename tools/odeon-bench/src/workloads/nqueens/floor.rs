//! One thread, and a `Vec` of boards of which the last is taken first.

use super::Plan;
use super::board::Finding;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let plan = Plan {
        size: params.count("size"),
        threshold: params.count("threshold"),
        limit: params.number("limit"),
        solvers: 1,
        priorities: 1,
    };
    let (measured, found) = Measured::time(plan.wanted(), || {
        let (mut found, mut tasks) = (0, vec![plan.first_task()]);
        while let Some(task) = tasks.pop() {
            task.run(&plan, |finding| match finding {
                Finding::Solution => found += 1,
                Finding::Task(task) => tasks.push(task),
            });
            if found >= plan.limit {
                break;
            }
        }
        found
    });
    plan.check(found).map(|()| measured).map_err(BenchError::WrongResult)
}
